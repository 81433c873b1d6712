package local_test

import (
	"fmt"
	"testing"

	"github.com/coherer/coherer/cluster/local"
)

// BenchmarkRegister is a Master and its Workers in a World, from nothing until all are registered, and their end.
func BenchmarkRegister(b *testing.B) {
	for _, n := range []int{1_000, 2_000, 5_000, 10_000} {
		b.Run(fmt.Sprint("workers=", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				local.Start(b, local.Config{Workers: n, Seed: 1})
			}
		})
	}
}
