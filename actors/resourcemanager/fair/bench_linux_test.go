package fair

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/coherer/coherer/actors/ids"
)

// shape is a cluster and its load.
type shape struct {
	nodes, apps, queues int
	locality            bool // each application asks near three nodes of its own
	each                int  // containers a node, in all; 0 is 64
	conf                func(*Config)
}

func (x shape) String() string {
	name := fmt.Sprintf("nodes=%d/apps=%d/queues=%d", x.nodes, x.apps, x.queues)
	if x.locality {
		name += "/locality"
	}
	return name
}

// threadTime is what this thread has used until now.
func threadTime(tb testing.TB) time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_THREAD, &u); err != nil {
		tb.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// rig drives one scheduler without any RPC.
type rig struct {
	*Scheduler
	tb       testing.TB
	now      time.Duration
	nodeIDs  []string
	attempts []ids.Attempt
	updated  time.Duration
	took     []time.Duration // node updates
	given    int
}

const nodeMemory, nodeCores, rackSize = 131072, 128, 40

// epoch is when the ResourceManager of a rig began, in ms since 1970.
const epoch = 1767225600000

func newRig(tb testing.TB, x shape) *rig {
	conf := DefaultConfig()
	conf.Faults = Upstream()
	if x.conf != nil {
		x.conf(&conf)
	}
	var file strings.Builder
	file.WriteString("<allocations>")
	for q := range x.queues {
		fmt.Fprintf(&file, "<queue name=\"q%d\"/>", q)
	}
	file.WriteString("</allocations>")
	allocations, err := parseAllocations([]byte(file.String()), Options{Faults: conf.Faults, AllowUndeclared: true, UserAsDefaultQueue: true})
	if err != nil {
		tb.Fatal(err)
	}
	r := &rig{tb: tb, now: time.Second}
	if r.Scheduler, err = New(r.now, conf, allocations); err != nil {
		tb.Fatal(err)
	}
	for n := range x.nodes {
		host := fmt.Sprintf("host%d", n)
		r.nodeIDs = append(r.nodeIDs, host+":8041")
		r.must(r.AddNode(r.now, NodeSpec{host + ":8041", host, fmt.Sprintf("/rack%d", n/rackSize), Resource{nodeMemory, nodeCores}}))
	}
	for a := range x.apps {
		id := ids.Attempt{App: ids.Application{Timestamp: epoch, ID: int32(a + 1)}, Attempt: 1}
		if _, err := r.AddApp(r.now, id.App, Submission{User: "u", Queue: fmt.Sprintf("root.q%d", a%x.queues)}); err != nil {
			tb.Fatal(err)
		}
		if _, err := r.AddAttempt(r.now, AttemptSpec{ID: id, Unmanaged: true}); err != nil {
			tb.Fatal(err)
		}
		r.attempts = append(r.attempts, id)
	}
	return r
}

func (r *rig) must(err error) {
	if err != nil {
		r.tb.Fatal(err)
	}
}

// asks are for count containers of 1024 MiB and a core.
func (r *rig) asks(x shape, app, count int) []Ask {
	one := Resource{1024, 1}
	all := []Ask{{Key{1, 0}, Any, one, int64(count), true}}
	if x.locality {
		racks := map[string]int64{}
		for i := range 3 {
			n := (app*7919 + i*104729) % x.nodes
			all = append(all, Ask{Key{1, 0}, fmt.Sprintf("host%d", n), one, int64(count+2) / 3, true})
			racks[fmt.Sprintf("/rack%d", n/rackSize)] += int64(count+2) / 3
		}
		for i := range 3 {
			n := (app*7919 + i*104729) % x.nodes
			if rack := fmt.Sprintf("/rack%d", n/rackSize); racks[rack] > 0 {
				all = append(all, Ask{Key{1, 0}, rack, one, racks[rack], true})
				delete(racks, rack)
			}
		}
	}
	return all
}

func (r *rig) ask(x shape, count int) {
	for i, id := range r.attempts {
		if _, err := r.Allocate(r.now, id, Demand{Asks: r.asks(x, i, count)}); err != nil {
			r.tb.Fatal(err)
		}
	}
}

// update is the update of each 500 ms of the time that is spent.
func (r *rig) update(spent time.Duration) {
	if spent >= r.updated {
		r.Update(r.now)
		r.updated = spent + 500*time.Millisecond
	}
}

// heartbeats is one update of every node; it tells what was given.
func (r *rig) heartbeats(begun time.Time, each func([]Event)) {
	for _, id := range r.nodeIDs {
		before := time.Now()
		r.update(before.Sub(begun))
		r.now += 20 * time.Microsecond
		events, err := r.NodeUpdate(r.now, id, nil, nil)
		if err != nil {
			r.tb.Fatal(err)
		}
		r.took = append(r.took, time.Since(before))
		r.given += len(events)
		if each != nil {
			each(events)
		}
	}
}

// report prints rates by the processor time of this thread, which is the scheduler's, and quantiles by the clock.
func (r *rig) report(b *testing.B, what string, n int, spent time.Duration) {
	b.ReportMetric(float64(n)/spent.Seconds(), what+"/cpu-s")
	slices.Sort(r.took)
	if len(r.took) > 0 {
		b.ReportMetric(float64(r.took[len(r.took)/2].Nanoseconds())/1000, "p50-us")
		b.ReportMetric(float64(r.took[len(r.took)*99/100].Nanoseconds())/1000, "p99-us")
	}
}

// BenchmarkFill is the shape fill of Hadoop's own figures: every application asks before the clock starts, containers never
// end, and the cluster ends half full.
func BenchmarkFill(b *testing.B) {
	multiple := func(c *Config) { c.AssignMultiple = true }
	continuous := func(c *Config) { c.Continuous = true }
	for _, m := range []struct {
		mode string
		conf func(*Config)
	}{{"heartbeat", nil}, {"multiple", multiple}, {"continuous", continuous}} {
		for _, x := range []shape{
			{nodes: 100, apps: 100, queues: 10},
			{nodes: 1000, apps: 500, queues: 10},
			{nodes: 5000, apps: 1000, queues: 10, each: 16},
			{nodes: 5000, apps: 1000, queues: 100, each: 16, locality: true},
			{nodes: 5000, apps: 1000, queues: 1, each: 16, locality: true},
		} {
			x.conf = m.conf
			b.Run(m.mode+"/"+x.String(), func(b *testing.B) { benchFill(b, x, m.mode == "continuous") })
		}
	}
}

func benchFill(b *testing.B, x shape, continuous bool) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	each := x.each
	if each == 0 {
		each = 64
	}
	var spent time.Duration
	given := 0
	var last *rig
	for b.Loop() {
		b.StopTimer()
		r := newRig(b, x)
		r.ask(x, x.nodes*each/x.apps)
		r.Update(r.now)
		runtime.GC()
		begun, before := time.Now(), threadTime(b)
		b.StartTimer()
		for want := x.nodes * each / x.apps * x.apps; r.given < want; {
			had := r.given
			if continuous {
				r.update(time.Since(begun))
				r.given += len(r.ContinuousPass(r.now))
			} else {
				r.heartbeats(begun, nil)
			}
			if r.given == had {
				b.Fatalf("%d of %d containers, and no more", r.given, want)
			}
		}
		spent += threadTime(b) - before
		given += r.given
		last = r
	}
	last.report(b, "allocations", given, spent)
}

// BenchmarkIdle is node updates when nobody wants anything, and when everybody wants what fits nowhere.
func BenchmarkIdle(b *testing.B) {
	for _, full := range []bool{false, true} {
		x := shape{nodes: 1000, apps: 500, queues: 10}
		b.Run(fmt.Sprintf("%s/wanting=%v", x, full), func(b *testing.B) {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			r := newRig(b, x)
			if full {
				for i := range r.attempts {
					_, err := r.Allocate(r.now, r.attempts[i], Demand{Asks: []Ask{{Key{1, 0}, Any, Resource{1024, 4}, 1000, true}}})
					r.must(err)
				}
				for r.Update(r.now); ; {
					had := r.given
					r.heartbeats(time.Now(), nil)
					if r.given == had {
						break
					}
				}
			}
			r.took = nil
			begun, before, n := time.Now(), threadTime(b), 0
			for b.Loop() {
				r.heartbeats(begun, nil)
				n += x.nodes
			}
			r.report(b, "updates", n, threadTime(b)-before)
		})
	}
}

// BenchmarkUpdate is the computing of all demands and shares.
func BenchmarkUpdate(b *testing.B) {
	for _, x := range []shape{{nodes: 10, apps: 500, queues: 10}, {nodes: 10, apps: 1000, queues: 100}, {nodes: 10, apps: 1000, queues: 1000}} {
		b.Run(x.String(), func(b *testing.B) {
			r := newRig(b, x)
			r.ask(x, 100)
			b.ReportAllocs()
			for b.Loop() {
				r.Update(r.now)
			}
		})
	}
}

// BenchmarkPreempt is the choosing of victims when half of the applications have everything and the other half nothing.
func BenchmarkPreempt(b *testing.B) {
	x := shape{nodes: 1000, apps: 200, queues: 10, conf: func(c *Config) {
		c.Faults, c.Preemption, c.AssignMultiple, c.DynamicMaxAssign = Faults{}, true, true, false
	}}
	for b.Loop() {
		b.StopTimer()
		r := newRig(b, x)
		for _, q := range r.leaves {
			q.set.FairSharePreemptionTimeout = time.Second
		}
		for _, half := range [][]ids.Attempt{r.attempts[:x.apps/2], r.attempts[x.apps/2:]} {
			for _, id := range half {
				_, err := r.Allocate(r.now, id, Demand{Asks: []Ask{{Key{1, 0}, Any, Resource{1024, 1}, 2000, true}}})
				r.must(err)
			}
			r.Update(r.now)
			r.heartbeats(time.Now(), nil)
		}
		r.now += time.Minute
		r.Update(r.now)
		b.StartTimer()
		marked := len(r.Preempt(r.now))
		b.ReportMetric(float64(marked), "marked")
		if marked == 0 {
			b.Fatal("nothing was marked")
		}
	}
}
