package bench

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/coherer/coherer/bench/endpoints"
	"github.com/coherer/coherer/bench/measure"
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/rpcenv"
)

// tcp is one connection between two processes with the frames that Coherer writes, protobuf at both ends and batched writes:
// what a message costs when there are no endpoints, inboxes, causes, time-outs and failures.
type tcp struct{}

func (tcp) Name() string    { return "raw-tcp" }
func (tcp) Version() string { return "" }

// bufferSize is that of the reader: that of Coherer's.
const bufferSize = 64 << 10

func (tcp) Cases() []measure.Case {
	return []measure.Case{measure.RemoteTell, measure.RemoteAsk}
}

func (tcp) Serve(spec *measure.Spec, sinks []*measure.Sink) (string, func(), error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	var serving sync.WaitGroup
	var mu sync.Mutex
	var open net.Conn
	serving.Go(func() {
		conn, err := ln.Accept()
		if err != nil {
			return // closed before a sender connected
		}
		mu.Lock()
		open = conn
		mu.Unlock()
		serve(conn, spec, sinks[0])
	})
	return ln.Addr().String(), func() {
		_ = ln.Close()
		mu.Lock()
		if open != nil {
			_ = open.Close()
		}
		mu.Unlock()
		serving.Wait()
	}, nil
}

// serve hands what comes to sink until the connection ends. The sender notices what is missing.
func serve(conn net.Conn, spec *measure.Spec, sink *measure.Sink) {
	w, err := newWire(conn, endpoints.SourceName, endpoints.SinkName)
	if err != nil {
		_ = conn.Close()
		return
	}
	defer w.close()
	kind, reply := rpcenv.KindOneWay, rpcenv.KindOneWay
	if spec.Case.Ask() {
		kind, reply = rpcenv.KindRequest, rpcenv.KindResponse
	}
	for {
		request, m, err := w.read(kind)
		if err != nil {
			return
		}
		if back := sink.Take(m); back != nil {
			if w.write(reply, request, back) != nil {
				return
			}
		}
	}
}

func (tcp) Run(ctx context.Context, t *measure.Trial) error {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", t.Address)
	if err != nil {
		return err
	}
	w, err := newWire(conn, endpoints.SinkName, endpoints.SourceName)
	if err != nil {
		return errors.Join(err, conn.Close())
	}
	defer w.close()
	// A read has no deadline: closing the connection is what ends it when ctx does. The error is then that of ctx.
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	if t.Spec.Case.Ask() {
		err = ask(w, t.Asks[0], int64(t.Spec.InFlight))
	} else {
		err = tell(w, t.Tells[0])
	}
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

func tell(w *wire, t *measure.Tell) error {
	for {
		for m := t.Next(); m != nil; m = t.Next() {
			if err := w.write(rpcenv.KindOneWay, 0, m); err != nil {
				return err
			}
		}
		_, ack, err := w.read(rpcenv.KindOneWay)
		if err != nil {
			return err
		}
		if over, err := t.Acknowledged(ack); over || err != nil {
			return err
		}
	}
}

// ask relies on answers in the order of their questions: a ring of times is enough, without a map by number.
func ask(w *wire, a *measure.Ask, inFlight int64) error {
	var asked, answered int64
	times := make([]time.Duration, inFlight)
	for {
		for m, at := a.Next(); m != nil; m, at = a.Next() {
			times[asked%inFlight] = at // free: Next lets inFlight questions be open, not more
			if err := w.write(rpcenv.KindRequest, asked, m); err != nil {
				return err
			}
			asked++
		}
		n, answer, err := w.read(rpcenv.KindResponse)
		if err != nil {
			return err
		}
		if n != answered {
			return fmt.Errorf("answer to question %d, want %d", n, answered)
		}
		answered++
		if over, err := a.Answered(times[n%inFlight], answer); over || err != nil {
			return err
		}
	}
}

// wire is one end of a connection. One goroutine reads, and appends to a batch; another one writes batches to the connection.
type wire struct {
	conn   net.Conn
	in     *bufio.Reader
	out    *framer // writes
	frames *framer // reads

	mu      sync.Mutex
	batch   []byte
	err     error
	wake    chan struct{}
	written sync.WaitGroup
}

// newWire makes a wire to an endpoint of the peer; what comes is for one of this side.
func newWire(conn net.Conn, to, from string) (*wire, error) {
	near, far := addressOf(conn.LocalAddr()), addressOf(conn.RemoteAddr())
	out, err := newFramer(near, far, to)
	if err != nil {
		return nil, err
	}
	frames, err := newFramer(far, near, from)
	if err != nil {
		return nil, err
	}
	w := &wire{conn: conn, in: bufio.NewReaderSize(conn, bufferSize), out: out, frames: frames, wake: make(chan struct{}, 1)}
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
		w.mu.Unlock()
		if _, err := w.conn.Write(batch); err != nil {
			w.mu.Lock()
			w.err = err
			w.mu.Unlock()
		}
	}
}

func (w *wire) close() {
	// The connection first: drain may be in a Write that only this ends.
	_ = w.conn.Close()
	close(w.wake)
	w.written.Wait()
}
