package swim_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/hashicorp/memberlist"

	"github.com/coherer/coherer/actors/membership"
	"github.com/coherer/coherer/cluster/gossip"
	"github.com/coherer/coherer/cluster/gossip/swim"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/sim"
)

// BenchmarkMembers lets a cluster come up, all at once and by one member's address; then one crashes; then a packet of a hundred is lost for
// a minute. Its times are virtual, but that of the operation: what all of it takes here. suspicions and failures are those of members that
// were there, of all that are heard of in that minute.
func BenchmarkMembers(b *testing.B) {
	for _, pace := range []struct {
		name string
		cfg  *memberlist.Config
	}{{"ours", gossip.Pace()}, {"memberlist", memberlist.DefaultLANConfig()}} {
		for _, n := range []int{20, 200, 2000} {
			b.Run(fmt.Sprintf("pace=%s/members=%d", pace.name, n), func(b *testing.B) {
				for b.Loop() {
					members(b, n, pace.cfg)
				}
			})
		}
	}
}

func members(b *testing.B, n int, cfg *memberlist.Config) {
	w := sim.NewWith(1, nil)
	defer w.Close()
	ring := swim.New(w, cfg)
	suspicions, failures := 0, 0
	var all []*swim.Member
	var hosts []*sim.Host
	for i := range n {
		h := w.Host(fmt.Sprintf("N%d", i), ip(i))
		m := ring.Join(h, membership.Member{Name: h.Name(), Role: "worker", RPC: rpcenv.Address{Host: h.IP(), Port: 7000}})
		if i > 0 {
			m.Meet(all[0].At())
		}
		m.Watch(func(news rpcenv.Message) {
			switch news.(type) {
			case membership.MemberSuspected:
				suspicions++
			case membership.MemberFailed:
				failures++
			}
		})
		all, hosts = append(all, m), append(hosts, h)
	}
	seconds := func(what string, within time.Duration, present int) {
		from := w.Now()
		for ok := false; !ok; {
			w.Advance(20 * time.Millisecond)
			ok = true
			for i, m := range all {
				if _, dead := hosts[i].Exited(); !dead && m.Present() != present {
					ok = false
					break
				}
			}
			if w.Now().Sub(from) > within {
				b.Fatalf("not within %s", within)
			}
		}
		b.ReportMetric(w.Now().Sub(from).Seconds(), what)
	}
	seconds("s-all-known", 10*time.Minute, n)
	w.Advance(3 * time.Minute) // what they have to tell of all that came
	hosts[n/2].Kill()
	seconds("s-crash-known", 10*time.Minute, n-1)
	w.Lose("*", "*", 0.01)
	suspicions, failures = 0, 0
	w.Advance(time.Minute)
	b.ReportMetric(float64(suspicions), "suspicions")
	b.ReportMetric(float64(failures), "failures")
}
