package transport

import (
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coherer/coherer/rpcenv"
)

const (
	// lingerTime is how long a closed link has for what is queued.
	lingerTime = time.Second
	// writeStep is how much one Write gets, so that the count of what is queued goes down while a lot is written.
	writeStep = 1 << 20
	// keepBuffer is the biggest buffer that a link keeps once it is written.
	keepBuffer = 1 << 20
)

// tcpLink is a Link over a connection. One goroutine reads, one writes.
type tcpLink struct {
	host          *Host
	conn          net.Conn
	frames        *frameReader
	local, remote rpcenv.Address
	limit         atomic.Int64
	closing       atomic.Bool   // nothing goes out or in any more
	wake          chan struct{} // capacity 1: the writer has something to do
	written       chan struct{} // closed when the writer ended

	mu       sync.Mutex
	pending  []byte
	writing  int   // bytes that the writer took and has not written
	cause    error // why this side ends the link
	writeErr error
}

var _ rpcenv.Link = (*tcpLink)(nil)

// newTCPLink makes a link of a connection, whose first bytes frames may hold.
func newTCPLink(h *Host, conn net.Conn, frames *frameReader) *tcpLink {
	l := &tcpLink{
		host: h, conn: conn, frames: frames,
		local: addressOf(conn.LocalAddr()), remote: addressOf(conn.RemoteAddr()),
		wake: make(chan struct{}, 1), written: make(chan struct{}),
	}
	l.limit.Store(HandshakeLimit)
	return l
}

func addressOf(a net.Addr) rpcenv.Address {
	tcp, ok := a.(*net.TCPAddr)
	if !ok {
		return rpcenv.Address{}
	}
	return rpcenv.Address{Host: tcp.AddrPort().Addr().Unmap().String(), Port: tcp.Port}
}

// Send encodes e behind what is queued. What has no frame (too large, a name too long) ends the link after what is
// queued, with the reason.
func (l *tcpLink) Send(e *rpcenv.Envelope) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closing.Load() || l.writeErr != nil {
		return
	}
	idle := len(l.pending) == 0
	var err error
	if l.pending, err = AppendEnvelope(l.pending, e); err != nil {
		l.end(fmt.Errorf("send to %s: %w", l.remote, err))
	} else if idle {
		l.signal()
	}
}

// Queued is how many bytes wait to be written, in frames.
func (l *tcpLink) Queued() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.pending) + l.writing
}

// Open lifts the limit of HandshakeLimit to Options.MaxFrame.
func (l *tcpLink) Open() { l.limit.Store(int64(l.host.opts.MaxFrame)) }

// Close ends the link without waiting. Receive is not called any more, and Closed is told ErrClosed.
func (l *tcpLink) Close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.end(ErrClosed)
}

func (l *tcpLink) Local() rpcenv.Address  { return l.local }
func (l *tcpLink) Remote() rpcenv.Address { return l.remote }

// end lets the writer write what is queued and then close its direction. The reader goes on until the peer has closed
// the other one: closing earlier would make the peer's kernel throw away what it has not read yet. It wants l.mu.
func (l *tcpLink) end(cause error) {
	if l.closing.Swap(true) {
		return
	}
	l.cause = cause
	_ = l.conn.SetDeadline(time.Now().Add(lingerTime)) // fails only on a closed connection
	l.signal()
}

func (l *tcpLink) signal() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// run reads until the end. It is the reader's goroutine.
func (l *tcpLink) run(r rpcenv.Receiver) {
	go l.write()
	err := l.read(r)
	l.mu.Lock()
	switch {
	case l.cause != nil:
		err = l.cause
	case l.writeErr != nil && errors.Is(err, ErrIdle):
		err = l.writeErr
	}
	l.closing.Store(true)
	l.pending = nil
	l.mu.Unlock()
	_ = l.conn.Close() // also ends a Write
	l.signal()
	<-l.written
	r.Closed(err)
}

func (l *tcpLink) read(r rpcenv.Receiver) error {
	var decoder envelopeDecoder
	for {
		frame, shared, err := l.frames.next(&l.limit)
		if err != nil {
			return l.received(err)
		}
		e, err := decoder.decode(frame, shared)
		if err != nil {
			return l.received(err)
		}
		if l.closing.Load() {
			_, err := io.Copy(io.Discard, l.frames.br)
			return l.received(err)
		}
		r.Receive(e)
	}
}

func (l *tcpLink) received(err error) error {
	if err = readError(err); err == nil || errors.Is(err, io.EOF) {
		return io.EOF
	}
	return fmt.Errorf("receive from %s: %w", l.remote, err)
}

// write writes what Send queued, all that there is at a time.
func (l *tcpLink) write() {
	defer close(l.written)
	var spare []byte
	for {
		l.mu.Lock()
		batch, last := l.pending, l.closing.Load()
		l.pending, l.writing = spare[:0], len(batch)
		l.mu.Unlock()
		if len(batch) == 0 {
			if last {
				l.closeWrite()
				return
			}
			<-l.wake
			continue
		}
		if !l.writeAll(batch) {
			return
		}
		if spare = batch; cap(spare) > keepBuffer {
			spare = nil
		}
	}
}

func (l *tcpLink) closeWrite() {
	if half, ok := l.conn.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite() // fails only on a connection that is gone
	}
}

// writeAll writes a batch. After an error nothing goes out any more, and the reader gets a moment for what the peer sent
// before; it learns by itself why the connection ended, in most cases.
func (l *tcpLink) writeAll(batch []byte) bool {
	for len(batch) > 0 {
		n, err := l.conn.Write(batch[:min(len(batch), writeStep)])
		batch = batch[n:]
		l.mu.Lock()
		l.writing = len(batch)
		if err != nil {
			l.writeErr = fmt.Errorf("send to %s: %w", l.remote, readError(err))
			l.pending, l.writing = nil, 0
			_ = l.conn.SetReadDeadline(time.Now().Add(lingerTime))
		}
		l.mu.Unlock()
		if err != nil {
			return false
		}
	}
	return true
}
