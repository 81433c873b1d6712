package appclient

import (
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

func TestANewMasterIsAcknowledgedAndAsked(t *testing.T) {
	k := newKit(t)
	k.join()
	k.master.Send(k.client, &deploy.ExecutorAdded{Id: proto.Int32(4), WorkerId: "w"})
	next[ExecutorAdded](k, k.listener)
	k.w.Find("M").Kill()
	k.hears(Disconnected{})
	second := k.w.ProbeIn(k.w.Env("M2", nil), "Master")
	second.Send(k.client, &deploy.MasterChanged{Master: second.Ref.Proto(), MasterTerm: 2})
	if m := next[*deploy.MasterChangeAcknowledged](k, second); m.GetAppId() != appID || m.GetNextExecutorId() != 5 {
		t.Errorf("acknowledged %v", m)
	}
	second.On(func(c *rpcenv.Context, m rpcenv.Message) bool {
		q, ok := m.(*deploy.KillExecutors)
		if ok {
			rpcenv.Reply(c, q, &rpc.Bool{Value: true})
		}
		return ok
	})
	if ok, err := rpctest.Ask[*rpc.Bool](k.listener, k.client, KillExecutors{IDs: []string{"4"}}); err != nil || !ok.GetValue() {
		t.Error("the new Master was not asked:", ok, err)
	}
	k.w.Find("M2").Kill()
	k.hears(Disconnected{}) // once for each Master
	k.listener.Quiet(time.Minute)
}

func TestANewMasterHearsHowManyExecutorsAreWanted(t *testing.T) {
	k := newKit(t)
	k.join()
	serve := func(p *rpctest.Probe, got *[]*deploy.ProfileTarget) {
		p.On(func(c *rpcenv.Context, m rpcenv.Message) bool {
			q, ok := m.(*deploy.RequestExecutors)
			if ok {
				if *got = q.GetTotals(); q.GetAppId() != appID {
					t.Errorf("asked for application %q", q.GetAppId())
				}
				rpcenv.Reply(c, q, &rpc.Bool{Value: true})
			}
			return ok
		})
	}
	var first, again []*deploy.ProfileTarget
	serve(k.master, &first)
	want := RequestExecutors{Totals: []*deploy.ProfileTarget{{Profile: &deploy.ResourceProfile{Id: 1}, Total: 3}}}
	if _, err := rpctest.Ask[*rpc.Bool](k.listener, k.client, want); err != nil {
		t.Fatal(err)
	}
	second := k.w.ProbeIn(k.w.Env("M2", nil), "Master")
	serve(second, &again)
	second.Send(k.client, &deploy.MasterChanged{Master: second.Ref.Proto(), MasterTerm: 2})
	next[*deploy.MasterChangeAcknowledged](k, second)
	if len(again) != 1 || !proto.Equal(again[0], want.Totals[0]) {
		t.Errorf("the new Master heard %v", again)
	}
}

func TestAClientThatIsNotRegisteredAcknowledgesNothing(t *testing.T) {
	k := newKit(t)
	k.start()
	next[*deploy.RegisterApplication](k, k.master)
	k.master.Send(k.client, &deploy.MasterChanged{Master: k.master.Ref.Proto(), MasterTerm: 1})
	k.master.Quiet(19 * time.Second)
}

// A standby Master does not answer; the leader's is the only registration.
func TestOfSeveralMastersTheLeaderRegisters(t *testing.T) {
	k := newKit(t)
	standby := k.w.ProbeIn(k.w.Env("M2", nil), "Master")
	k.start(standby.Env.Address(), k.master.Env.Address())
	next[*deploy.RegisterApplication](k, standby)
	next[*deploy.RegisterApplication](k, k.master)
	k.register(appID, 1)
	k.hears(Connected{AppID: appID})
	standby.Quiet(time.Minute)
	k.w.Find("M2").Kill()
	k.listener.Quiet(time.Minute)
}

// deferred makes the Master of a client that lost it, begun anew, keep the client's questions; each function answers one: the
// Master leads, and does not know the application.
func (k *kit) deferred() *[]func() {
	k.t.Helper()
	k.master = k.w.Probe("Master")
	k.join()
	k.master.Crash()
	k.master.Restart()
	var answers []func()
	k.master.On(func(c *rpcenv.Context, m rpcenv.Message) bool {
		q, ok := m.(*deploy.RequestRefusals)
		if ok {
			call := rpcenv.Defer(c, q)
			answers = append(answers, func() { call.Reply(&deploy.Refusals{MasterState: "ALIVE"}) })
		}
		return ok
	})
	k.hears(Disconnected{})
	return &answers
}

func (k *kit) answer(answers ...func()) {
	k.t.Helper()
	for _, f := range answers {
		k.master.Do(func(*rpcenv.Context) { f() })
	}
}

// A Master that called meanwhile knows the application, whatever it, or the one before, answers late. It is not asked any more.
func TestALateAnswerThatTheApplicationIsUnknownIsIgnored(t *testing.T) {
	k := newKit(t)
	answers := k.deferred()
	k.w.Advance(20 * time.Second)
	k.master.Send(k.client, &deploy.MasterChanged{Master: k.master.Ref.Proto()})
	k.w.Settle()
	k.answer((*answers)[0])
	k.silent(time.Minute)
	if len(*answers) != 1 {
		t.Errorf("asked %d times", len(*answers))
	}

	k = newKit(t)
	answers = k.deferred()
	k.w.Advance(20 * time.Second)
	second := k.w.ProbeIn(k.w.Env("M2", nil), "Master")
	second.Send(k.client, &deploy.MasterChanged{Master: second.Ref.Proto()})
	next[*deploy.MasterChangeAcknowledged](k, second)
	k.w.Find("M2").Kill()
	k.hears(Disconnected{})
	k.answer((*answers)[0]) // which is not the one that is gone
	k.silent(time.Second)
}

func TestTwoAnswersThatTheApplicationIsUnknownAreToldOnce(t *testing.T) {
	k := newKit(t)
	answers := k.deferred()
	k.w.Advance(40 * time.Second)
	k.answer((*answers)[:2]...)
	next[Forgotten](k, k.listener)
	k.silent(time.Minute)
}

func TestAClientThatStopsIsNotForgotten(t *testing.T) {
	k := newKit(t)
	answers := k.deferred()
	k.w.Advance(20 * time.Second)
	k.whileBusy(func() {
		k.listener.Do(func(c *rpcenv.Context) { rpcenv.Ask(c, k.client, StopAppClient{}, func(*rpc.Bool, error) {}) })
	}, func() { k.answer((*answers)[0]) })
	k.silent(time.Minute)
}
