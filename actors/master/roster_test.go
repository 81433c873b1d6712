package master

import (
	"fmt"
	"strings"
	"testing"
	"time"

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
		for life := range 2 {
			for i := range n {
				if i%workersPerPeer == 0 {
					w.Probe(fmt.Sprintf("P%d.%d", life, i))
				}
				p := w.Probes()[len(w.Probes())-1]
				registerAs(p, ref, fmt.Sprintf("w%d.%d", life, i), i)
			}
			w.Settle()
			seen := m.workers.seen
			if seen != 0 {
				t.Errorf("%d workers, life %d: %d were looked at", n, life, seen)
			}
			if alive := len(m.idToWorker); alive != n {
				t.Fatalf("%d workers of %d", alive, n)
			}
			w.Advance(150 * time.Second) // they are silent, and die at one time
			if looks := m.workers.seen / n; looks > 15 {
				t.Errorf("%d workers: each was looked at %d times when all died", n, looks)
			}
			m.workers.seen = 0
		}
	}
}

// A peer registers so many Workers and no more: it is told why, the log has it once, others register between, and it may
// again when its Workers are gone.
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
