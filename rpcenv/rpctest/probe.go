package rpctest

import (
	"time"

	"github.com/coherer/coherer/rpcenv"
)

// Probe is an endpoint that a test speaks through. It records what it gets.
type Probe struct {
	// Ref is the Probe's own reference.
	Ref rpcenv.Ref
	// Env is the Env that it lives in.
	Env *rpcenv.Env

	w      *World
	got    []rpcenv.Message
	read   int
	on     func(c *rpcenv.Context, m rpcenv.Message) bool
	events []string
	post   func(rpcenv.Message)
}

// do is something that a test makes the Probe do in its own inbox.
type do struct {
	rpcenv.Local
	f func(c *rpcenv.Context)
}

// Probe makes a Probe called name in a listening Env of its own, also called name.
func (w *World) Probe(name string) *Probe {
	w.t.Helper()
	return w.ProbeIn(w.Env(name, nil), name)
}

// ProbeIn makes a Probe as an endpoint of env.
func (w *World) ProbeIn(env *rpcenv.Env, endpoint string) *Probe {
	w.t.Helper()
	p := &Probe{w: w, Env: env}
	p.Ref = w.Register(env, endpoint, p)
	w.Until(endpoint+" starts", func() bool { return p.post != nil })
	return p
}

// On makes f see each message first; it may answer an ask. True: the message is dealt with and not recorded.
func (p *Probe) On(f func(c *rpcenv.Context, m rpcenv.Message) bool) { p.on = f }

// Do runs f in the Probe's inbox, and the world until it ran.
func (p *Probe) Do(f func(c *rpcenv.Context)) {
	p.w.t.Helper()
	done := false
	p.post(do{f: func(c *rpcenv.Context) {
		f(c)
		done = true
	}})
	p.w.Until("a probe's Do", func() bool { return done })
}

// Send sends m from the Probe.
func (p *Probe) Send(to rpcenv.Ref, m rpcenv.Message) {
	p.w.t.Helper()
	p.Do(func(c *rpcenv.Context) { c.Send(to, m) })
}

// Next is the next message that the Probe has not given out yet; the world runs until there is one.
func (p *Probe) Next() rpcenv.Message {
	p.w.t.Helper()
	p.w.Until("a message for the probe", func() bool { return p.read < len(p.got) })
	p.read++
	return p.got[p.read-1]
}

// Waiting is what came and was not given out by Next.
func (p *Probe) Waiting() []rpcenv.Message { return p.got[p.read:] }

// Events are the connection events that the Probe heard: "connected HOST:PORT", "disconnected HOST:PORT".
func (p *Probe) Events() []string { return p.events }

// Quiet lets d pass and fails the test if the Probe got a message meanwhile.
func (p *Probe) Quiet(d time.Duration) {
	p.w.t.Helper()
	n := len(p.got)
	p.w.Advance(d)
	if len(p.got) > n {
		p.w.t.Errorf("the probe got %T within %s", p.got[n], d)
	}
}

// OnStart is a callback of the endpoint.
func (p *Probe) OnStart(c *rpcenv.Context) { p.post = c.Outside("test") }

// OnConnected is a callback of the endpoint.
func (p *Probe) OnConnected(_ *rpcenv.Context, peer rpcenv.Address) {
	p.events = append(p.events, "connected "+peer.String())
}

// OnDisconnected is a callback of the endpoint.
func (p *Probe) OnDisconnected(_ *rpcenv.Context, peer rpcenv.Address) {
	p.events = append(p.events, "disconnected "+peer.String())
}

// Receive is a callback of the endpoint.
func (p *Probe) Receive(c *rpcenv.Context, m rpcenv.Message) {
	if d, ok := m.(do); ok {
		d.f(c)
		return
	}
	if p.on != nil && p.on(c, m) {
		return
	}
	p.got = append(p.got, m)
}

// Ask asks from a Probe and runs the world until the answer is there.
func Ask[R rpcenv.Message](p *Probe, to rpcenv.Ref, q rpcenv.Message, opts ...rpcenv.AskOption) (R, error) {
	p.w.t.Helper()
	var answer R
	var failure error
	done := false
	p.Do(func(c *rpcenv.Context) {
		rpcenv.AskAs(c, to, q, func(r R, err error) { answer, failure, done = r, err, true }, opts...)
	})
	p.w.Until("an answer", func() bool { return done })
	return answer, failure
}
