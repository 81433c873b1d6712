package rpcenv

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/sirupsen/logrus"

	"github.com/coherer/coherer/rpcenv/conf"
	"github.com/coherer/coherer/rpcenv/trace/record"
)

// Context is what a callback may touch besides its endpoint's state. A serial endpoint has one, the same pointer in every
// callback; one of another kind has one for each message. It must not be used outside of callbacks. In user code it is
// called c, so that nobody takes it for a context.Context.
type Context struct {
	in  *inbox
	rnd *rand.Rand
	// callback is held in the callbacks of a Context that is not the endpoint's only one: those that go on from a message
	// (continuations of its asks and Runs) come after it and one at a time.
	callback sync.Mutex

	// The item that is handled.
	item     *item
	began    time.Time
	ended    time.Time // of the item before it in this turn, for the trace
	answered bool
	deferred bool
	failed   error
	last     func() // runs after the callback
}

// atEnd calls f after this callback, in the order of the calls: a handler may write into two Journals.
func (c *Context) atEnd(f func()) {
	before := c.last
	c.last = func() {
		if before != nil {
			before()
		}
		f()
	}
}

// Env is the Env that the endpoint lives in.
func (c *Context) Env() *Env { return c.in.env }

// Conf is the Env's settings.
func (c *Context) Conf() *conf.Conf { return c.in.env.cfg.Conf }

// Self is the endpoint's own reference.
func (c *Context) Self() Ref { return Ref{Address: c.in.env.addr, Name: c.in.name} }

// Now is the time. In a simulation it is virtual.
func (c *Context) Now() time.Time { return c.in.env.host.Now() }

// Rand is the Context's own stream of random numbers. In a simulation it depends on the seed and the endpoint's name.
func (c *Context) Rand() *rand.Rand {
	if c.rnd == nil {
		seed := c.in.env.host.Entropy("endpoint/" + c.in.name)
		c.rnd = rand.New(rand.NewPCG(seed, seed^0x9E3779B97F4A7C15))
	}
	return c.rnd
}

// Log is the endpoint's log. Replace it once, in OnStart, by one with more fields through SetLog.
func (c *Context) Log() *logrus.Entry {
	if c.in.log != nil {
		return c.in.log
	}
	return c.in.env.log.WithField("endpoint", c.in.name)
}

// SetLog replaces the log of the endpoint. It is for OnStart.
func (c *Context) SetLog(log *logrus.Entry) { c.in.log = log }

// Sender is where the Env of the message's sender listens; in client mode, the address of its socket. For what came from
// within the Env it is the Env's own address.
func (c *Context) Sender() Address {
	if c.item.sender == nil {
		return Address{}
	}
	return c.item.sender.Address
}

// Unsupported is for the default case of Receive: the ask, if it is one, fails, and OnError gets the error.
func (c *Context) Unsupported(m Message) {
	c.failed = fmt.Errorf("%w %s from %s to %s", ErrRefusedUnsupported, TypeName(m), c.Sender(), c.in.name)
}

// Start starts a process; then is called in this inbox when it has ended.
func (c *Context) Start(cmd Command, then func(Exit)) (Process, error) {
	in := c.in
	return in.env.host.Start(cmd, func(e Exit) {
		in.post(&item{kind: itemRun, id: in.env.nextID(), rare: &rare{name: "outside process ended"}, then: &goOn{c, func() { then(e) }}})
	})
}

// Outside returns a function, usable from any goroutine, that posts an event to this inbox; name says in the trace what
// it was. Receive gets the event. After the endpoint's stop it does nothing.
func (c *Context) Outside(name string) func(Message) {
	in, named := c.in, &rare{name: "outside " + name}
	return func(m Message) {
		in.post(&item{kind: itemOutside, id: in.env.nextID(), rare: named, msg: m, sender: &in.env.self})
	}
}

// State records a change of state in the trace: the kind of thing, its id, the states, and why.
func (c *Context) State(kind, id, from, to, why string) {
	c.in.env.recordState(c.in.name, c.cause(), change{kind, id, from, to, why})
}

// cause is the item that is handled.
func (c *Context) cause() record.ID {
	if c.item == nil {
		return record.ID{}
	}
	return c.item.id
}

// stopping reports whether this is OnStop, after which nothing comes.
func (c *Context) stopping() bool { return c.item != nil && c.item.kind == itemStop }

// later calls f in this inbox, as the outcome of something that could not begin. Never at once: a continuation comes after its
// handler.
func (c *Context) later(name string, f func()) {
	c.in.post(&item{kind: itemRun, id: c.in.env.nextID(), cause: c.cause(), rare: &rare{name: name}, then: &goOn{c, f}})
}
