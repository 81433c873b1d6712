package rpcenv

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/messages/rpc"
)

// A peer says in its Hello or Welcome how many bytes of messages it takes for each of its endpoints before they are handled: its window.
// What goes beyond waits here, by endpoint, so that a slow one holds up its own messages alone. The peer gives back what its endpoint
// has handled (rpc.Credit), each time half of the window. As soon as no more than half of it is out, the next message may go, whatever its
// size: the peer may keep less than half of a window to itself for ever.
//
// Answers have windows too, by asker. An answer that finds no room fails its ask.

// stream is a flow to the peer.
type stream struct {
	flow
	out  int  // bytes that were sent and not given back
	shut bool // the peer takes nothing yet, not even the first message: see orphans.go
	backlog
}

// open reports whether a message that counts n bytes may go.
func (s *stream) open(n, window int) bool { return !s.shut && (s.out <= window/2 || s.out+n <= window) }

// streamLocked is the stream of a flow, made if missing.
func (c *conn) streamLocked(f flow) *stream {
	// Most messages have the endpoint of the one before, and to compare a string with itself costs nothing.
	if c.latest != nil && c.latest.flow == f {
		return c.latest
	}
	s := c.streams[f]
	if s == nil {
		s = &stream{flow: f, shut: c.awaitsFull && f.endpoint != ""}
		if c.streams == nil {
			c.streams = map[flow]*stream{}
		}
		c.streams[f] = s
	}
	c.latest = s
	return s
}

// admitLocked sends o, or lets it wait for credit. Its error says that it may not even wait.
func (c *conn) admitLocked(o *outgoing) error {
	s, n := c.streamLocked(o.flow()), cost(len(o.content))
	switch {
	case s.queue.len() == 0 && s.open(n, c.window):
		s.out += n
		c.transmitLocked(o)
		return nil
	case o.body != nil && s.behind:
		return errNoRoom
	case !o.mayWait(c.waits, c.env.outboxLimit):
		return overloaded(c.waits, c.peer)
	}
	c.waits += n
	s.push(c.env, *o)
	if o.pending != nil { // an ask's time runs while it waits
		c.env.asks.add(o.pending)
	}
	return nil
}

// credit is the peer's: bytes of a flow were handled, or never arrived. What waited for them goes out.
func (c *conn) credit(f flow, bytes int) {
	c.mu.Lock()
	var wakes []func()
	if s := c.streams[f]; s != nil {
		s.out = max(s.out-bytes, 0) // a peer cannot give back more than it got
		s.shut = false
		wakes = c.goOnLocked(s)
	}
	c.mu.Unlock()
	wakeAll(wakes)
}

// goOnLocked sends what waits in a stream and may go now. The caller calls the wakes without a lock.
func (c *conn) goOnLocked(s *stream) (wakes []func()) {
	for s.queue.len() > 0 && c.life.stage() == connOpen {
		n := cost(len(outgoingQueues.peek(s.queue).content))
		if !s.open(n, c.window) {
			break
		}
		s.out += n
		c.waits -= n
		o := s.pop()
		c.transmitLocked(&o)
	}
	wakes = s.caughtUp(c.env)
	if s.out == 0 && s.queue.len() == 0 && !s.shut { // endpoints come and go
		delete(c.streams, s.flow)
		c.latest = nil
	}
	return wakes
}

// room calls wake once there may be room for a message to an endpoint, and reports whether there is now: then it has not kept wake.
func (c *conn) room(name string, wake func()) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.streams[flow{endpoint: name}] // none after the end
	return s == nil || s.room(wake)
}

// unsent is what waits for credit: how many messages, and their bytes.
func (c *conn) unsent() (messages, bytes int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.streams {
		messages += s.queue.len()
		bytes += s.bytes
	}
	return messages, bytes
}

// inOrderLocked are the streams in an order that does not change from run to run.
func (c *conn) inOrderLocked() []*stream {
	return slices.SortedFunc(maps.Values(c.streams), func(a, b *stream) int {
		return cmp.Or(cmp.Compare(a.endpoint, b.endpoint), cmp.Compare(a.asker, b.asker))
	})
}

// drainLocked sends what waits for credit, after rpc.Finish announces it: the connection is about to end in good order.
func (c *conn) drainLocked() {
	if c.waits > 0 {
		c.controlLocked(&rpc.Finish{})
	}
	for _, s := range c.inOrderLocked() {
		if s.shut { // the peer would take nothing that follows either: these fail with the end
			continue
		}
		for s.queue.len() > 0 {
			o := s.pop()
			c.transmitLocked(&o)
		}
	}
	c.waits = 0
}

// giveUpLocked takes out what still waits when the connection has ended, and those that wait for room.
func (c *conn) giveUpLocked() (failed []outgoing, wakes []func()) {
	for _, s := range c.inOrderLocked() {
		failed = append(failed, s.take()...)
		wakes = append(wakes, s.caughtUp(c.env)...)
	}
	c.streams, c.latest, c.waits = nil, nil, 0
	return failed, wakes
}

// ledgerOf is the ledger of a flow to this Env, made if missing. c.receiving is held.
func (c *conn) ledgerOf(f flow) *ledger {
	if c.counted != nil && c.counted.flow == f {
		return c.counted
	}
	l := c.ledgers[f]
	if l == nil {
		l = c.lostOf(f) // what came before the endpoint did
		c.lost = nil
		if c.ledgers == nil {
			c.ledgers = map[flow]*ledger{}
		}
		c.ledgers[f] = l
	}
	c.counted = l
	return l
}

// receiver returns the endpoint of a name, or nil, and the ledger of its messages. c.receiving is held.
func (c *conn) receiver(name string) (*inbox, *ledger) {
	f := flow{endpoint: name}
	// Most messages are for the endpoint of the one before.
	if c.taker == nil || c.taker.name != name || c.taker.freed.Load() {
		if c.taker = c.env.endpoints.find(name); c.taker == nil {
			return nil, c.unhandledOf(f)
		}
	}
	return c.taker, c.ledgerOf(f)
}

// unhandledOf returns the ledger of messages to a name that no endpoint has. c.receiving is held.
func (c *conn) unhandledOf(f flow) *ledger {
	if l := c.ledgers[f]; l != nil { // its endpoint has ended just now
		return l
	}
	return c.lostOf(f)
}

// takes counts an arriving message of n bytes, and reports whether to accept it. A peer that sends more than its window loses the
// connection: it would fill an inbox without end. c.receiving is held.
func (c *conn) takes(l *ledger, n int) bool {
	switch {
	case c.overrun: // what follows would leave a hole in the stream
		return false
	case l.takes(n):
		return true
	case c.finishes && !l.shut.Load() && mayTake(c.late, n-itemCost, c.env.outboxLimit):
		// A peer that shuts down sends its waiting messages without credit.
		l.came += int64(n)
		c.late += n
		return true
	}
	c.overrun = true
	c.close(l.excess())
	return false
}

// lostOf is the ledger of a name that no endpoint has. One for each name that a peer can think of would be too many: it is the last one's.
func (c *conn) lostOf(f flow) *ledger {
	if c.lost == nil || c.lost.flow != f {
		if c.lost != nil {
			c.lost.flush()
		}
		c.lost = &ledger{flow: f, window: int64(c.env.window), giveBack: c.giveBack}
	}
	return c.lost
}

// forget closes the ledger of an endpoint that has ended: what it kept goes back, so that the peer forgets its stream too.
func (c *conn) forget(name string) {
	c.receiving.Lock()
	defer c.receiving.Unlock()
	f := flow{endpoint: name}
	if l := c.ledgers[f]; l != nil && !l.shut.Load() { // one that is shut has nothing
		c.env.orphans.adopt(l)
		delete(c.ledgers, f)
		c.counted = nil
	}
}

// giveBack reports to the peer what was handled, and to orphans if the ledger is closed.
func (c *conn) giveBack(l *ledger, bytes int64) {
	c.mu.Lock()
	if c.life.stage() == connOpen {
		c.controlLocked(&rpc.Credit{Endpoint: l.endpoint, Asker: l.asker, Bytes: uint32(min(bytes, math.MaxUint32))})
	}
	c.mu.Unlock()
	if l.closed.Load() {
		c.env.orphans.settle(l)
	}
}

// controlLocked sends a message between the two sides of the connection itself, such as rpc.Credit. It counts no ordinal.
func (c *conn) controlLocked(m proto.Message) {
	content, err := c.env.table.Append(nil, m)
	if err != nil || !c.roomLocked(len(content)) {
		return
	}
	e := &Envelope{Kind: KindOneWay, Sender: c.env.addr, Endpoint: VerifierName, Content: content}
	if c.listening {
		e.Receiver = c.peer
	}
	c.link.Send(e)
}

// control handles an envelope that the peer's controlLocked sent; false: env is another one.
func (c *conn) control(env *Envelope) bool {
	if env.Kind != KindOneWay || env.Endpoint != VerifierName {
		return false
	}
	m, _ := c.env.table.Decode(env.Content) // without an error it may be another message, with one it is none
	switch m := m.(type) {
	case *rpc.Credit:
		c.credit(flow{m.GetEndpoint(), m.GetAsker()}, int(m.GetBytes()))
		return true
	case *rpc.Finish:
		c.finishes = true
		return true
	case *rpc.Full:
		c.full(m.GetEndpoints())
		return true
	}
	return false
}
