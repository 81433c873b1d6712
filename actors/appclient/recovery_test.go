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
	k.told(Disconnected{})
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
	k.told(Disconnected{}) // once for each Master
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
	k.told(Connected{AppID: appID})
	standby.Quiet(time.Minute)
	k.w.Find("M2").Kill()
	k.listener.Quiet(time.Minute)
}
