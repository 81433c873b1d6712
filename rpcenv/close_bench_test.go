package rpcenv_test

import (
	"fmt"
	"testing"

	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/transport"
)

// BenchmarkClose closes an Env of endpoints that do nothing. The time must grow as their number does.
func BenchmarkClose(b *testing.B) {
	for _, n := range []int{25_000, 50_000, 100_000, 200_000} {
		b.Run(fmt.Sprint("endpoints=", n), func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				h := transport.New(transport.Options{Memory: true})
				e, err := rpcenv.New(h, rpcenv.Config{Name: "E"})
				if err != nil {
					b.Fatal(err)
				}
				started := make(chan struct{}, n)
				for i := range n {
					if _, err := e.Register(fmt.Sprint("E", i), idle{started}); err != nil {
						b.Fatal(err)
					}
				}
				for range n {
					<-started
				}
				b.StartTimer()
				e.Close()
				b.StopTimer()
				if err := h.Close(); err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
			}
		})
	}
}
