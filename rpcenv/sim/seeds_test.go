package sim_test

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/wrapperspb"

	tracepb "github.com/coherer/coherer/messages/trace"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/sim"
	"github.com/coherer/coherer/rpcenv/trace"
)

const (
	seeds     = 200
	seedBatch = 20
	processes = 4
)

// A small random cluster tells, asks, crashes and is cut, and the rules of the runtime hold for every seed. Two
// processes log the same hashes.
func TestSeedsOfARandomWorkload(t *testing.T) {
	for first := uint64(1); first <= seeds; first += seedBatch {
		hash := sha256.New()
		for seed := first; seed < first+seedBatch; seed++ {
			l := newLoad(t, seed)
			l.run()
			l.check()
			l.hash(hash)
		}
		t.Logf("hash workload-%d-%d %x", first, first+seedBatch-1, hash.Sum(nil)[:16])
	}
}

// load is a workload in a World: processes that listen, each with two endpoints that talk to all others.
type load struct {
	t     *testing.T
	seed  uint64
	w     *sim.World
	rnd   *rand.Rand
	live  []*chatter
	all   []*chatter
	lives int

	asked, ended int
	told         map[stream]int // messages that were sent
	heard        map[stream]int // the number of the last message that arrived
	handled      int
}

// stream is what keeps its order: from one Env to one endpoint of another.
type stream struct{ from, to *chatter }

func newLoad(t *testing.T, seed uint64) *load {
	l := &load{t: t, seed: seed, w: sim.New(seed, 0), rnd: rand.New(rand.NewPCG(seed, 1)), told: map[stream]int{}, heard: map[stream]int{}}
	for i := range processes {
		l.start(i)
	}
	return l
}

func (l *load) errorf(format string, args ...any) {
	l.t.Helper()
	l.t.Errorf("seed %d: %s", l.seed, fmt.Sprintf(format, args...))
}

// start begins a life of process i. The address stays, the names are new.
func (l *load) start(i int) {
	l.lives++
	name := fmt.Sprintf("P%d.%d", i, l.lives)
	ip := fmt.Sprintf("10.0.0.%d", i+1)
	host := l.w.Host(name, ip)
	env, err := rpcenv.New(host, rpcenv.Config{Name: name, Listen: rpcenv.Address{Host: ip, Port: 7077}})
	if err != nil {
		l.t.Fatal(err)
	}
	c := &chatter{l: l, name: name, env: env, host: host, up: map[rpcenv.Address]int{}}
	if c.ref, err = env.Register("E", c); err != nil {
		l.t.Fatal(err)
	}
	l.all = append(l.all, c)
	if i < len(l.live) {
		l.live[i] = c
	} else {
		l.live = append(l.live, c)
	}
}

// run lets things happen for some seconds, then heals everything and waits for all asks.
func (l *load) run() {
	type cut struct{ a, b string }
	var cuts []cut
	for range 40 {
		l.w.Advance(time.Duration(l.rnd.IntN(200)) * time.Millisecond)
		switch i, j := l.rnd.IntN(processes), l.rnd.IntN(processes); l.rnd.IntN(8) {
		case 0:
			if i != j {
				c := cut{l.live[i].host.Name(), l.live[j].host.Name()}
				l.w.Cut(c.a, c.b)
				cuts = append(cuts, c)
			}
		case 1:
			if len(cuts) > 0 {
				k := l.rnd.IntN(len(cuts))
				l.w.Heal(cuts[k].a, cuts[k].b)
				cuts = append(cuts[:k], cuts[k+1:]...)
			}
		case 2:
			l.live[i].gone = true
			if l.rnd.IntN(2) == 0 {
				l.live[i].host.Kill()
			} else {
				l.live[i].env.Shutdown()
				l.w.Advance(2 * time.Second)
				l.live[i].down = true
				if _, dead := l.live[i].host.Exited(); !dead {
					l.live[i].host.Exit(0)
				}
			}
			l.start(i)
		case 3:
			l.w.Delay(l.live[i].host.Name(), l.live[j].host.Name(), time.Duration(l.rnd.IntN(50))*time.Millisecond)
		}
	}
	for _, c := range cuts {
		l.w.Heal(c.a, c.b)
	}
	for _, c := range l.live {
		c.silent = true
	}
	l.w.Advance(5 * time.Minute)
}

// check is what holds when all is over.
func (l *load) check() {
	if !l.w.Quiet() {
		l.errorf("something is under way at the end")
	}
	for _, c := range l.all {
		if !c.started {
			if !c.gone {
				l.errorf("%s did not start", c.name)
			}
			continue
		}
		if c.down && !c.stopped {
			l.errorf("%s was shut down without OnStop", c.name)
		}
		if !c.gone && c.asks != 0 {
			l.errorf("%s: %d asks never ended", c.name, c.asks)
		}
	}
	if l.handled == 0 || l.asked == 0 || l.ended == 0 {
		l.errorf("nothing happened: %d handled, %d asked, %d ended", l.handled, l.asked, l.ended)
	}
	l.checkLosses()
	for _, c := range l.live {
		c.env.Shutdown()
	}
	l.w.Advance(5 * time.Second)
	for _, c := range l.live {
		if !c.stopped {
			l.errorf("%s did not stop", c.name)
		}
		select {
		case <-c.env.Done():
		default:
			l.errorf("%s is not done", c.name)
		}
	}
	l.w.Close()
	if !l.w.Quiet() {
		l.errorf("something is under way after Close")
	}
}

// checkLosses: what was sent was handled, or its connection ended, or it is an event.
func (l *load) checkLosses() {
	handled, ended, gone, names := map[string]bool{}, map[uint64]bool{}, map[string]bool{}, map[uint32]string{}
	for _, c := range l.all {
		gone[c.name] = c.gone
	}
	key := func(id *tracepb.Id) string { return fmt.Sprint(id.GetConn(), id.GetBack(), id.GetEnv(), id.GetN()) }
	records := l.w.Recorder().Records()
	for _, r := range records {
		switch r.GetKind() {
		case tracepb.Kind_ENV:
			names[r.GetEnv()] = r.GetPeer()
		case tracepb.Kind_HANDLED:
			handled[key(r.GetId())] = true
		case tracepb.Kind_CONN:
			if r.GetName() == "disconnected" {
				ended[r.GetId().GetConn()] = true
			}
		}
	}
	for _, r := range records {
		if r.GetKind() != tracepb.Kind_SENT || handled[key(r.GetId())] {
			continue
		}
		conn := r.GetId().GetConn()
		if !ended[conn] && !(gone[names[r.GetEnv()]] && gone[r.GetPeer()]) { // of two that are gone nobody tells
			l.errorf("lost without an event: %v", r)
		}
	}
}

func (l *load) hash(to io.Writer) {
	tr := trace.Merge(l.w.Recorder().Records())
	tr.Source, tr.Seed = "sim", l.seed
	if err := tr.WriteJSONL(to); err != nil {
		l.t.Fatal(err)
	}
}

// chatter is an endpoint that talks at random and checks what it sees.
type chatter struct {
	l    *load
	name string
	env  *rpcenv.Env
	host *sim.Host
	ref  rpcenv.Ref

	gone, down, silent bool // the test ended it; in good order; it should start nothing new
	started, stopped   bool
	inside             bool
	asks               int
	clock              rpcenv.Timer
	up                 map[rpcenv.Address]int
}

type chat struct{ rpcenv.Local }

// enter checks the life cycle; what it returns is called at the end.
func (c *chatter) enter(what string) func() {
	switch {
	case c.inside:
		c.l.errorf("%s: %s within another callback", c.name, what)
	case c.stopped:
		c.l.errorf("%s: %s after OnStop", c.name, what)
	case !c.started && what != "OnStart":
		c.l.errorf("%s: %s before OnStart", c.name, what)
	}
	c.inside = true
	return func() { c.inside = false }
}

func (c *chatter) OnStart(ctx *rpcenv.Context) {
	defer c.enter("OnStart")()
	c.started = true
	c.clock = ctx.Every(0, 100*time.Millisecond, chat{})
}

func (c *chatter) OnStop(*rpcenv.Context) {
	c.enter("OnStop")()
	c.stopped = true
}

func (c *chatter) OnConnected(_ *rpcenv.Context, peer rpcenv.Address) {
	defer c.enter("OnConnected")()
	c.up[peer]++
}

func (c *chatter) OnDisconnected(_ *rpcenv.Context, peer rpcenv.Address) {
	defer c.enter("OnDisconnected")()
	if c.up[peer]--; c.up[peer] < 0 {
		c.l.errorf("%s: disconnected from %s more often than connected", c.name, peer)
	}
}

func (c *chatter) Receive(ctx *rpcenv.Context, m rpcenv.Message) {
	defer c.enter("Receive")()
	c.l.handled++
	switch m := m.(type) {
	case chat:
		if c.silent {
			ctx.Cancel(c.clock)
			return
		}
		c.talk(ctx)
	case *wrapperspb.StringValue:
		c.hear(ctx, m.GetValue())
	case *wrapperspb.Int32Value:
		c.answer(ctx, m)
	default:
		ctx.Unsupported(m)
	}
}

// talk sends a few messages and perhaps an ask.
func (c *chatter) talk(ctx *rpcenv.Context) {
	to := c.l.live[ctx.Rand().IntN(processes)]
	if to == c {
		return
	}
	for range ctx.Rand().IntN(4) {
		s := stream{c, to}
		c.l.told[s]++
		ctx.Send(to.ref, wrapperspb.String(fmt.Sprintf("%s %d", c.name, c.l.told[s])))
	}
	if ctx.Rand().IntN(2) == 0 {
		return
	}
	c.asks++
	c.l.asked++
	n, over := int32(ctx.Rand().IntN(4)), false
	rpcenv.AskAs(ctx, to.ref, wrapperspb.Int32(n), func(r *wrapperspb.Int32Value, err error) {
		defer c.enter("the end of an ask")()
		if over {
			c.l.errorf("%s: an ask ended twice", c.name)
		}
		over = true
		c.asks--
		c.l.ended++
		switch {
		case err == nil && (r.GetValue() != 2*n || n == 3):
			c.l.errorf("%s: asked %d, got %d", c.name, n, r.GetValue())
		case err != nil && !errors.Is(err, rpcenv.ErrRefused) && !errors.Is(err, rpcenv.ErrUnreachable):
			c.l.errorf("%s: of no family: %v", c.name, err)
		}
	}, rpcenv.Timeout("test", 2*time.Second))
}

// hear checks the order of a stream. A message may be for an earlier life at this address: it has a stream of its own.
func (c *chatter) hear(_ *rpcenv.Context, said string) {
	var from string
	var n int
	if _, err := fmt.Sscan(said, &from, &n); err != nil {
		c.l.errorf("%s heard %q", c.name, said)
		return
	}
	for _, sender := range c.l.all {
		if sender.name == from {
			s := stream{sender, c}
			if n <= c.l.heard[s] && sender.meant(c) {
				c.l.errorf("%s: message %d of %s after %d", c.name, n, from, c.l.heard[s])
			}
			c.l.heard[s] = n
		}
	}
}

// meant: whether all that c tells at that address was told to this life of it.
func (c *chatter) meant(to *chatter) bool {
	lives := 0
	for s := range c.l.told {
		if s.from == c && s.to.ref == to.ref {
			lives++
		}
	}
	return lives == 1
}

// answer doubles, fails, forgets, or answers later.
func (c *chatter) answer(ctx *rpcenv.Context, m *wrapperspb.Int32Value) {
	switch m.GetValue() {
	case 3:
		if ctx.Rand().IntN(2) == 0 {
			panic("three")
		}
	case 2:
		rpcenv.Run(ctx, "lane", func(b *rpcenv.Blocking) (int, error) {
			return 0, b.Sleep(time.Duration(ctx.Rand().IntN(300)) * time.Millisecond)
		}, func(int, error) { c.enter("the end of a Run")() })
		rpcenv.ReplyAs(ctx, m, wrapperspb.Int32(4))
	default:
		rpcenv.ReplyAs(ctx, m, wrapperspb.Int32(2*m.GetValue()))
	}
}
