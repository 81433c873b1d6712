package appclient

import (
	"testing"
	"time"

	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/rpcenv"
)

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

func TestAClientThatStopsIsNotForgotten(t *testing.T) {
	k := newKit(t)
	answers := k.deferred()
	k.w.Advance(20 * time.Second)
	k.whileBusy(func() {
		k.listener.Ask(k.client, StopAppClient{})
	}, func() { k.answer((*answers)[0]) })
	k.silent(time.Minute)
}
