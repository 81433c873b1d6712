package rpcenv

import (
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/coherer/coherer/messages/rpc"
	tracepb "github.com/coherer/coherer/messages/trace"
	"github.com/coherer/coherer/rpcenv/metrics"
	"github.com/coherer/coherer/rpcenv/trace/record"
)

// Unbracketed is for its test.
var Unbracketed = unbracketed

// Held is what an Env keeps of its peers, for tests that it forgets them.
func (e *Env) Held() (outboxes, connections, asks int) {
	links := e.links()
	for _, c := range links {
		asks += len(e.asks.all(c.waiting))
	}
	return len(e.outboxes.all()), len(links), asks
}

func (e *Env) links() []*conn {
	e.connections.mu.Lock()
	defer e.connections.mu.Unlock()
	return slices.Collect(maps.Keys(e.connections.links))
}

// DialWait opens one more connection to an address.
func (e *Env) DialWait(b *Blocking, to Address) (err error) {
	ob := b.env.outboxes.await(to)
	if e := b.Wait(func(wake func()) {
		b.env.dial(to, func(c *conn, outcome error) {
			ob.dialled(c, outcome)
			err = outcome
			wake()
		})
	}); e != nil {
		return e
	}
	return err
}

// Racing finds an endpoint of this Env, and returns what a message does that found it then.
func (e *Env) Racing(name string) func(m Message) error {
	in := e.endpoints.find(name)
	return func(m Message) error {
		return in.offer(&item{kind: itemMessage, id: e.nextID(), msg: m, sender: &e.self})
	}
}

// Break ends all connections of an Env whose endpoints live on.
func (e *Env) Break() {
	for _, c := range e.links() {
		c.close(errors.New("broken by the test"))
	}
}

// EndAround ends the connection that the outbox for an address has, and calls f between the moment when the endpoints
// may have heard of it and that when the outbox does.
func (e *Env) EndAround(to Address, f func()) {
	ob := e.outboxes.of(to)
	ob.mu.Lock()
	c := ob.conn
	ob.mu.Unlock()
	c.mu.Lock()
	c.to(connEnded)
	c.mu.Unlock()
	c.closed(errors.New("ended by the test"))
	f()
	ob.detach(c)
	c.link.Close()
}

// NextActor is the id of the actor that the next endpoint of that name is.
func (e *Env) NextActor(name string) string {
	e.endpoints.mu.Lock()
	defer e.endpoints.mu.Unlock()
	return fmt.Sprintf("%d/%s#%d", e.num, name, e.endpoints.spawned+1)
}

// Depth is how many items wait in an inbox.
func (e *Env) Depth(name string) int { return e.endpoints.find(name).UserMessageCount() }

// DispatcherThreads is how many threads the settings give to concurrent endpoints.
var DispatcherThreads = dispatcherThreads

// ResolvePID is what protoactor asks for a PID.
var ResolvePID = resolvePID

// Conn is a connection of an Env whose Link is the test's.
type Conn struct{ c *conn }

// OpenOn is a connection to a listening peer, its handshake done.
func (e *Env) OpenOn(l Link, peer Address) Conn {
	c := &conn{env: e, link: l, waiting: waiting{}, id: 5, peer: peer, way: way{peer: "Peer", address: peer.String()}, listening: true, window: e.window}
	c.to(connOpen)
	c.stop = func() {}
	e.connections.enter(c)
	return Conn{c}
}

// Watch makes the Env look after the connection, as after one whose handshake is done.
func (o Conn) Watch() {
	if _, _, err := o.c.env.connections.add(o.c); err != nil {
		panic(err)
	}
	o.c.env.connections.watch(o.c)
}

// Attach makes the connection that of the outbox for its peer, which awaits it meanwhile.
func (o Conn) Attach(meanwhile func()) {
	ob := o.c.env.outboxes.await(o.c.peer)
	meanwhile()
	ob.attach(o.c)
}

// Receive takes an envelope.
func (o Conn) Receive(e *Envelope) { o.c.Receive(e) }

// ReceiveBatch takes envelopes that came at once.
func (o Conn) ReceiveBatch(all ...*Envelope) {
	next := func() (e *Envelope) {
		if len(all) > 0 {
			e, all = all[0], all[1:]
		}
		return e
	}
	if turn := o.c.ReceiveBatch(next(), next); turn != nil {
		turn()
	}
}

// Close gives the connection up; End is its end.
func (o Conn) Close(why error) { o.c.close(why) }

// End is the end, as the Link reports it.
func (o Conn) End(err error) { o.c.Closed(err) }

// Send sends n bytes.
func (o Conn) Send(n int) error {
	return o.c.send(&outgoing{to: Ref{Address: o.c.peer, Name: "E"}, msg: &rpc.Bool{}, content: make([]byte, n)})
}

// SendTo sends n bytes to an endpoint.
func (o Conn) SendTo(endpoint string, n int) error {
	return o.c.send(&outgoing{to: Ref{Address: o.c.peer, Name: endpoint}, msg: &rpc.Bool{}, content: make([]byte, n)})
}

// SendFrom sends n bytes of an endpoint of the Env.
func (o Conn) SendFrom(endpoint string, n int) error {
	return o.c.send(&outgoing{to: Ref{Address: o.c.peer, Name: "E"}, from: endpoint, msg: &rpc.Bool{}, content: make([]byte, n)})
}

// Room reports whether a message to an endpoint finds room.
func (o Conn) Room(endpoint string, wake func()) bool { return o.c.room(endpoint, wake) }

// Waiting is what waits for credit.
func (o Conn) Waiting() (messages, bytes int) { return o.c.unsent() }

// Ask asks with n bytes; then gets the outcome.
func (o Conn) Ask(n int, then func(error)) error {
	p := o.c.env.newOutgoingAsk(func(res result) { then(res.err) })
	return o.c.send(&outgoing{to: Ref{Address: o.c.peer, Name: "E"}, msg: &rpc.Bool{}, content: make([]byte, n), form: tracepb.Form_ASK, pending: p})
}

// Answer answers a question of the peer's to E.
func (o Conn) Answer(m Message) {
	o.c.newIncomingAsk(record.ID{Conn: 5, N: 1}, &Envelope{RequestID: 1, Endpoint: "E"}, &rpc.Bool{}, false).answer(m)
}

// Refuse refuses a question of the peer's to E.
func (o Conn) Refuse(err error) { o.c.refuse(record.ID{Conn: 5, N: 1}, 1, "E", false, err) }

// Living counts what an Env keeps of its own: endpoints that have not ended, and bodies.
func (e *Env) Living() (endpoints, bodies int) {
	return len(e.endpoints.all()), len(e.bodies.all())
}

// StopInbox stops an endpoint that can be found still.
func (e *Env) StopInbox(name string) { e.endpoints.find(name).stop(record.ID{}) }

// Owns reports whether the Env opened a connection.
func (e *Env) Owns(connection uint64) bool { return e.connections.owns(connection) }

// KnownPeers is how many listening peers the Env has connections to, by its books.
func (e *Env) KnownPeers() int {
	e.connections.mu.Lock()
	defer e.connections.mu.Unlock()
	return len(e.connections.peers)
}

// DropReason is the family of an error.
func DropReason(form tracepb.Form, err error) metrics.Reason { return dropReason(form, err) }

// HasPIDs reports whether an Env is kept for the PIDs that it gave out.
func HasPIDs(e *Env) bool {
	pids.Lock()
	defer pids.Unlock()
	return pids.envs[e.num] != nil
}

// NewActorLog is protoactor's log on another one.
var NewActorLog = newActorLog

// Accept is a connection that a peer opened on a Link of the test's.
func (e *Env) Accept(l Link) Receiver { return e.accept(l) }

// SetWindow is the window that the peer has said to have.
func (o Conn) SetWindow(n int) { o.c.window = n }

// Streams are the endpoints of peers that an Env sends to, and its own that it counts for them.
func (e *Env) Streams() (out, in []string) {
	for _, c := range e.links() {
		c.mu.Lock()
		out = slices.AppendSeq(out, endpointsOf(c.streams))
		c.mu.Unlock()
		c.receiving.Lock()
		in = slices.AppendSeq(in, endpointsOf(c.ledgers))
		c.receiving.Unlock()
	}
	return out, in
}

// endpointsOf are the names in a table of flows.
func endpointsOf[T any](flows map[flow]T) iter.Seq[string] {
	return func(yield func(string) bool) {
		for f := range flows {
			if !yield(f.endpoint) {
				return
			}
		}
	}
}

// Orphans is how many bytes wait in inboxes that connections brought before they ended.
func (e *Env) Orphans() int {
	e.orphans.mu.Lock()
	defer e.orphans.mu.Unlock()
	return int(e.orphans.total)
}

// AwaitFull makes the connection one whose peer has promised rpc.Full.
func (o Conn) AwaitFull() { o.c.awaitsFull = true }

// Shut is how many endpoints are shut to open connections, counted for each of these.
func (e *Env) Shut() (n int) {
	e.orphans.mu.Lock()
	defer e.orphans.mu.Unlock()
	for _, shut := range e.orphans.shut {
		n += shut.len()
	}
	return n
}
