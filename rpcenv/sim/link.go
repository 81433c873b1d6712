package sim

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/coherer/coherer/rpcenv"
)

// How connections fail, in the words of the operating system's sockets.
var (
	errRefused = errors.New("connection refused")
	errTimeout = errors.New("connection timed out")
	errReset   = errors.New("connection reset by peer")
)

// connectTimeout is how long a dial into a cut waits, connectRetry how often it tries.
const (
	connectTimeout = 120 * time.Second
	connectRetry   = time.Second
)

// Dial connects after the time that packets take, or fails as a network does.
func (h *Host) Dial(to rpcenv.Address, done func(rpcenv.Link, error) rpcenv.Receiver) {
	h.dial(to, h.world.now.Add(connectTimeout), done)
}

func (h *Host) dial(to rpcenv.Address, deadline time.Time, done func(rpcenv.Link, error) rpcenv.Receiver) {
	w := h.world
	l := w.net.listeners[to]
	if l == nil {
		w.later(h, w.latency(h, h), func() { h.arrive(to, deadline, done) })
		return
	}
	w.later(h, w.latency(h, l.host), func() { h.arrive(to, deadline, done) })
}

// arrive is the moment at which the dial reaches the peer's machine.
func (h *Host) arrive(to rpcenv.Address, deadline time.Time, done func(rpcenv.Link, error) rpcenv.Receiver) {
	w := h.world
	l := w.net.listeners[to]
	if w.net.gone[to.Host] || l != nil && (w.net.isCut(h, l.host) || w.net.isCut(l.host, h)) {
		if w.now.After(deadline) {
			done(nil, fmt.Errorf("dial %s: %w", to, errTimeout))
			return
		}
		// As TCP sends its first packet again: a cut that heals in time only delays the dial.
		w.later(h, connectRetry, func() { h.arrive(to, deadline, done) })
		return
	}
	if l == nil {
		// The machine is up and refuses at once. Not within this call: done is never called from within Dial.
		w.later(h, w.latency(h, h), func() { done(nil, fmt.Errorf("dial %s: %w", to, errRefused)) })
		return
	}
	local := rpcenv.Address{Host: h.ip, Port: h.port()}
	a := &link{world: w, from: l.host, to: h, local: local, remote: to}
	b := &link{world: w, from: h, to: l.host, local: to, remote: local}
	a.peer, b.peer = b, a
	h.ends = append(h.ends, a)
	l.host.ends = append(l.host.ends, b)
	accept := func() { b.receiver = l.accept(b) }
	if l.host.paused {
		w.soon(l.host, accept) // the machine has accepted it, the process does not know yet
	} else {
		accept()
	}
	// The listener has the connection first, the dialler after a packet back. Nothing comes for a before it has a Receiver,
	// since the dialler speaks first; the end may, which start sees.
	w.later(h, w.latency(l.host, h), func() { a.start(done(a, nil)) })
}

// link is one end of a connection: what it receives comes from its peer. Sending puts envelopes into the peer's queue.
type link struct {
	world         *World
	from, to      *Host // of what this end receives
	local, remote rpcenv.Address
	peer          *link
	receiver      rpcenv.Receiver
	queue         []parcel
	bytes         int
	last          time.Time // arrival of the youngest parcel
	held          bool      // by a cut
	ghost         bool      // the machine of this end has vanished
	waiting       bool      // of a ghost: the peer sent, and nobody acknowledges
	reset         bool      // of a ghost: the peer will hear of it
	closed        bool      // this end was closed, by either side
	over          error     // why it ended, once it has
}

// parcel is an envelope on its way, or the end of the connection.
type parcel struct {
	at   time.Time
	late time.Duration // beside the latency
	e    *rpcenv.Envelope
	end  error
}

func (l *link) Local() rpcenv.Address  { return l.local }
func (l *link) Remote() rpcenv.Address { return l.remote }
func (l *link) Open()                  {}
func (l *link) Queued() int            { return l.peer.bytes }

// Close ends both ends: the peer after what is on its way, this one soon.
func (l *link) Close() {
	if l.closed {
		return
	}
	l.closed = true
	l.peer.enqueue(parcel{end: io.EOF})
	l.world.later(l.to, 0, func() { l.ended(errors.New("closed")) }) // Closed is not called from within Close
}

// finish is the end of the sending side's process.
func (l *link) finish(err error) { l.enqueue(parcel{end: err}) }

func (l *link) enqueue(p parcel) {
	if l.ghost {
		// Nobody acknowledges it: it stays in the sender's buffer, where Queued counts it, until the sender gives up.
		if p.e != nil {
			l.bytes += len(p.e.Content)
		}
		l.unheard()
		return
	}
	if l.to.dead || l.over != nil {
		return
	}
	w := l.world
	p.at = w.now.Add(w.latency(l.from, l.to) + p.late)
	if p.at.Before(l.last) {
		p.at = l.last // TCP keeps the order: a quick packet waits for the one before it
	}
	l.last = p.at
	l.queue = append(l.queue, p)
	if p.e != nil {
		l.bytes += len(p.e.Content)
	}
	if l.held { // release gives it its event; until then it is not under way, and Settle does not wait for it
		return
	}
	l.to.load(1)
	w.later(l.to, p.at.Sub(w.now), l.deliver)
}

// deliver hands over the head of the queue; each parcel has one event for it.
func (l *link) deliver() {
	w := l.world
	// A cut takes effect on arrival: it also holds what was sent before it began. The first event that meets it holds all
	// of the queue; the others find that done.
	if w.net.isCut(l.from, l.to) {
		if !l.held {
			l.held = true
			w.net.held = append(w.net.held, l)
			l.to.load(-len(l.queue))
		}
		return
	}
	if l.held || len(l.queue) == 0 { // this event's parcel waits for release, or dropAll has taken it
		return
	}
	p := l.queue[0]
	l.queue = l.queue[1:]
	l.to.load(-1)
	if p.e != nil {
		l.bytes -= len(p.e.Content)
		if l.receiver != nil && !l.closed {
			l.receiver.Receive(p.e)
		}
		return
	}
	l.closed = true
	l.ended(p.end)
}

// release lets go what a cut held back.
func (l *link) release() {
	l.held = false
	l.to.load(len(l.queue))
	for range l.queue { // the events may come in any order: each delivers the head of the queue
		l.last = l.world.now.Add(l.world.latency(l.from, l.to))
		l.world.later(l.to, l.last.Sub(l.world.now), l.deliver)
	}
}

// start gives a dialler's end its Receiver. With nil the connection ends. The peer may have ended it before.
func (l *link) start(r rpcenv.Receiver) {
	switch {
	case r == nil:
		l.Close()
	case l.over != nil:
		r.Closed(l.over)
	default:
		l.receiver = r
	}
}

// ended reports the end to the receiver, once. What still comes is forgotten.
func (l *link) ended(err error) {
	if l.over != nil {
		return
	}
	l.over = err
	l.to.ends = without(l.to.ends, l)
	r := l.receiver
	l.dropAll() // forgets the receiver too
	if r != nil {
		r.Closed(err)
	}
}

// dropAll forgets what was on the way.
func (l *link) dropAll() {
	if !l.held {
		l.to.load(-len(l.queue))
	}
	l.queue, l.bytes, l.receiver = nil, 0, nil
}

func without[T comparable](list []T, x T) []T {
	i := slices.Index(list, x)
	if i < 0 {
		return list
	}
	return slices.Delete(list, i, i+1)
}
