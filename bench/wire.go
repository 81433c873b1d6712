package bench

import (
	"bufio"
	"net"
	"sync"

	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/rpcenv"
)

// bufferSize is how many bytes the reader buffers at most, as Coherer's does.
const bufferSize = 64 << 10

// floodRoom is how many bytes of a flood may wait for the connection: as many as Coherer's window.
const floodRoom = 4 << 20

// wire is one end of a connection. One goroutine reads, and appends to a batch; another one writes batches to the connection.
type wire struct {
	conn   net.Conn
	in     *bufio.Reader
	out    *framer // writes
	frames *framer // reads
	// room is how many bytes a batch may have before write waits; 0: it never does.
	room int

	mu      sync.Mutex
	batch   []byte
	err     error
	closed  bool
	taken   sync.Cond // the batch was taken, or err was set
	wake    chan struct{}
	written sync.WaitGroup
}

// newWire makes a wire to an endpoint of the peer; what comes is for one of this side.
func newWire(conn net.Conn, to, from string, inPlace bool) (*wire, error) {
	near, far := addressOf(conn.LocalAddr()), addressOf(conn.RemoteAddr())
	out, err := newFramer(near, far, to)
	if err != nil {
		return nil, err
	}
	frames, err := newFramer(far, near, from)
	if err != nil {
		return nil, err
	}
	frames.inPlace = inPlace
	w := &wire{conn: conn, in: bufio.NewReaderSize(conn, bufferSize), out: out, frames: frames, wake: make(chan struct{}, 1)}
	w.taken.L = &w.mu
	w.written.Go(w.drain)
	return w, nil
}

func addressOf(a net.Addr) rpcenv.Address {
	at := a.(*net.TCPAddr).AddrPort()
	return rpcenv.Address{Host: at.Addr().String(), Port: int(at.Port())}
}

func (w *wire) read(kind rpcenv.EnvelopeKind) (request int64, m *app.StatusUpdate, err error) {
	return w.frames.read(w.in, kind)
}

func (w *wire) write(kind rpcenv.EnvelopeKind, request int64, m *app.StatusUpdate) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.room > 0 && len(w.batch) >= w.room && w.err == nil {
		w.taken.Wait()
	}
	if w.err != nil {
		return w.err
	}
	if len(w.batch) == 0 {
		w.wake <- struct{}{} // never blocks: drain took the last wake-up before it emptied the batch
	}
	w.batch, w.err = w.out.append(w.batch, kind, request, m)
	return w.err
}

// drain writes batches until close.
func (w *wire) drain() {
	var batch []byte
	for range w.wake {
		w.mu.Lock()
		// The two buffers change places: one is filled while the other is written, and neither is allocated again.
		batch, w.batch = w.batch, batch[:0]
		w.taken.Broadcast()
		w.mu.Unlock()
		if _, err := w.conn.Write(batch); err != nil {
			w.fail(err)
		}
	}
}

func (w *wire) fail(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		w.err = err
	}
	w.taken.Broadcast()
}

// close ends the connection and waits for drain. It may be called again, and while write runs.
func (w *wire) close() {
	// The connection first: drain may be in a Write that only this ends.
	_ = w.conn.Close()
	w.fail(net.ErrClosed)
	w.mu.Lock()
	// Under mu and after err is set: no write wakes drain any more.
	if !w.closed {
		w.closed = true
		close(w.wake)
	}
	w.mu.Unlock()
	w.written.Wait()
}
