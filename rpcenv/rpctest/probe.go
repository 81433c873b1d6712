package rpctest

import (
	"slices"
	"time"

	"github.com/coherer/coherer/rpcenv"
)

// Probe is an endpoint that a test speaks through. It records what it gets; an ask that nobody answers (see On) fails as
// that of any endpoint does.
type Probe struct {
	// Ref is the Probe's own reference.
	Ref rpcenv.Ref
	// Env is the Env that it lives in.
	Env *rpcenv.Env

	w      *World
	got    []rpcenv.Message
	read   int
	on     []func(c *rpcenv.Context, m rpcenv.Message) bool
	events []string
	post   func(rpcenv.Message)
}

// probeEvent is the name in the trace of what a test makes a Probe do.
const probeEvent = "the test"

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

// Probes are the World's Probes in the order of their making.
func (w *World) Probes() []*Probe { return w.probes }

// ProbeIn makes a Probe as an endpoint of env.
func (w *World) ProbeIn(env *rpcenv.Env, endpoint string) *Probe {
	w.t.Helper()
	p := &Probe{w: w}
	p.begin(env, endpoint)
	w.probes = append(w.probes, p)
	return p
}

func (p *Probe) begin(env *rpcenv.Env, endpoint string) {
	p.w.t.Helper()
	p.Env, p.post = env, nil
	p.Ref = p.w.Register(env, endpoint, p)
	p.w.Until(endpoint+" starts", func() bool { return p.post != nil }) // OnStart sets post: before it Do has no way in
}

// Crash ends the Probe's process as kill -9 does: its peers see their connections end.
func (p *Probe) Crash() {
	p.w.t.Helper()
	h := p.w.Find(p.Env.Name())
	if h == nil {
		p.w.t.Fatalf("probe %s: its process has ended", p.Ref.Name)
	}
	p.w.do(h.Kill)
	p.w.Settle()
}

// Restart begins the Probe anew at its address after a Crash, as another process: what it heard and what it answers are
// kept, its connections are not.
func (p *Probe) Restart() {
	p.w.t.Helper()
	if p.w.Find(p.Env.Name()) != nil {
		p.w.t.Fatalf("probe %s: it has not crashed", p.Ref.Name)
	}
	a := p.Ref.Address
	p.begin(p.w.env(a.Host, rpcenv.Config{Name: p.Env.Name(), Listen: a}), p.Ref.Name)
}

// Crashed reports whether the Probe's process has ended.
func (p *Probe) Crashed() bool { return p.w.Find(p.Env.Name()) == nil }

// On makes f see each message first; it may answer an ask. True: the message is dealt with and not recorded. Of several the
// last one comes first.
func (p *Probe) On(f func(c *rpcenv.Context, m rpcenv.Message) bool) { p.on = append(p.on, f) }

// Do runs f in the Probe's inbox, and the world until it ran.
func (p *Probe) Do(f func(c *rpcenv.Context)) {
	p.w.t.Helper()
	// Through the inbox and not at once: a Context is valid only in a callback of its endpoint.
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

// Ask asks from the Probe and goes on; the trace has the answer.
func (p *Probe) Ask(to rpcenv.Ref, q rpcenv.Message) {
	p.w.t.Helper()
	p.Do(func(c *rpcenv.Context) { rpcenv.AskAs(c, to, q, func(rpcenv.Message, error) {}) })
}

// Next is the next message that the Probe has not given out yet; the world runs until it has come.
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
func (p *Probe) OnStart(c *rpcenv.Context) { p.post = c.Outside(probeEvent) }

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
	for _, f := range slices.Backward(p.on) {
		if f(c, m) {
			return
		}
	}
	p.got = append(p.got, m)
}

// Ask asks from a Probe, runs the world until the answer is there, and returns it.
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
