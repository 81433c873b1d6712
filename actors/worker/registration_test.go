package worker

import (
	"testing"
	"time"

	"github.com/coherer/coherer/actors/membership"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/rpcenv"
)

func TestWorkerIDs(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	addr := rpcenv.Address{Host: "h", Port: 7}
	tests := []struct{ pattern, want string }{
		{"worker-%s-%s-%d", "worker-20260102030405-h-7"},
		{"w.%s.%s.%05d", "w.20260102030405.h.00007"},
		{"w-%s", "worker-20260102030405-h-7"},
		{"w-%d-%d-%d", "worker-20260102030405-h-7"},
	}
	for _, test := range tests {
		if got := workerID(test.pattern, at, addr); got != test.want {
			t.Errorf("%s: got %s, want %s", test.pattern, got, test.want)
		}
	}
}

func TestReconnectWorkerIsIgnoredWhileRegistering(t *testing.T) {
	k := newKit(t)
	k.join(Config{}, nil)
	for range 14 {
		k.master.Send(k.worker, &deploy.ReconnectWorker{MasterUrl: k.url()})
	}
	k.accept(false)
	k.w.Settle()
	if n := len(k.master.Waiting()); n != 0 {
		t.Errorf("%d more messages, want one RegisterWorker for all", n)
	}
	k.master.Quiet(time.Minute) // the retries have ended
}

func TestRetriesComeAtTwoIntervalsAndEnd(t *testing.T) {
	k := newKit(t)
	k.start(Config{}, map[string]string{"spark.worker.initialRegistrationRetries": "2", "spark.worker.maxRegistrationRetries": "4"})
	last := time.Time{}
	var gaps []time.Duration
	for range 5 {
		next[*deploy.RegisterWorker](k)
		if !last.IsZero() {
			gaps = append(gaps, k.w.Now().Sub(last).Round(time.Second))
		}
		last = k.w.Now()
		if len(gaps) >= 2 {
			k.w.Advance(25 * time.Second) // below the shortest prolonged interval
			if n := len(k.master.Waiting()); n != 0 {
				t.Fatalf("a try within 25 s of the prolonged interval")
			}
		}
	}
	short, long := gaps[0], gaps[2]
	if short < 5*time.Second || short > 15*time.Second || gaps[1] != short || long < 30*time.Second || long > 90*time.Second || gaps[3] != long {
		t.Errorf("the gaps are %v", gaps)
	}
	if code := k.exited(2 * time.Minute); code != 1 {
		t.Errorf("exit code %d, want 1", code)
	}
}

func TestIntervals(t *testing.T) {
	for _, test := range []struct {
		base, fuzz float64
		want       time.Duration
	}{{10, 0.5, 5 * time.Second}, {10, 1.49, 15 * time.Second}, {60, 0.5, 30 * time.Second}, {60, 1.499, 90 * time.Second}} {
		if got := interval(test.base, test.fuzz); got != test.want {
			t.Errorf("%v*%v: got %s, want %s", test.base, test.fuzz, got, test.want)
		}
	}
}

func TestAllMastersAreTriedAtOnceThenTheKnownOne(t *testing.T) {
	k := newKit(t)
	other := k.w.ProbeIn(k.w.Env("M2", nil), "Master")
	k.start(Config{Masters: []rpcenv.Address{k.master.Env.Address(), other.Env.Address()}}, nil)
	if _, ok := other.Next().(*deploy.RegisterWorker); !ok {
		t.Error("the second Master was not asked")
	}
	k.accept(false)
	k.master.Send(k.worker, &deploy.ReconnectWorker{MasterUrl: k.url()})
	next[*deploy.RegisterWorker](k)
	other.Next()
	next[*deploy.RegisterWorker](k) // the retry
	other.Quiet(30 * time.Second)
}

// asMaster is a Master at an address, as Membership reports it.
func asMaster(at rpcenv.Address) membership.Member {
	return membership.Member{Name: at.String(), Role: membership.RoleMaster, RPC: at}
}

func TestAConfigThatIsNotValidEndsTheProcess(t *testing.T) {
	for _, cfg := range []Config{{Cores: 1, MemoryMB: 1}, {Masters: []rpcenv.Address{{Host: "h", Port: 1}}}} {
		if cfg.Validate() == nil {
			t.Errorf("%+v is valid", cfg)
		}
	}
	k := newKit(t)
	k.start(Config{Cores: -1}, nil)
	if code := k.exited(time.Second * 5); code != 1 {
		t.Errorf("exit code %d, want 1", code)
	}
}

// Spark's masterAddressToConnect: the Master's own word, unless the configured address is preferred.
func TestTheKnownMasterIsSoughtWhereItSaysOrWhereItWasConfigured(t *testing.T) {
	for _, prefer := range []string{"false", "true"} {
		k := newKit(t)
		said := k.w.ProbeIn(k.w.Env("M2", nil), "Master")
		k.start(Config{}, map[string]string{"spark.worker.preferConfiguredMasterAddress": prefer})
		next[*deploy.RegisterWorker](k)
		m := k.registered(false, 0)
		m.Master = said.Ref.Proto() // it is bound to an address that it calls otherwise
		k.master.Send(k.worker, m)
		said.Next() // WorkerLatestState
		k.master.Send(k.worker, &deploy.ReconnectWorker{MasterUrl: k.url()})
		next[*deploy.RegisterWorker](k) // all that are configured
		k.w.Advance(16 * time.Second)   // one retry, to the known one
		again, there := len(k.master.Waiting()) > 0, false
		for _, m := range said.Waiting() {
			_, register := m.(*deploy.RegisterWorker)
			there = there || register
		}
		if again != (prefer == "true") || there != (prefer == "false") {
			t.Errorf("prefer=%s: sought at the configured address %t, at its own %t", prefer, again, there)
		}
	}
}

func TestTheFuzzOfTheIntervalsIsDrawnOnce(t *testing.T) {
	seen := map[time.Duration]bool{}
	for seed := range uint64(8) {
		k := newSeededKit(t, seed+1)
		k.start(Config{}, nil)
		wait := func() time.Duration {
			next[*deploy.RegisterWorker](k)
			began := k.w.Now()
			next[*deploy.RegisterWorker](k)
			return k.w.Now().Sub(began).Round(time.Second)
		}
		first := wait()
		k.master.Send(k.worker, k.registered(false, 0))
		next[*deploy.WorkerLatestState](k)
		k.master.Send(k.worker, &deploy.ReconnectWorker{MasterUrl: k.url()})
		if again := wait(); first != again || first < 5*time.Second || first > 15*time.Second {
			t.Errorf("seed %d: %s, then %s", seed, first, again)
		}
		seen[first] = true
	}
	if len(seen) < 2 {
		t.Error("all Workers have the same interval")
	}
}
