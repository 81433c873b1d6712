package fair

import (
	"runtime"
	"testing"
	"time"
)

// 10,000 nodes that each say something every second, with 40 containers each: what the books take.
func TestTenThousandNodes(t *testing.T) {
	if testing.Short() {
		t.Skip("it is large")
	}
	x := shape{nodes: 10_000, apps: 1000, queues: 100, conf: func(c *Config) { c.AssignMultiple, c.DynamicMaxAssign = true, false }}
	r := newRig(t, x)
	r.ask(x, 400)
	r.Update(r.now)
	for range 10 {
		for _, id := range r.nodeIDs {
			events, err := r.NodeUpdate(r.now, id, nil, nil)
			r.must(err)
			r.given += len(events)
		}
		r.now += time.Second
		r.Update(r.now)
	}
	if r.given != 400_000 {
		t.Fatalf("%d containers were given, want 400,000", r.given)
	}
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	t.Logf("10,000 nodes, 1,000 applications, 400,000 containers: %d MiB in use, %d MiB from the system", m.HeapAlloc>>20, m.Sys>>20)
	if m.Sys > 2<<30 {
		t.Errorf("%d MiB, want at most 2 GiB", m.Sys>>20)
	}
	runtime.KeepAlive(r)
}
