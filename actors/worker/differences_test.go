package worker

import (
	"testing"

	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/rpcenv"
)

// Spark's retries go to the Master that was known; here only while somebody knows of it.
func TestAMasterThatNobodyKnowsOfAnyMoreIsNotTheOnlyOneTried(t *testing.T) {
	k := newKit(t)
	other := k.w.ProbeIn(k.w.Env("M2", nil), "Master")
	found := &ring{[]rpcenv.Address{k.master.Env.Address()}}
	k.start(Config{Discovery: found}, nil)
	k.accept(false)
	found.masters = []rpcenv.Address{other.Env.Address()}
	k.master.Send(k.worker, &deploy.ReconnectWorker{MasterUrl: k.url()})
	for _, try := range []string{"first", "second"} {
		if m, ok := other.Next().(*deploy.RegisterWorker); !ok {
			t.Errorf("%s try: got %T", try, m)
		}
	}
}
