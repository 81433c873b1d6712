package transport

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"sync/atomic"
	"testing"

	"github.com/coherer/coherer/rpcenv"
)

// windowOf is how many messages of a size are on their way in the benchmarks: at most 16 MiB.
func windowOf(size int) int64 { return min(4096, 16<<20/int64(size)) }

// counter is a Receiver that gives a place in the window back for each message.
type counter struct {
	got    atomic.Int64
	window int64
	moved  chan struct{}
}

func (c *counter) Receive(*rpcenv.Envelope) {
	if c.got.Add(1)%(c.window/2) == 0 {
		c.moved <- struct{}{}
	}
}
func (c *counter) Closed(error) {}

// BenchmarkLink sends one-way messages over a link; BenchmarkRaw the same bytes over a connection, in batches.
func BenchmarkLink(b *testing.B) {
	for _, size := range []int{100, 1024, 64 << 10} {
		for name, memory := range map[string]bool{"tcp": false, "memory": true} {
			b.Run(fmt.Sprintf("size=%d/%s", size, name), func(b *testing.B) {
				h := newHost(b, Options{Memory: memory})
				window := windowOf(size)
				c := &counter{window: window, moved: make(chan struct{}, 4)}
				at, closer, err := h.Listen(loopback, func(l rpcenv.Link) rpcenv.Receiver {
					l.Open()
					return c
				})
				if err != nil {
					b.Fatal(err)
				}
				defer func() { _ = closer.Close() }()
				l := dial(b, h, at)
				e := message(size)
				b.SetBytes(frameSize(size))
				b.ReportAllocs()
				sent := int64(0)
				for b.Loop() {
					l.Send(e)
					if sent++; sent%(window/2) == 0 && sent > window/2 {
						<-c.moved
					}
				}
				for sent%(window/2) != 0 {
					l.Send(e)
					sent++
				}
				for c.got.Load() < sent {
					<-c.moved
				}
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "msgs/s")
			})
		}
	}
}

func message(size int) *rpcenv.Envelope {
	return &rpcenv.Envelope{
		Kind: rpcenv.KindOneWay, Sender: rpcenv.Address{Host: "127.0.0.1", Port: 40000},
		Receiver: rpcenv.Address{Host: "127.0.0.1", Port: 7077}, Endpoint: "Master", Content: make([]byte, size),
	}
}

func frameSize(size int) int64 {
	n, _ := envelopeSize(message(size))
	return int64(n)
}

func BenchmarkRaw(b *testing.B) {
	for _, size := range []int{100, 1024, 64 << 10} {
		b.Run(fmt.Sprintf("size=%d", size), func(b *testing.B) {
			ln, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				b.Fatal(err)
			}
			defer func() { _ = ln.Close() }()
			received := make(chan int64, 1)
			go func() {
				conn, err := ln.Accept()
				if err != nil {
					received <- 0
					return
				}
				n, _ := io.CopyBuffer(struct{ io.Writer }{io.Discard}, struct{ io.Reader }{conn}, make([]byte, 64<<10))
				_ = conn.Close()
				received <- n
			}()
			conn, err := net.Dial("tcp", ln.Addr().String())
			if err != nil {
				b.Fatal(err)
			}
			frame, _ := AppendEnvelope(nil, message(size))
			out := bufio.NewWriterSize(conn, 64<<10)
			b.SetBytes(int64(len(frame)))
			sent := int64(0)
			for b.Loop() {
				_, _ = out.Write(frame)
				sent += int64(len(frame))
			}
			_ = out.Flush()
			_ = conn.Close()
			if got := <-received; got != sent {
				b.Fatalf("%d of %d bytes came", got, sent)
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "msgs/s")
		})
	}
}
