package sim_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"google.golang.org/protobuf/types/known/wrapperspb"

	tracepb "github.com/coherer/coherer/messages/trace"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/fault"
	"github.com/coherer/coherer/rpcenv/sim"
	"github.com/coherer/coherer/rpcenv/sim/invariant"
	"github.com/coherer/coherer/rpcenv/trace"
)

// The workload: processes that listen, each with two endpoints that talk to those of all others, for a while.
const (
	processes = 4
	talkTime  = 2 * time.Second
	talkEvery = 100 * time.Millisecond
	mostTold  = 3 // messages a tick
	planSize  = 8
)

// load is a workload in a World, and what its endpoints saw.
type load struct {
	w      *sim.World
	trace  []*tracepb.Record // all that was recorded, as it was made: cheaper than the Recorder's, which are decoded
	rnd    *rand.Rand
	names  []string
	live   map[string]*process
	all    []*process
	silent bool // nobody starts anything new
	plant  bool // of a bug: see hear
	moved  bool // faults double messages or change their order

	asked, ended, handled int
	problems              []string
}

// process is one life of a process.
type process struct {
	l       *load
	name    string
	host    *sim.Host
	env     *rpcenv.Env
	parts   []*chatter
	stopped bool // the test shut it down
	crashed bool // the trace says so
}

// planOf is the Plan that belongs to a seed.
func planOf(seed uint64) fault.Plan {
	p := fault.Random(rand.New(rand.NewPCG(seed, 2)), processNames(), talkTime, planSize)
	p.Seed = seed
	return p
}

func processNames() []string {
	var out []string
	for i := range processes {
		out = append(out, fmt.Sprint("P", i))
	}
	return out
}

// outcome is what came of a run.
type outcome struct {
	problems []string
	digest   string
	handled  int
}

// runLoad runs the workload of a seed under a Plan and says what was wrong.
func runLoad(seed uint64, plan fault.Plan) outcome { return newLoad(seed).run(plan) }

func newLoad(seed uint64) *load {
	l := &load{w: sim.New(seed, 0), rnd: rand.New(rand.NewPCG(seed, 1)), names: processNames(), live: map[string]*process{}}
	l.w.Recorder().Watch(func(r *tracepb.Record) { l.trace = append(l.trace, r) })
	return l
}

func (l *load) run(plan fault.Plan) outcome {
	for i, name := range l.names {
		if _, err := l.w.Boot(name, fmt.Sprintf("10.0.0.%d", i+1), l.boot); err != nil {
			l.problem("%v", err)
		}
	}
	l.moved = slices.ContainsFunc(plan.Faults, func(t fault.Timed) bool {
		return t.Verb == fault.Duplicate || t.Verb == fault.Reorder
	})
	l.w.Schedule(plan)
	l.talk()
	l.finish()
	return outcome{l.problems, invariant.Digest(l.trace), l.handled}
}

func (l *load) problem(format string, args ...any) {
	if len(l.problems) < 20 {
		l.problems = append(l.problems, fmt.Sprintf(format, args...))
	}
}

// boot is a life of a process.
func (l *load) boot(h *sim.Host) error {
	p := &process{l: l, name: fmt.Sprintf("%s.%d", h.Name(), len(l.all)), host: h}
	env, err := rpcenv.New(h, rpcenv.Config{Name: h.Name(), Listen: rpcenv.Address{Host: h.IP(), Port: 7077}})
	if err != nil {
		return err
	}
	p.env = env
	for _, name := range []string{"A", "B"} {
		c := &chatter{p: p, name: p.name + "/" + name, up: map[rpcenv.Address]int{}}
		if _, err := env.Register(name, c); err != nil {
			return err
		}
		p.parts = append(p.parts, c)
	}
	l.live[h.Name()] = p
	l.all = append(l.all, p)
	return nil
}

// talk lets time pass. Now and then a process is shut down in good order, and begins again.
func (l *load) talk() {
	for l.w.Now().Sub(sim.Start) < talkTime {
		l.w.Advance(time.Duration(l.rnd.IntN(400)) * time.Millisecond)
		p := l.live[l.names[l.rnd.IntN(processes)]]
		if _, dead := p.host.Exited(); dead || p.stopped || l.rnd.IntN(5) > 0 {
			continue
		}
		p.stopped = true
		p.env.Shutdown()
		p.env.OnDone(func() {
			p.host.After(time.Millisecond, func() { p.host.Exit(0) })
		})
	}
}

// finish ends all faults and waits for all that is under way, then shuts down.
func (l *load) finish() {
	l.w.Calm()
	for _, name := range l.names {
		if p := l.live[name]; p.stopped {
			l.w.Advance(2 * time.Second)
			l.revive(name)
		} else if _, dead := p.host.Exited(); dead {
			l.revive(name)
		}
	}
	l.w.Advance(300 * time.Millisecond) // they talk in peace
	l.silent = true
	l.w.Advance(20 * time.Minute)
	l.checkEnd()
	for _, name := range l.names {
		l.live[name].stopped = true
		l.live[name].env.Shutdown()
	}
	l.w.Advance(5 * time.Second)
	for _, p := range l.all {
		l.checkShutdown(p)
	}
	for _, v := range invariant.Check(l.trace, invariant.Options{Over: true}) {
		l.problem("%s", v)
	}
	l.checkTold(l.trace)
	l.w.Close()
	if !l.w.Quiet() {
		l.problem("quiet: something is under way after Close")
	}
}

func (l *load) revive(name string) {
	if err := l.w.Restart(name); err != nil {
		l.problem("%v", err)
	}
}

// checkEnd is what holds when nothing is under way any more.
func (l *load) checkEnd() {
	if !l.w.Quiet() {
		l.problem("quiet: something is under way at the end")
	}
	if l.handled == 0 || l.asked == 0 || l.ended == 0 {
		l.problem("nothing happened: %d handled, %d asked, %d ended", l.handled, l.asked, l.ended)
	}
	for _, name := range l.names {
		for _, c := range l.live[name].parts {
			if c.asks != 0 {
				l.problem("ask: %s: %d never ended", c.name, c.asks)
			}
			if c.runs != 0 {
				l.problem("run: %s: %d never ended", c.name, c.runs)
			}
		}
	}
}

// checkShutdown is what holds of a process that was shut down and did not crash before that was done.
func (l *load) checkShutdown(p *process) {
	select {
	case <-p.env.Done():
	default:
		if code, dead := p.host.Exited(); !dead || code == 0 {
			l.problem("shutdown: %s is not done", p.name)
		}
		return
	}
	for _, c := range p.parts {
		if !c.started || !c.stopped {
			l.problem("shutdown: %s: started %v, stopped %v", c.name, c.started, c.stopped)
		}
	}
}

// checkTold: whatever an endpoint sent is in the trace, as sent or as dropped, unless it waited for a connection when its
// process crashed.
func (l *load) checkTold(records []*tracepb.Record) {
	type place struct {
		env      uint32
		endpoint string
	}
	known, lives, address := map[place]int{}, map[uint32]*process{}, map[uint32]string{}
	for _, r := range records {
		at := place{r.GetEnv(), r.GetEndpoint()}
		switch r.GetKind() {
		case tracepb.Kind_ENV:
			if len(lives) < len(l.all) && r.GetEnv() != trace.WorldEnv {
				lives[r.GetEnv()], address[r.GetEnv()] = l.all[len(lives)], r.GetAddress()
			}
		case tracepb.Kind_STATE:
			if p := lives[r.GetEnv()]; p != nil && r.GetName() == "process" {
				p.crashed = true
			}
		case tracepb.Kind_SENT:
			if r.GetForm() == tracepb.Form_SEND && !trace.IsCopy(r.GetId().GetN()) {
				known[at]++
			}
		case tracepb.Kind_DROP:
			if r.GetForm() == tracepb.Form_SEND && r.GetId() == nil && r.GetAddress() != address[r.GetEnv()] {
				known[at]++ // it never left
			}
		}
	}
	for _, env := range slices.Sorted(maps.Keys(lives)) {
		p := lives[env]
		for i, c := range p.parts {
			if n := known[place{env, string(rune('A' + i))}]; n != c.told && !p.crashed {
				l.problem("lost: %s told %d, the trace knows of %d", c.name, c.told, n)
			}
		}
	}
}

// chatter is an endpoint that talks at random and checks what it sees.
type chatter struct {
	p    *process
	name string

	started, stopped, inside bool
	asks, runs, told         int
	clock                    rpcenv.Timer
	up                       map[rpcenv.Address]int
	heard                    map[string]int // by sender: the last number
	held                     rpcenv.Call[rpcenv.Message]
}

type chat struct{ rpcenv.Local }

// enter checks the life cycle; what it returns is called at the end.
func (c *chatter) enter(what string) func() {
	l := c.p.l
	switch _, dead := c.p.host.Exited(); {
	case c.inside:
		l.problem("serial: %s: %s within another callback", c.name, what)
	case c.stopped:
		l.problem("stop: %s: %s after OnStop", c.name, what)
	case !c.started && what != "OnStart":
		l.problem("start: %s: %s before OnStart", c.name, what)
	case c.started && what == "OnStart":
		l.problem("start: %s: OnStart again", c.name)
	case dead:
		l.problem("dead: %s: %s after the end of the process", c.name, what)
	}
	c.inside = true
	return func() { c.inside = false }
}

func (c *chatter) OnStart(ctx *rpcenv.Context) {
	defer c.enter("OnStart")()
	c.started = true
	c.clock = ctx.Every(0, talkEvery, chat{})
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
		c.p.l.problem("connection: %s: disconnected from %s more often than connected", c.name, peer)
	}
}

func (c *chatter) Receive(ctx *rpcenv.Context, m rpcenv.Message) {
	defer c.enter("Receive")()
	l := c.p.l
	l.handled++
	if from := ctx.Sender(); from != c.p.env.Address() && c.up[from] < 1 {
		l.problem("connection: %s: a message of %s, which is not connected", c.name, from)
	}
	switch m := m.(type) {
	case chat:
		if l.silent {
			ctx.Cancel(c.clock)
			return
		}
		c.talk(ctx)
	case *wrapperspb.StringValue:
		c.hear(m.GetValue())
	case *wrapperspb.Int32Value:
		c.answer(ctx, m)
	default:
		ctx.Unsupported(m)
	}
}

// talk sends a few messages and perhaps an ask, to another process or its own.
func (c *chatter) talk(ctx *rpcenv.Context) {
	l := c.p.l
	to := l.live[l.names[ctx.Rand().IntN(processes)]]
	ref := ctx.Env().Ref(to.env.Address(), []string{"A", "B", "A", "B", "B", "Nobody"}[ctx.Rand().IntN(6)])
	for range ctx.Rand().IntN(mostTold + 1) {
		c.told++
		ctx.Send(ref, wrapperspb.String(c.name+" "+strconv.Itoa(c.told)))
	}
	if ctx.Rand().IntN(2) == 0 {
		return
	}
	c.asks++
	l.asked++
	n, over := int32(ctx.Rand().IntN(5)), false
	rpcenv.AskAs(ctx, ref, wrapperspb.Int32(n), func(r *wrapperspb.Int32Value, err error) {
		defer c.enter("the end of an ask")()
		if over {
			l.problem("ask: %s: ended twice", c.name)
		}
		over = true
		c.asks--
		l.ended++
		switch {
		case err == nil && (r.GetValue() != 2*n || n == 3):
			l.problem("answer: %s: asked %d, got %d", c.name, n, r.GetValue())
		case err != nil && to != c.p && !errors.Is(err, rpcenv.ErrRefused) && !errors.Is(err, rpcenv.ErrUnreachable):
			l.problem("family: %s: %v", c.name, err)
		}
	}, rpcenv.Timeout("test", 2*time.Second))
}

// hear checks that a sender's numbers grow. It has the bug that is planted on purpose: once a process has begun again, who
// hears the same twice fails.
func (c *chatter) hear(text string) {
	l := c.p.l
	from, number, _ := strings.Cut(text, " ")
	n, err := strconv.Atoi(number)
	if err != nil {
		l.problem("content: %s heard %q", c.name, text)
	}
	last := c.heard[from]
	switch {
	case l.plant && n == last && len(l.all) > processes:
		l.problem("planted: %s heard %s twice", c.name, text)
	case n <= last && !l.moved:
		l.problem("FIFO: %s heard %s after %d", c.name, text, last)
	}
	if c.heard == nil {
		c.heard = map[string]int{}
	}
	c.heard[from] = n
}

// answer doubles, fails, forgets, answers late, or after work.
func (c *chatter) answer(ctx *rpcenv.Context, m *wrapperspb.Int32Value) {
	switch m.GetValue() {
	case 4:
		c.held.Reply(wrapperspb.Int32(8)) // of the ask before
		c.held = rpcenv.Defer(ctx, typed{m})
	case 3:
		if ctx.Rand().IntN(2) == 0 {
			panic("three")
		}
	case 2:
		c.runs++
		rpcenv.Run(ctx, "lane", func(b *rpcenv.Blocking) (int, error) {
			return 0, b.Sleep(time.Duration(ctx.Rand().IntN(300)) * time.Millisecond)
		}, func(int, error) {
			defer c.enter("the end of a Run")()
			c.runs--
		})
		rpcenv.ReplyAs(ctx, m, wrapperspb.Int32(4))
	default:
		rpcenv.ReplyAs(ctx, m, wrapperspb.Int32(2*m.GetValue()))
	}
}

// typed gives a message a type of answer.
type typed struct{ *wrapperspb.Int32Value }

func (typed) ReplyType() rpcenv.Message { return nil }

// has reports whether a problem of that kind is among them.
func has(problems []string, kind string) bool {
	return slices.ContainsFunc(problems, func(p string) bool { return kindOf(p) == kind })
}
