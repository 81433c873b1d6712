package worker

import (
	"testing"
	"time"

	"github.com/coherer/coherer/actors/membership"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/rpcenv"
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

// Spark's retries go to the Master that was known, for ever. A Worker that the leader had given up is in no record, so that
// the next leader does not call it.
func TestAMasterThatDoesNotLeadIsNotTheOnlyOneTried(t *testing.T) {
	for _, standby := range []bool{true, false} {
		k := newKit(t)
		other := k.w.ProbeIn(k.w.Env("M2", nil), "Master")
		k.start(Config{Masters: []rpcenv.Address{k.master.Env.Address(), other.Env.Address()}},
			map[string]string{"spark.worker.initialRegistrationRetries": "2"})
		other.Next()
		k.accept(false)
		if standby {
			k.master.Send(k.worker, &deploy.ReconnectWorker{MasterUrl: k.url()})
			next[*deploy.RegisterWorker](k)
			k.master.Send(k.worker, &deploy.MasterInStandby{})
		} else {
			k.w.Find("M").Kill()
		}
		other.Next() // all are tried at once
		k.w.Advance(16 * time.Second)
		if n := len(other.Waiting()); (n > 0) != standby {
			t.Errorf("the known one is in standby: %t; in 16 s the other was tried %d times", standby, n)
		}
		k.w.Advance(2 * time.Minute) // the slow retries
		if m, ok := other.Next().(*deploy.RegisterWorker); !ok {
			t.Errorf("the known one is in standby: %t; got %T", standby, m)
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
