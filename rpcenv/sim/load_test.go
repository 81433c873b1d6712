package sim_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"time"

	tracepb "github.com/coherer/coherer/messages/trace"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
	"github.com/coherer/coherer/rpcenv/fault"
	"github.com/coherer/coherer/rpcenv/sim"
	"github.com/coherer/coherer/rpcenv/sim/invariant"
	"github.com/coherer/coherer/rpcenv/trace/record"
)

// The workload: processes that listen, each with two endpoints that talk to those of all others, for a while.
const (
	processes = 4
	talkTime  = 2 * time.Second
	talkEvery = 100 * time.Millisecond
	mostSaid  = 3 // messages a tick
	planSize  = 8
)

// load is a workload in a World, and what its endpoints saw.
type load struct {
	w      *sim.World
	conf   *conf.Conf
	trace  []*tracepb.Record // all that was recorded, as it was made: cheaper than the Recorder's, which are decoded
	rnd    *rand.Rand
	names  []string
	live   map[string]*process
	all    []*process
	silent bool // nobody starts anything new
	plant  bool // of a bug: see hear
	moved  bool // faults double messages or change their order
	flood  bool // they say more than they can hear

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
	env, err := rpcenv.New(h, rpcenv.Config{Name: h.Name(), Listen: rpcenv.Address{Host: h.IP(), Port: 7077}, Log: rpcenv.NoLog(), Conf: l.conf})
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
	l.checkSaid(l.trace)
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

// checkSaid: whatever an endpoint sent is in the trace, as sent or as dropped, unless it waited for a connection when its
// process crashed.
func (l *load) checkSaid(records []*tracepb.Record) {
	type place struct {
		env      uint32
		endpoint string
	}
	known, lives, address := map[place]int{}, map[uint32]*process{}, map[uint32]string{}
	for _, r := range records {
		at := place{r.GetEnv(), r.GetEndpoint()}
		switch r.GetKind() {
		case tracepb.Kind_ENV:
			if len(lives) < len(l.all) && r.GetEnv() != record.WorldEnv {
				lives[r.GetEnv()], address[r.GetEnv()] = l.all[len(lives)], r.GetAddress()
			}
		case tracepb.Kind_STATE:
			if p := lives[r.GetEnv()]; p != nil && r.GetName() == "process" {
				p.crashed = true
			}
		case tracepb.Kind_SENT:
			if r.GetForm() == tracepb.Form_SEND && !record.IsCopy(r.GetId().GetN()) {
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
			if n := known[place{env, string(rune('A' + i))}]; n != c.said && !p.crashed {
				l.problem("lost: %s said %d, the trace knows of %d", c.name, c.said, n)
			}
		}
	}
}

// has reports whether a problem of that kind is among them.
func has(problems []string, kind string) bool {
	return slices.ContainsFunc(problems, func(p string) bool { return kindOf(p) == kind })
}
