package transport

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/transport/bulk"
	"github.com/coherer/coherer/rpcenv/transport/wire"
)

// firstMemoryPort is the first port that a memory network assigns.
const firstMemoryPort = 32768

// memory makes links within the process. It has the rules of TCP links: the limits, the order, the ends.
type memory struct {
	host *Host

	mu        sync.Mutex
	listeners map[rpcenv.Address]func(rpcenv.Link) rpcenv.Receiver
	lastPort  int
}

func newMemory(h *Host) *memory {
	return &memory{host: h, listeners: map[rpcenv.Address]func(rpcenv.Link) rpcenv.Receiver{}, lastPort: firstMemoryPort - 1}
}

func (m *memory) listen(at rpcenv.Address, accept func(rpcenv.Link) rpcenv.Receiver) (rpcenv.Address, io.Closer, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	bound := at
	if bound.Host == "" {
		bound.Host = "127.0.0.1"
	}
	// A port that is assigned may be taken: listeners choose theirs, and the numbers begin again.
	for bound.Port == 0 || at.Port == 0 && m.listeners[bound] != nil {
		bound.Port = m.freePort()
	}
	if m.listeners[bound] != nil {
		return rpcenv.Address{}, nil, fmt.Errorf(
			"listen at %s: port %d is taken by another listener of this host: stop that, or choose another port (0: any free one): %w",
			at, at.Port, syscall.EADDRINUSE)
	}
	l := &memoryListener{memory: m, at: bound}
	if !m.host.keep(l, l.Close) {
		return rpcenv.Address{}, nil, fmt.Errorf("listen at %s: %w", at, ErrHostClosed)
	}
	m.listeners[bound] = accept
	return bound, l, nil
}

// freePort assigns the next port; after the last one it begins again. The caller holds m.mu.
func (m *memory) freePort() int {
	if m.lastPort++; m.lastPort > 65535 {
		m.lastPort = firstMemoryPort
	}
	return m.lastPort
}

type memoryListener struct {
	memory *memory
	at     rpcenv.Address
	once   sync.Once
}

// Close ends the listener, but no link. It may be called twice.
func (l *memoryListener) Close() error {
	l.once.Do(func() {
		l.memory.mu.Lock()
		delete(l.memory.listeners, l.at)
		l.memory.mu.Unlock()
		l.memory.host.forget(l)
	})
	return nil
}

func (m *memory) fileServer(at rpcenv.Address) (*bulk.FileServer, error) {
	return nil, fmt.Errorf("serve files at %s: a host in memory has no file server", at)
}

func (m *memory) dial(to rpcenv.Address, done func(rpcenv.Link, error) rpcenv.Receiver) {
	m.mu.Lock()
	accept := m.listeners[to]
	from := rpcenv.Address{Host: "127.0.0.1", Port: m.freePort()}
	m.mu.Unlock()
	if accept == nil {
		done(nil, fmt.Errorf("connect to %s: %w: start the process first, or check host and port", to, wire.ErrRefused))
		return
	}
	a, b := newMemoryLink(m.host, from, to), newMemoryLink(m.host, to, from)
	a.peer, b.peer = b, a
	// Both ends are registered before either has a Receiver: no Receiver gets a link of which Close does not know.
	if !a.begin() {
		done(nil, fmt.Errorf("connect to %s: %w", to, ErrHostClosed))
		return
	}
	if !b.begin() {
		a.finish()
		done(nil, fmt.Errorf("connect to %s: %w", to, ErrHostClosed))
		return
	}
	// What a sends before accept returns waits in b until start.
	a.start(done(a, nil))
	b.start(accept(b))
}

// memoryLink is one end of a link within the process.
type memoryLink struct {
	host          *Host
	local, remote rpcenv.Address
	peer          *memoryLink
	limit         atomic.Int64
	task          string

	mu        sync.Mutex
	encoder   envelopeEncoder // for the sizes
	receiver  rpcenv.Receiver
	in        []parcel
	inBytes   int   // in and what is being handed over
	cause     error // why it ends, once everything of in was handed over
	closed    bool  // this side closed it: nothing is handed over any more
	scheduled bool  // drain runs or will run
	ended     bool  // drain calls Closed, or has called it
}

// parcel is an envelope on its way, with the bytes it would take on the wire.
type parcel struct {
	e    *rpcenv.Envelope
	size int
}

func newMemoryLink(h *Host, local, remote rpcenv.Address) *memoryLink {
	l := &memoryLink{host: h, local: local, remote: remote, task: "connection to " + remote.String()}
	l.limit.Store(HandshakeLimit)
	return l
}

// begin makes the Host wait for this end.
func (l *memoryLink) begin() bool {
	if !l.host.tasks.begin(l.task) {
		return false
	}
	if !l.host.keepLink(l) {
		l.host.tasks.end(l.task)
		return false
	}
	return true
}

func (l *memoryLink) finish() {
	l.host.forget(l)
	l.host.tasks.end(l.task)
}

// start gives the link its Receiver. With nil the link ends.
func (l *memoryLink) start(r rpcenv.Receiver) {
	if r == nil {
		r = nobody{} // schedule needs one, and drain has to run: it calls finish
		l.Close()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.receiver = r
	l.schedule()
}

type nobody struct{}

func (nobody) Receive(*rpcenv.Envelope) {}
func (nobody) Closed(error)             {}

// Send hands a copy of e to the peer's end. What could have no frame ends the link, as over TCP.
func (l *memoryLink) Send(e *rpcenv.Envelope) {
	l.mu.Lock()
	size, err := l.encoder.size(e)
	closed := l.closed
	l.mu.Unlock()
	switch {
	case closed:
		return
	case err != nil:
		l.end(fmt.Errorf("send to %s: %w", l.remote, err))
		return
	}
	// Over TCP the envelope is encoded when Send returns. So the caller may use it, and its Content, again.
	copied := *e
	copied.Content = bytes.Clone(e.Content)
	p := l.peer
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cause != nil { // that end is over or about to be
		return
	}
	p.in = append(p.in, parcel{&copied, size})
	p.inBytes += size
	p.schedule()
}

// Queued is the bytes of frames that the peer's end has not handed over.
func (l *memoryLink) Queued() int {
	l.peer.mu.Lock()
	defer l.peer.mu.Unlock()
	return l.peer.inBytes
}

// Open lifts the limit of HandshakeLimit to Options.MaxFrame.
func (l *memoryLink) Open() { l.limit.Store(int64(l.host.opts.MaxFrame)) }

// Close ends the link. The peer gets what is queued.
func (l *memoryLink) Close() { l.end(wire.ErrClosed) }

func (l *memoryLink) Local() rpcenv.Address  { return l.local }
func (l *memoryLink) Remote() rpcenv.Address { return l.remote }

// end ends both ends: this one with cause and at once, the other with io.EOF after what is queued for it.
func (l *memoryLink) end(cause error) {
	l.mu.Lock()
	l.closed = true
	// An io.EOF is from the peer's end. Before it was handed over, this side's own reason replaces it, as over TCP.
	if l.cause == nil || errors.Is(l.cause, io.EOF) {
		l.cause = cause
	}
	l.schedule()
	l.mu.Unlock() // before the other end's lock: the peer may be ending the link right now
	p := l.peer
	p.mu.Lock()
	if p.cause == nil {
		p.cause = io.EOF
	}
	p.schedule()
	p.mu.Unlock()
}

// schedule lets drain run unless it runs already. The caller holds l.mu.
func (l *memoryLink) schedule() {
	if l.scheduled || l.ended || l.receiver == nil {
		return
	}
	l.scheduled = true
	l.host.pool.Schedule(l.drain)
}

// drain hands over the parcels that have come in, and then the end. Nothing else calls the Receiver.
func (l *memoryLink) drain() {
	for {
		l.mu.Lock()
		batch := l.in
		l.in = nil
		if len(batch) == 0 {
			break // with the lock held: a parcel that is added after this look finds scheduled false and starts a new drain
		}
		l.mu.Unlock()
		for _, p := range batch {
			l.deliver(p)
		}
	}
	l.scheduled = false
	cause := l.cause
	l.ended = cause != nil
	l.mu.Unlock()
	if cause != nil {
		l.receiver.Closed(cause)
		l.finish() // last: Host.Close waits until Closed has returned
	}
}

func (l *memoryLink) deliver(p parcel) {
	l.mu.Lock()
	l.inBytes -= p.size
	closed := l.closed
	l.mu.Unlock()
	// The limit is checked here and not in Send: the Receive of the parcel before may have called Open.
	switch body, limit := p.size-wire.LengthSize, int(l.limit.Load()); {
	case closed: // this side has ended the link: the rest is dropped
	case body > limit:
		l.end(fmt.Errorf("receive from %s: %w: %d bytes, allowed are %d", l.remote, wire.ErrFrameTooLarge, body, limit))
	default:
		l.receiver.Receive(p.e)
	}
}
