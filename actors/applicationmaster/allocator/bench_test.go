package allocator_test

import (
	"fmt"
	"testing"

	"github.com/coherer/coherer/actors/applicationmaster/allocator"
)

// BenchmarkRound asks for many containers, takes a thousand of them, and wants none any more.
func BenchmarkRound(b *testing.B) {
	for _, pending := range []int{1000, 10000, 100000} {
		b.Run(fmt.Sprintf("pending=%d", pending), func(b *testing.B) {
			b.ReportAllocs()
			containers := make([]allocator.Container, 1000)
			for i := range containers {
				containers[i] = given(fmt.Sprint("c", i), "h7")
			}
			for b.Loop() {
				a := newAllocator(pending)
				a.Update()
				launches, _ := a.Allocated(containers)
				left := a.Pending()
				a.RequestTotal(nil, nil, began)
				a.Update()
				if len(launches) != 1000 || left != pending-1000 || a.Pending() != 0 {
					b.Fatal(len(launches), left, a.Pending())
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/float64(2*pending+1000), "µs/request")
		})
	}
}
