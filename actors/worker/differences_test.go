package worker

import (
	"testing"

	"github.com/coherer/coherer/actors/membership"
	"github.com/coherer/coherer/messages/deploy"
)

// Spark's retries go to the Master that was known; here only while somebody knows of it.
func TestAMasterThatNobodyKnowsOfAnyMoreIsNotTheOnlyOneTried(t *testing.T) {
	k := newKit(t)
	other := k.w.ProbeIn(k.w.Env("M2", nil), "Master")
	k.start(Config{Membership: true}, nil)
	p, old := k.w.ProbeIn(k.env, "Membership"), asMaster(k.master.Env.Address())
	p.Send(k.worker, membership.MemberJoined{Member: old})
	k.accept(false)
	p.Send(k.worker, membership.MemberJoined{Member: asMaster(other.Env.Address())})
	p.Send(k.worker, membership.MemberSuspected{Member: old})
	k.master.Send(k.worker, &deploy.ReconnectWorker{MasterUrl: k.url()})
	for _, try := range []string{"first", "second"} {
		if m, ok := other.Next().(*deploy.RegisterWorker); !ok {
			t.Errorf("%s try: got %T", try, m)
		}
	}
}
