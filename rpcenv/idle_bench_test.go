package rpcenv_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/transport"
)

// BenchmarkIdleEndpoint registers endpoints that then do nothing, and says what of the heap each of them holds: its
// inbox, its actor and its places in tables.
func BenchmarkIdleEndpoint(b *testing.B) {
	const endpoints = 20_000
	for b.Loop() {
		h := transport.New(transport.Options{Memory: true})
		e, err := rpcenv.New(h, rpcenv.Config{Name: "E"})
		if err != nil {
			b.Fatal(err)
		}
		started := make(chan struct{}, endpoints+1)
		if _, err := e.Register("First", idle{started}); err != nil { // makes the process's ActorSystem
			b.Fatal(err)
		}
		<-started
		before := heap()
		for i := range endpoints {
			if _, err := e.Register(fmt.Sprint("E", i), idle{started}); err != nil {
				b.Fatal(err)
			}
		}
		for range endpoints {
			<-started
		}
		b.ReportMetric(float64(heap()-before)/endpoints, "B/endpoint")
		e.Close()
		if err := h.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

type idle struct{ started chan struct{} }

func (i idle) OnStart(*rpcenv.Context)                   { i.started <- struct{}{} }
func (idle) Receive(c *rpcenv.Context, m rpcenv.Message) { c.Unsupported(m) }

// heap is what is in use after two collections: the first one only empties the pools.
func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// BenchmarkIdleConnection makes connections over which nothing goes after the handshake, and reports the heap of each side.
func BenchmarkIdleConnection(b *testing.B) {
	const connections = 1000
	for b.Loop() {
		h := transport.New(transport.Options{})
		server, err := rpcenv.New(h, rpcenv.Config{Name: "Server", Listen: rpcenv.Address{Host: "127.0.0.1"}, Log: rpcenv.NoLog()})
		if err != nil {
			b.Fatal(err)
		}
		client, err := rpcenv.New(h, rpcenv.Config{Name: "Client", Log: rpcenv.NoLog()})
		if err != nil {
			b.Fatal(err)
		}
		before := heap()
		caller := client.Blocking(b.Context())
		for range connections {
			if err := client.DialWait(caller, server.Address()); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(heap()-before)/(2*connections), "B/side")
		caller.Close()
		client.Close()
		server.Close()
		if err := h.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
