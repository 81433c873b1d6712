package worker

import (
	"testing"
	"time"

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

// Spark's timer catches up: 14 heartbeats at once, after 14 seconds at one a second.
func TestAWorkerThatStoodStillSendsOneHeartbeat(t *testing.T) {
	k := newKit(t)
	k.join(Config{}, map[string]string{"spark.worker.timeout": "4"})
	k.w.Advance(time.Second)
	k.host.Pause()
	k.w.Advance(14 * time.Second)
	before := k.beats
	k.host.Resume()
	k.w.Advance(500 * time.Millisecond)
	if got := k.beats - before; got != 1 {
		t.Errorf("%d heartbeats at once", got)
	}
}
