package master

import (
	"testing"

	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

// broken is a Master whose recovery throws: an application in its books is nil.
type broken struct {
	*Master
	failed error
}

type breakIt struct{ rpcenv.Local }

func (b *broken) Receive(c *rpcenv.Context, m rpcenv.Message) {
	if _, ok := m.(breakIt); !ok {
		b.Master.Receive(c, m)
		return
	}
	b.state = RecoveryRecovering
	b.apps = append(b.apps, nil)
	b.completeRecovery(c)
}

func (b *broken) OnError(_ *rpcenv.Context, err error) { b.failed = err }

func TestAThrowInRecoveryNeverLeavesTheMasterBetweenStates(t *testing.T) {
	w := rpctest.New(t, 1)
	env := w.Env("M", nil)
	b := &broken{Master: New(Config{})}
	ref := w.Register(env, Name, b)
	w.ProbeIn(env, "Tool").Send(ref, breakIt{})
	w.Settle()
	if b.failed == nil {
		t.Error("the recovery did not throw: this test shows nothing")
	}
	if b.state != RecoveryAlive {
		t.Errorf("the Master is %s", b.state)
	}
}
