package worker

import (
	"testing"
	"time"

	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/rpcenv"
)

// Spark's retries go to the Master that was known, for ever. A Worker that the leader had given up is in no record, so that
// the next leader does not call it.
func TestAMasterThatDoesNotLeadIsNotTheOnlyOneTried(t *testing.T) {
	for _, test := range []struct {
		known string
		lost  func(k *kit)
		first bool // the first retry goes to all
	}{
		{"is in standby", func(k *kit) {
			k.master.Send(k.worker, &deploy.ReconnectWorker{MasterUrl: k.url()})
			next[*deploy.RegisterWorker](k)
			k.master.Send(k.worker, &deploy.MasterInStandby{})
		}, true},
		{"is dead", func(k *kit) { k.w.Find("M").Kill() }, true},
		{"is silent", func(k *kit) { k.master.Send(k.worker, &deploy.ReconnectWorker{MasterUrl: k.url()}) }, false},
	} {
		t.Run(test.known, func(t *testing.T) {
			k := newKit(t)
			other := k.w.ProbeIn(k.w.Env("M2", nil), "Master")
			k.start(Config{Masters: []rpcenv.Address{k.master.Env.Address(), other.Env.Address()}},
				map[string]string{"spark.worker.initialRegistrationRetries": "2"})
			next[*deploy.RegisterWorker](k)
			began := k.w.Now()
			k.accept(false) // the first retry, which goes to all while no Master is known
			interval := k.w.Now().Sub(began).Round(time.Second)
			other.Next()
			other.Next()
			test.lost(k)
			other.Next() // all are tried at once
			k.w.Advance(interval)
			if n := len(other.Waiting()); (n > 0) != test.first {
				t.Errorf("by the first retry the other was tried %d times", n)
			}
			k.w.Advance(interval + time.Second) // the last of the first retries
			if n := len(other.Waiting()); n == 0 || n == 1 && test.first {
				t.Errorf("by the last of the first retries the other was tried %d times", n)
			}
			tried := len(other.Waiting())
			k.w.Advance(2 * time.Minute)
			if n := len(other.Waiting()); n <= tried {
				t.Errorf("no slow retry goes to the other")
			}
		})
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
