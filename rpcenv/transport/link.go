package transport

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/transport/wire"
)

const (
	// HandshakeLimit bounds a frame until Link.Open, in bytes, its length field not counted.
	HandshakeLimit = 4 << 10
	// lingerTime is how long a closed link may take to write what is queued.
	lingerTime = time.Second
)

// tcpLink is a Link over a connection. One goroutine reads, and runs turns of inboxes for what it has read (turns.go). Another one, the
// writer, writes what the first does not write itself (writer.go).
type tcpLink struct {
	host          *Host
	conn          net.Conn
	frames        *wire.Reader
	local, remote rpcenv.Address
	limit         atomic.Int64
	queued        atomic.Int64  // bytes of pending, and those that out has not written; it grows with mu held
	closing       atomic.Bool   // nothing goes out or in any more
	wake          chan struct{} // capacity 1: the writer has something to do
	written       chan struct{} // closed when the writer ended

	// These are the reading goroutine's.
	receiver rpcenv.Receiver
	batches  rpcenv.BatchReceiver // the receiver, if it is one
	decoder  envelopeDecoder
	long     int // see ended
	apart    int // turns that go to the pool before one is run here again

	turns   atomic.Uint64 // how many were begun here
	inTurn  atomic.Uint64 // the number of the turn that the reading goroutine runs; 0: it reads
	watched atomic.Bool   // the Host's watch looks at it
	seen    [2]uint64     // turns and inTurn at the last tick; guarded by watch.mu, as listed
	listed  bool          // in watch.links
	left    chan struct{} // closed when readers is 0 again

	corked atomic.Bool // the reading goroutine is about to write what is pending: Send need not wake the writer
	out    output

	mu       sync.Mutex
	readers  int // goroutines that read, or still run a turn although another one reads
	encoder  envelopeEncoder
	pending  segments // frames that nobody has taken to write
	cause    error    // why this side ends the link
	writeErr error
}

var _ rpcenv.Link = (*tcpLink)(nil)

// newTCPLink makes a link of a connection, whose first bytes frames may hold.
func newTCPLink(h *Host, conn net.Conn, frames *wire.Reader) *tcpLink {
	l := &tcpLink{
		host: h, conn: conn, frames: frames,
		local: wire.AddressOf(conn.LocalAddr()), remote: wire.AddressOf(conn.RemoteAddr()),
		wake: make(chan struct{}, 1), written: make(chan struct{}), left: make(chan struct{}),
	}
	l.out.init(conn)
	l.limit.Store(HandshakeLimit)
	return l
}

// Send encodes e behind what is queued. What has no frame (too large, a name too long) ends the link after what is
// queued, with the reason.
func (l *tcpLink) Send(e *rpcenv.Envelope) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closing.Load() || l.writeErr != nil {
		return // Closed reports why
	}
	size, err := l.encoder.size(e)
	if err != nil {
		l.end(fmt.Errorf("send to %s: %w", l.remote, err))
		return
	}
	had := len(l.pending)
	l.encoder.write(&l.pending, e, size)
	// The writer takes all that is pending at once, so only the first needs to wake it. If the reading goroutine will write, more than a
	// segment is too much to wait for that.
	if had == 0 && !l.corked.Load() || had == 1 && len(l.pending) > 1 {
		l.signal()
	}
	l.queued.Add(int64(size))
}

// Queued is how many bytes wait to be written, in frames.
func (l *tcpLink) Queued() int { return int(l.queued.Load()) }

// Open lifts the limit of HandshakeLimit to Options.MaxFrame.
func (l *tcpLink) Open() { l.limit.Store(int64(l.host.opts.MaxFrame)) }

// Close ends the link without waiting. Receive is not called any more, and Closed gets ErrClosed.
func (l *tcpLink) Close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.end(wire.ErrClosed)
}

func (l *tcpLink) Local() rpcenv.Address  { return l.local }
func (l *tcpLink) Remote() rpcenv.Address { return l.remote }

// end lets the writer write what is queued and then close its direction. The reader goes on until the peer has closed
// the other one: closing earlier would make the peer's kernel throw away what it has not read yet. The caller holds l.mu.
func (l *tcpLink) end(cause error) {
	if l.closing.Swap(true) {
		return
	}
	l.cause = cause
	// For both directions: neither a peer that reads nothing nor one that never closes holds the link up for longer.
	_ = l.conn.SetDeadline(time.Now().Add(lingerTime)) // fails only on a closed connection
	l.signal()
}

func (l *tcpLink) signal() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// run reads until the end. It returns after Closed, and after the last turn that a goroutine of this link runs.
func (l *tcpLink) run(r rpcenv.Receiver) {
	go l.write()
	l.receiver = r
	l.batches, _ = r.(rpcenv.BatchReceiver)
	l.enter() // true: nobody has left yet
	l.reads()
	<-l.left
}

// reads reads until the end, or until another goroutine reads on.
func (l *tcpLink) reads() {
	defer l.leave()
	replaced, err := l.read()
	if replaced {
		return
	}
	// Endpoints may handle what has come long after this, and until then the link stays in memory: its buffers do not.
	l.frames.Done()
	l.decoder = envelopeDecoder{} // its last envelope refers to a buffer
	l.mu.Lock()
	switch {
	case l.cause != nil:
		// This side ended the link. What read ran into since is a consequence.
		err = l.cause
	case l.writeErr != nil && errors.Is(err, wire.ErrIdle):
		// The deadline is the one that failed has set. Any other error is the peer's own account of the end.
		err = l.writeErr
	}
	l.closing.Store(true) // under the lock: from here on Send queues nothing
	l.mu.Unlock()
	_ = l.conn.Close() // also ends a Write
	l.signal()         // and this a writer that waits for work
	<-l.written        // Closed is last: but for turns nothing of this link runs after it
	l.receiver.Closed(err)
}

func (l *tcpLink) read() (replaced bool, err error) {
	var failed error // of what was read ahead
	next := func() *rpcenv.Envelope {
		// Not after an error, and not once the link is closing: Receive would not be called any more either.
		if failed != nil || !l.frames.Ready() || l.closing.Load() {
			return nil
		}
		var frame []byte
		if frame, failed = l.frames.Next(&l.limit); failed != nil {
			return nil
		}
		var e *rpcenv.Envelope
		e, failed = l.decoder.decode(frame)
		return e
	}
	for {
		frame, err := l.next()
		if err != nil {
			return false, l.received(err)
		}
		e, err := l.decoder.decode(frame)
		if err != nil {
			return false, l.received(err)
		}
		if l.closing.Load() {
			// Read on until the peer closes or the deadline of end passes: a connection closed with unread bytes is reset,
			// and the peer would lose what the writer has just sent.
			_, _ = io.Copy(io.Discard, l.frames)
			return false, nil // end has the cause
		}
		if l.batches == nil {
			l.receiver.Receive(e)
			continue
		}
		l.corked.Store(true)
		turn := l.batches.ReceiveBatch(e, next)
		if !l.runHere(turn) {
			return true, nil
		}
		if failed != nil {
			return false, l.received(failed)
		}
	}
}

// next reads the next frame. It waits for the first byte as long as that takes; the rest of the frame has to
// come within Options.IdleTimeout.
func (l *tcpLink) next() ([]byte, error) {
	whole, err := l.frames.Begun()
	switch {
	case err != nil:
		return nil, err
	case whole: // as most are: no clock is set
		return l.frames.Next(&l.limit)
	}
	l.setClock(time.Now().Add(l.host.opts.IdleTimeout))
	frame, err := l.frames.Next(&l.limit)
	if running := l.setClock(time.Time{}); running && errors.Is(err, os.ErrDeadlineExceeded) {
		return nil, fmt.Errorf("%w: its rest did not come within %s", wire.ErrUnfinished, l.host.opts.IdleTimeout)
	}
	return frame, err
}

// setClock sets the deadline of what is being read, or none; false when the link is ending: that has set a deadline of its own.
func (l *tcpLink) setClock(t time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closing.Load() || l.writeErr != nil {
		return false
	}
	_ = l.conn.SetReadDeadline(t) // fails only on a connection that is gone
	return true
}

func (l *tcpLink) received(err error) error {
	if err = wire.ReadError(err); errors.Is(err, io.EOF) {
		return io.EOF
	}
	return fmt.Errorf("receive from %s: %w", l.remote, err)
}
