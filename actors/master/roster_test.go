package master

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

// crowded is a Master with an application that no Worker can serve.
func crowded(t *testing.T) (*rpctest.World, *Master, rpcenv.Ref) {
	t.Helper()
	w, m := rpctest.New(t, 1), New(Config{})
	ref := w.Register(w.Env("M", nil), Name, m)
	driver := w.Probe("D")
	driver.Send(ref, &deploy.RegisterApplication{
		Driver: driver.Ref.Proto(), AppDescription: &deploy.ApplicationDescription{Name: "large", MemoryPerExecutorMb: 1 << 20},
	})
	w.Settle()
	return w, m, ref
}

// registerAs has a peer register Worker number n, which listens at a port of its own.
func registerAs(p *rpctest.Probe, to rpcenv.Ref, id string, n int) {
	at := rpcenv.Address{Host: p.Ref.Address.Host, Port: 20000 + n}
	p.Send(to, &deploy.RegisterWorker{
		Id: id, Host: at.Host, Port: int32(at.Port), Cores: 1, Memory: 1024, Worker: rpcenv.Ref{Address: at, Name: p.Ref.Name}.Proto(),
	})
}

// Whether 100 Workers come or 2,000, while an application waits that none of them can serve, go and come again at the same
// places: no registration, and no loss of a Worker, looks at the others.
func TestARegistrationLooksAtNoOtherWorker(t *testing.T) {
	for _, n := range []int{100, 2000} {
		w, m, ref := crowded(t)
		m.workers.seen = 0
		var peers []*rpctest.Probe
		for life := range 2 {
			for i := range n {
				if peer := i / workersPerPeer; peer == len(peers) {
					peers = append(peers, w.Probe(fmt.Sprint("P", peer)))
				}
				registerAs(peers[i/workersPerPeer], ref, fmt.Sprintf("w%d.%d", life, i), i)
			}
			w.Settle()
			seen := m.workers.seen
			if seen != 0 {
				t.Errorf("%d workers, life %d: %d were looked at", n, life, seen)
			}
			if n := len(m.workers.dead); n != 0 {
				t.Errorf("%d dead workers are kept at whose place another one is", n)
			}
			if alive := len(m.idToWorker); alive != n {
				t.Fatalf("%d workers of %d", alive, n)
			}
			w.Advance(150 * time.Second) // they are silent, and die at one time
			if looks := m.workers.seen / n; looks < 1 || looks > 15 {
				t.Errorf("%d workers: each was looked at %d times when all died", n, looks)
			}
			if len(m.workers.by) != 0 {
				t.Errorf("%d peers are remembered that have no workers", len(m.workers.by))
			}
			m.workers.seen = 0
		}
	}
}

// An application that wants nothing costs nothing: its registration looks at no Worker, nor does that of a Worker that it could have.
func TestWhoWantsNothingLooksAtNoWorker(t *testing.T) {
	w, m := rpctest.New(t, 1), New(Config{})
	ref := w.Register(w.Env("M", nil), Name, m)
	crowd, m2, ref2 := crowded(t)
	for _, x := range []struct {
		*rpctest.World
		m     *Master
		ref   rpcenv.Ref
		looks bool // the registration looks for the other application
	}{{w, m, ref, false}, {crowd, m2, ref2, true}} {
		p, sated := x.Probe("P"), x.Probe("S")
		registerAs(p, x.ref, "w0", 0)
		x.Settle()
		x.m.workers.seen = 0
		sated.Send(x.ref, &deploy.RegisterApplication{Driver: sated.Ref.Proto(), AppDescription: &deploy.ApplicationDescription{
			Name: "sated", MemoryPerExecutorMb: 1, InitialExecutorLimit: proto.Int32(0),
		}})
		x.Settle()
		if seen := x.m.workers.seen; (seen > 0) != x.looks {
			t.Errorf("the registration looked at %d workers", seen)
		}
		x.m.workers.seen = 0
		registerAs(p, x.ref, "w1", 1)
		x.Settle()
		if len(x.m.idToWorker) != 2 || x.m.workers.seen != 0 {
			t.Errorf("of %d workers %d were looked at", len(x.m.idToWorker), x.m.workers.seen)
		}
	}
}

// Nor does the loss of one that had nothing.
func TestTheLossOfAnIdleWorkerLooksAtNoOther(t *testing.T) {
	w, m, ref := crowded(t)
	idle := w.Probe("I")
	idle.Send(ref, &deploy.RegisterWorker{
		Id: "idle", Host: "h", Port: 1, Cores: 1, Memory: 1024, Worker: idle.Ref.Proto(),
	})
	registerAs(w.Probe("O"), ref, "other", 1)
	w.Settle()
	m.workers.seen = 0
	idle.Crash()
	if m.idToWorker["idle"] != nil || m.workers.seen != 0 {
		t.Errorf("%d workers were looked at", m.workers.seen)
	}
}

// Of two Workers that said that they listen at one place, and are dead, the younger one is shown.
func TestOfTheDeadAtOnePlaceOneIsShown(t *testing.T) {
	w, m, ref := crowded(t)
	p := w.Probe("P")
	for n := range 2 {
		at := rpcenv.Address{Host: p.Ref.Address.Host, Port: 20000 + n}
		p.Send(ref, &deploy.RegisterWorker{
			Id: fmt.Sprint("w", n), Host: "h", Port: 1, Cores: 1, Memory: 1024, Worker: rpcenv.Ref{Address: at, Name: "Worker"}.Proto(),
		})
	}
	w.Settle()
	if n := len(m.workers.all()); n != 2 {
		t.Fatalf("%d workers", n)
	}
	w.Advance(150 * time.Second)
	if all := m.workers.all(); len(all) != 1 || all[0].ID != "w1" {
		t.Errorf("%v", all)
	}
}

// A peer registers so many Workers and no more: the answer says why, the log has it once, others register between, and the
// peer may again when its Workers are gone.
func TestOnePeerRegistersNoCrowd(t *testing.T) {
	w, m, ref := crowded(t)
	flood, other := w.Probe("F"), w.Probe("O")
	for i := range 500 {
		registerAs(flood, ref, fmt.Sprint("flood", i), i)
		if i == 250 {
			registerAs(other, ref, "other", 1)
		}
	}
	w.Settle()
	if m.idToWorker["other"] == nil || len(m.idToWorker) != workersPerPeer+1 {
		t.Errorf("%d workers, the other one is %v", len(m.idToWorker), m.idToWorker["other"])
	}
	refused := 0
	for _, got := range flood.Waiting() {
		if f, ok := got.(*deploy.RegisterWorkerFailed); ok {
			refused++
			if want := flood.Ref.Address.String() + " has registered 16 workers, which is all that one peer may"; !strings.Contains(f.GetMessage(), want) {
				t.Fatalf("%q, want %q", f.GetMessage(), want)
			}
		}
	}
	if refused != 500-workersPerPeer {
		t.Errorf("%d were refused", refused)
	}
	registerAs(flood, ref, "flood3", 3) // one that is registered may say so again
	w.Settle()
	if n := len(flood.Waiting()); n != refused {
		t.Errorf("a repetition was refused: %v", flood.Waiting()[refused:])
	}
	w.Advance(150 * time.Second)
	registerAs(flood, ref, "again", 1)
	w.Settle()
	if m.idToWorker["again"] == nil {
		t.Error("the peer may not register again though all its workers are dead")
	}
}
