package gossip_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/coherer/coherer/cluster/gossip"
)

// BenchmarkConvergence makes a cluster of members in one process, all by the address of the first, and measures until all
// know all (join-ms), then until all that are left know that one crashed (crash-ms).
func BenchmarkConvergence(b *testing.B) {
	for _, nodes := range []int{5, 50} {
		b.Run(fmt.Sprintf("nodes=%d", nodes), func(b *testing.B) {
			var joining, noticing time.Duration
			for b.Loop() {
				began := time.Now()
				members := make([]*gossip.Member, 0, nodes)
				for i := range nodes {
					c := config("worker", i+1)
					if i > 0 {
						c.Join = []string{members[0].Addr().String()}
					}
					m, err := gossip.Join(b.Context(), c)
					if err != nil {
						b.Fatal(err)
					}
					members = append(members, m)
				}
				know(b, members, nodes)
				joining += time.Since(began)
				members[nodes-1].Close()
				crashed := time.Now()
				know(b, members[:nodes-1], nodes-1)
				noticing += time.Since(crashed)
				for _, m := range members {
					m.Close()
				}
			}
			b.ReportMetric(float64(joining.Milliseconds())/float64(b.N), "join-ms")
			b.ReportMetric(float64(noticing.Milliseconds())/float64(b.N), "crash-ms")
		})
	}
}

func know(b *testing.B, members []*gossip.Member, n int) {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.Context(), time.Minute)
	defer cancel()
	for _, m := range members {
		if err := m.WaitFor(ctx, func(i []gossip.Info) bool { return len(i) == n }); err != nil {
			b.Fatal(err)
		}
	}
}
