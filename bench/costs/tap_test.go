package costs

import (
	"encoding/binary"
	"io"
	"net"
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/coherer/coherer/rpcenv"
)

// tap stands between a dialler and a listener, and keeps the frames of the one connection that goes through it.
type tap struct {
	address rpcenv.Address

	mu     sync.Mutex
	frames [2][][]byte // from the dialler, from the listener
}

// newTap listens for one connection, which it passes on to an Env.
func newTap(tb testing.TB, to rpcenv.Address) *tap {
	tb.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	x := &tap{address: rpcenv.Address{Host: "127.0.0.1", Port: l.Addr().(*net.TCPAddr).Port}}
	var running sync.WaitGroup
	ends := make(chan net.Conn, 2)
	running.Go(func() {
		defer close(ends)
		near, err := l.Accept()
		if err != nil {
			return // closed before anybody came
		}
		ends <- near
		far, err := net.Dial("tcp", net.JoinHostPort(to.Host, strconv.Itoa(to.Port)))
		if err != nil {
			tb.Error(err)
			return
		}
		ends <- far
		running.Go(func() { x.pass(far, near, 0) })
		running.Go(func() { x.pass(near, far, 1) })
	})
	tb.Cleanup(func() {
		_ = l.Close()
		for c := range ends {
			_ = c.Close()
		}
		running.Wait()
	})
	return x
}

// pass hands frames over until one side ends. A frame is kept before its receiver can have it.
func (x *tap) pass(to, from net.Conn, direction int) {
	defer func() { _, _ = to.Close(), from.Close() }()
	for {
		frame := make([]byte, 8)
		if _, err := io.ReadFull(from, frame); err != nil {
			return
		}
		n := int(binary.BigEndian.Uint64(frame))
		frame = slices.Grow(frame, n-8)[:n]
		if _, err := io.ReadFull(from, frame[8:]); err != nil {
			return
		}
		x.mu.Lock()
		x.frames[direction] = append(x.frames[direction], frame)
		x.mu.Unlock()
		if _, err := to.Write(frame); err != nil {
			return
		}
	}
}

// seen takes the frames since the last call.
func (x *tap) seen() (fromDialler, fromListener [][]byte) {
	x.mu.Lock()
	defer x.mu.Unlock()
	f := x.frames
	x.frames = [2][][]byte{}
	return f[0], f[1]
}
