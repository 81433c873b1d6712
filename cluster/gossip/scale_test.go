package gossip_test

import (
	"flag"
	"fmt"
	"io"
	"log"
	"runtime/debug"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/hashicorp/memberlist"

	"github.com/coherer/coherer/cluster/gossip"
)

var (
	membersFlag = flag.Int("members", 20, "BenchmarkRing makes a ring of so many members")
	windowFlag  = flag.Duration("window", 2*time.Second, "BenchmarkRing measures traffic for so long, and lets a member of a busy machine crash after it")
)

// paces are how quick the members of a ring are: as ours, and by memberlist's own settings for a local network.
var paces = []struct {
	name string
	pace func() *memberlist.Config
}{{"coherer", gossip.Pace}, {"memberlist-LAN", memberlist.DefaultLANConfig}}

// BenchmarkRing makes a ring of real members on loopback, all by the address of the first, in this process. It measures the time until all
// know all (join-ms), and until nobody passes the news of that on any more (settled-ms); what a member sends while nothing happens (packets/s
// and B/s, in packets and in streams), and which part of a core it takes (%-core); the time until all know of a crash (crash-ms). Then processes
// that only compute, two for each core, take the machine, and another member crashes (busy-crash-ms). Until all know of that, it counts how many
// suspicions of members that live there are a minute (suspicions/min), and how often somebody gives up such a member (failures/min: a hint,
// which removes nobody who answers).
func BenchmarkRing(b *testing.B) {
	// Two sockets each, and as many streams as they open at a time. The go runtime has raised the limit as far as it may.
	var files syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files); err != nil || files.Cur < uint64(4**membersFlag) {
		b.Skipf("a process may have %d files open, which is too few for %d members (%v)", files.Cur, *membersFlag, err)
	}
	// memberlist reads each packet into 64 KiB of its own. As garbage of many members in one process, these took a quarter of two cores.
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	for _, p := range paces {
		b.Run(fmt.Sprintf("pace=%s/members=%d", p.name, *membersFlag), func(b *testing.B) {
			for b.Loop() {
				r := newCrowd(b, p.pace)
				b.ReportMetric(ms(r.join(*membersFlag)), "join-ms")
				b.ReportMetric(ms(r.settle()), "settled-ms")
				r.measureIdle(*windowFlag)
				b.ReportMetric(ms(r.crash()), "crash-ms")
				if suspicions, failures := r.errors(); suspicions > 0 || failures > 0 {
					b.Logf("before the machine was busy: %d suspicions, %d failures", suspicions, failures)
				}
				idle := busy(b)
				r.measureBusy(*windowFlag)
				idle()
				r.end()
			}
		})
	}
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// crowd is many members of one ring in this process, and what they have heard of each other.
type crowd struct {
	b       *testing.B
	pace    func() *memberlist.Config
	traffic traffic
	members []*gossip.Member

	mu         sync.Mutex
	change     *sync.Cond
	knows      []map[string]bool // the others that each member knows, by name
	crashed    map[string]bool
	suspicions int // of members that had not crashed, one for each accuser
	failures   int // of such, one for each member that gave it up
}

func newCrowd(b *testing.B, pace func() *memberlist.Config) *crowd {
	r := &crowd{b: b, pace: pace, crashed: map[string]bool{}}
	r.change = sync.NewCond(&r.mu)
	b.Cleanup(r.end)
	return r
}

// join starts n members, at most eight at a time, and waits until all know all.
func (r *crowd) join(n int) time.Duration {
	began := time.Now()
	r.knows, r.members = make([]map[string]bool, n), make([]*gossip.Member, n)
	for i := range n {
		r.knows[i] = map[string]bool{}
	}
	r.start(0)
	var wg sync.WaitGroup
	slots := make(chan struct{}, 8)
	for i := 1; i < n; i++ {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			r.start(i)
		})
	}
	wg.Wait()
	if r.b.Failed() {
		r.b.FailNow()
	}
	r.until("know all", func(i int) bool { return len(r.knows[i]) == n-1 })
	return time.Since(began)
}

func (r *crowd) start(i int) {
	c := config("worker", i+1)
	c.Patient = true // the first one may be too busy to answer in time
	if i > 0 {
		c.Join = []string{r.members[0].Addr().String()}
	}
	c.OnChange = func(e gossip.Event) { r.hear(i, c.Meta.RPC.String(), e) }
	c.Adjust(func(s *memberlist.Config) {
		p := r.pace()
		p.Name, p.Label, p.BindAddr, p.BindPort, p.AdvertisePort = s.Name, s.Label, s.BindAddr, s.BindPort, s.AdvertisePort
		p.LogOutput, p.Transport = s.LogOutput, r.traffic.transport(r.b, s.BindAddr)
		*s = *p
	})
	m, err := gossip.Join(r.b.Context(), c)
	if err != nil {
		r.b.Error(err)
		return
	}
	r.members[i] = m
}

// hear counts what the member i, whose RPC is at self, hears.
func (r *crowd) hear(i int, self string, e gossip.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	defer r.change.Broadcast()
	switch e.Kind {
	case gossip.MemberJoined:
		r.knows[i][e.Info.Name] = true
	case gossip.MemberLeft, gossip.MemberFailed:
		delete(r.knows[i], e.Info.Name)
		if !r.crashed[e.Info.Name] {
			r.failures++
		}
	case gossip.MemberSuspected:
		// All hear of an accusation; its accuser counts it.
		if !r.crashed[e.Info.Name] && e.By == fmt.Sprintf("%s/%016x", self, 1) {
			r.suspicions++
		}
	}
}

// patience bounds each wait of a crowd.
const patience = 3 * time.Minute

// until waits until something is so of all members that have not crashed.
func (r *crowd) until(what string, ok func(i int) bool) {
	r.b.Helper()
	defer time.AfterFunc(patience, r.change.Broadcast).Stop()
	began := time.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	for {
		missing := 0
		for i, m := range r.members {
			if !r.crashed[m.Name()] && !ok(i) {
				missing++
			}
		}
		if missing == 0 {
			return
		}
		if time.Since(began) >= patience {
			r.b.Fatalf("%d members do not %s after %s; %d suspicions, %d failures", missing, what, patience, r.suspicions, r.failures)
		}
		r.change.Wait()
	}
}

// crash ends a member without a goodbye, and waits until no other knows it.
func (r *crowd) crash() time.Duration {
	r.mu.Lock()
	victim := r.members[len(r.members)-1-len(r.crashed)]
	r.crashed[victim.Name()] = true
	r.mu.Unlock()
	began := time.Now()
	victim.Close()
	r.until("know of the crash", func(i int) bool { return !r.knows[i][victim.Name()] })
	return time.Since(began)
}

// settle waits until the members send only probes and the answers to them, to within a tenth: all news are told. memberlist does not report
// that its queue is empty, so this looks each second.
func (r *crowd) settle() time.Duration {
	began, least := time.Now(), 2.2*float64(len(r.members))/r.pace().ProbeInterval.Seconds()
	for packets := r.traffic.packets.Load(); ; {
		<-time.After(time.Second)
		now := r.traffic.packets.Load()
		if float64(now-packets) <= least {
			return time.Since(began)
		}
		if time.Since(began) >= patience {
			suspicions, failures := r.errors()
			r.b.Fatalf("there are news after %s; %d suspicions, %d failures", patience, suspicions, failures)
		}
		packets = now
	}
}

// measureIdle reports what a member sends and computes in a window.
func (r *crowd) measureIdle(window time.Duration) {
	packets, bytes, used := r.traffic.packets.Load(), r.traffic.bytes.Load(), cpu(r.b)
	<-time.After(window)
	per := float64(len(r.members)) * window.Seconds()
	r.b.ReportMetric(float64(r.traffic.packets.Load()-packets)/per, "packets/s")
	r.b.ReportMetric(float64(r.traffic.bytes.Load()-bytes)/per, "B/s")
	r.b.ReportMetric(100*(cpu(r.b)-used).Seconds()/per, "%-core")
}

// measureBusy lets a member crash after a window, and reports the suspicions and the failures of all that time.
func (r *crowd) measureBusy(window time.Duration) {
	suspicions, failures := r.errors()
	began := time.Now()
	<-time.After(window)
	r.b.ReportMetric(ms(r.crash()), "busy-crash-ms")
	suspected, failed := r.errors()
	minutes := time.Since(began).Minutes()
	r.b.ReportMetric(float64(suspected-suspicions)/minutes, "suspicions/min")
	r.b.ReportMetric(float64(failed-failures)/minutes, "failures/min")
}

// errors are the suspicions and the failures so far.
func (r *crowd) errors() (suspicions, failures int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.suspicions, r.failures
}

// end ends all members. It may be called twice.
func (r *crowd) end() {
	r.mu.Lock()
	for _, m := range r.members {
		if m != nil {
			r.crashed[m.Name()] = true // what the others hear from now on counts no more
		}
	}
	r.mu.Unlock()
	var wg sync.WaitGroup
	for _, m := range r.members {
		if m != nil {
			wg.Go(m.Close)
		}
	}
	wg.Wait()
}

// cpu is what this process has used of the processors.
func cpu(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// quiet is a logger for what memberlist says of a transport.
var quiet = log.New(io.Discard, "", 0)
