package scenario

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/coherer/coherer/cluster/known"
	"github.com/coherer/coherer/rpcenv/conf"
	"github.com/coherer/coherer/rpcenv/fault"
	"github.com/coherer/coherer/rpcenv/rpctest/script/syntax"
)

// Life is a random life of a cluster: what happens in it follows from these fields alone.
type Life struct {
	Seed uint64 `json:"seed"`
	// Masters is how many; of several one leads, and the others are standbys over a store that all see.
	Masters int `json:"masters"`
	Workers int `json:"workers"`
	// YARN: the cluster has a ResourceManager instead of Masters, and NodeManagers instead of Workers.
	YARN bool `json:"yarn,omitempty"`
	// Apps are applications whose executors are stand-ins, Drivers those with a driver that runs jobs.
	Apps    int `json:"apps"`
	Drivers int `json:"drivers"`
	// Faults are kinds of FaultKinds; empty: none.
	Faults []string `json:"faults"`
	// For is how long it is, of virtual time.
	For time.Duration `json:"for"`
	// Conf are settings of all processes, KEY=VALUE.
	Conf []string `json:"conf,omitempty"`
}

// FaultKinds are the kinds of faults of a Life.
var FaultKinds = []string{"crash", "executor", "pause", "vanish", "cut", "isolate", "reset", "slow", "drop", "duplicate", "master"}

// ParseFaults reads all, none or a list of FaultKinds.
func ParseFaults(text string) ([]string, error) {
	switch text {
	case "all":
		return slices.Clone(FaultKinds), nil
	case "none":
		return nil, nil
	}
	kinds := strings.Split(text, ",")
	for _, k := range kinds {
		if !slices.Contains(FaultKinds, k) {
			return nil, fmt.Errorf("--faults: %w", syntax.Unknown("fault", k, FaultKinds))
		}
	}
	return kinds, nil
}

// Validate reports all that is wrong with l.
func (l *Life) Validate() error {
	var errs []error
	for _, n := range []struct {
		name      string
		n, least  int
		mostOfAll int
	}{{"masters", l.Masters, 1, 9}, {"workers", l.Workers, 1, 1000}, {"apps", l.Apps, 0, 1000}, {"drivers", l.Drivers, 0, 100}} {
		if n.n < n.least || n.n > n.mostOfAll {
			errs = append(errs, fmt.Errorf("%d %s: want %d to %d", n.n, n.name, n.least, n.mostOfAll))
		}
	}
	const workersOnly = "%s is for a cluster of Workers: leave it out with --yarn"
	if l.YARN && l.Masters > 1 {
		errs = append(errs, fmt.Errorf(workersOnly, "--masters"))
	}
	if l.YARN && l.Drivers > 0 {
		errs = append(errs, fmt.Errorf(workersOnly, "--drivers"))
	}
	pairs := map[string]string{}
	for _, kv := range l.Conf {
		key, value, ok := strings.Cut(kv, "=")
		if !ok || key == "" || strings.ContainsAny(kv, " \t\n") {
			errs = append(errs, fmt.Errorf("--conf %q: want KEY=VALUE without blanks", kv))
			continue
		}
		pairs[key] = value
	}
	if _, err := conf.New(pairs, known.All()); err != nil {
		errs = append(errs, fmt.Errorf("--conf: %w", err))
	}
	if l.For < time.Minute || l.For > 1000*time.Hour {
		errs = append(errs, fmt.Errorf("a life of %s: want a minute at least, and 1000 hours at most", l.For))
	}
	return errors.Join(errs...)
}

// In a Life storm and calm take turns: the faults of a storm end with it, and the calm gives the cluster the quiet time that the
// deadlines of its rules count.
const (
	storm = 4 * time.Minute
	calm  = 4 * time.Minute
)

// event is a line of the script with its time.
type event struct {
	at   time.Duration
	line string
}

// generator makes the events of a Life.
type generator struct {
	*Life
	rnd    *rand.Rand
	events []event
	// dead are the daemons that a storm ended and that start again after it.
	dead   map[string]bool
	leader int
	down   map[int]bool // Masters
}

func (g *generator) add(at time.Duration, format string, args ...any) {
	g.events = append(g.events, event{at.Truncate(time.Millisecond), fmt.Sprintf(format, args...)})
}

// within is a time between two.
func (g *generator) within(from, to time.Duration) time.Duration {
	if to <= from {
		return from
	}
	return from + time.Duration(g.rnd.Int64N(int64(to-from)))
}

func (g *generator) one(n int) int { return 1 + g.rnd.IntN(n) }

// generate makes the events, in the order of their times.
func (l *Life) generate() []event {
	g := &generator{Life: l, rnd: rand.New(rand.NewPCG(l.Seed, 0x6c696665)), dead: map[string]bool{}, leader: 1, down: map[int]bool{}}
	// Every draw moves the generator: in another order each seed would have another life.
	for i := range l.Workers {
		// Most run from the beginning, some join.
		at := time.Duration(0)
		if g.rnd.IntN(4) == 0 {
			at = g.within(0, l.For/2)
		}
		if l.YARN {
			g.node(i+1, at)
			continue
		}
		g.add(at, "start worker W%d master=%s cores=%d memory=%dg", i+1, l.masters(), 1<<g.rnd.IntN(4), 1<<g.rnd.IntN(4))
	}
	for i := range l.Apps {
		if l.YARN {
			g.onYARN(i + 1)
			continue
		}
		g.app(i + 1)
	}
	for i := range l.Drivers {
		g.add(g.within(time.Second, l.For/2), "submit D%d sleep --tasks=%d --task-time=%ds master=%s spark.executor.memory=512m spark.executor.cores=1 spark.cores.max=%d",
			i+1, g.one(20), g.one(20), l.masters(), g.one(6))
	}
	// No storm without a whole calm behind it: what it leaves behind would not be judged.
	for begin := 10 * time.Second; begin+storm+calm <= l.For+10*time.Second && len(l.Faults) > 0; begin += storm + calm {
		g.storm(begin, begin+storm)
	}
	slices.SortStableFunc(g.events, func(a, b event) int { return int(a.at - b.at) })
	return g.events
}

// masters are the names of all.
func (l *Life) masters() string {
	var names []string
	for i := range l.Masters {
		names = append(names, "M"+strconv.Itoa(i+1))
	}
	return strings.Join(names, ",")
}

// app is an application's life: most end in good order, the executors of some fail.
func (g *generator) app(i int) {
	begin := g.within(time.Second, g.For*3/4)
	line := fmt.Sprintf("app A%d master=%s max=%d memory=%dm", i, g.masters(), g.one(16), 256<<g.rnd.IntN(4))
	if g.rnd.IntN(3) > 0 {
		line += " cores=" + strconv.Itoa(1<<g.rnd.IntN(3))
	}
	if g.rnd.IntN(3) == 0 {
		line += " executors=" + strconv.Itoa(g.one(4))
	}
	switch g.rnd.IntN(6) {
	case 0:
		line += fmt.Sprintf(" exit=1 after=%s healthy=0", g.within(100*time.Millisecond, 5*time.Second).Truncate(time.Millisecond))
	case 1:
		line += fmt.Sprintf(" exit=%d after=%s", g.rnd.IntN(2), g.within(time.Second, 5*time.Minute).Truncate(time.Second))
	}
	g.add(begin, "%s", line)
	if g.rnd.IntN(4) > 0 {
		g.add(g.within(begin+10*time.Second, g.For), "stop A%d", i)
	}
}

// storm is a time in which things go wrong.
func (g *generator) storm(from, to time.Duration) {
	for range 2 + g.rnd.IntN(3+g.Workers/4) {
		at := g.within(from, to-time.Second)
		g.fault(at, g.within(at+100*time.Millisecond, to))
	}
	g.add(to, "calm")
	// After the calm has healed the network: a daemon that starts into a cut would only wait.
	for _, name := range slices.Sorted(maps.Keys(g.dead)) {
		g.add(to+time.Millisecond, "restart %s", name)
	}
	clear(g.dead)
	if len(g.down) > 0 {
		for i := 1; i <= g.Masters; i++ {
			if g.down[i] {
				g.add(to+time.Millisecond, "restart M%d", i)
			}
		}
		clear(g.down)
	}
}

// fault is something that goes wrong at a time, until another.
func (g *generator) fault(at, until time.Duration) {
	// Both are drawn, and before the kind, whether that needs them or not: see generate.
	w := "W" + strconv.Itoa(g.one(g.Workers))
	m := "M" + strconv.Itoa(g.one(g.Masters))
	if g.YARN {
		w, m = "NM"+w[1:], "RM"
	}
	switch kind := g.Faults[g.rnd.IntN(len(g.Faults))]; kind {
	case "crash":
		g.add(at, "kill %s", w)
		if g.rnd.IntN(2) == 0 {
			g.add(until, "restart %s", w)
		} else {
			g.dead[w] = true
		}
	case "executor":
		if g.YARN && g.rnd.IntN(2) == 0 {
			g.add(at, "kill A%d", g.one(max(g.Apps, 1)))
			return
		}
		// Which executors live at that time, nobody knows here. The ids of each application begin at 0, so low ones are likely to; a
		// kill that finds none does nothing.
		g.add(at, "kill Exec%d", g.rnd.IntN(6))
	case "pause":
		g.add(at, "pause %s", w)
		g.add(until, "resume %s", w)
	case "vanish":
		g.add(at, "vanish %s", w)
		g.dead[w] = true
	case "cut":
		oneway := []string{"", " oneway"}[g.rnd.IntN(2)]
		g.add(at, "cut %s %s%s", w, m, oneway)
		g.add(until, "heal %s %s%s", w, m, oneway)
	case "isolate":
		g.add(at, "cut %s *", w)
		g.add(until, "heal %s *", w)
	case "reset":
		g.add(at, "reset %s %s %s", w, m, g.within(0, 3*time.Second).Truncate(time.Millisecond))
	case "slow":
		g.add(at, "delay %s %s %s", w, m, g.within(time.Millisecond, 2*time.Second).Truncate(time.Millisecond))
	case "drop":
		if g.YARN { // YARN's messages are all asks: an answer lost on a living connection is waited for until a time-out
			g.add(at, "reset %s %s 0s", w, m)
			return
		}
		g.add(at, "drop %s->*:%s n=%d", w, []string{"Heartbeat", "ExecutorStateChanged"}[g.rnd.IntN(2)], g.one(4))
	case "duplicate":
		g.add(at, "duplicate %s n=%d", []string{w + "->" + m + ":*", m + "->" + w + ":*", "A*->" + m + ":RegisterApplication"}[g.rnd.IntN(3)], g.one(4))
	case "master":
		g.master(at)
	}
}

// master is the end of a Master. Of several the leader ends, and a moment later another is elected.
func (g *generator) master(at time.Duration) {
	if g.YARN {
		g.add(at, "restart RM")
		return
	}
	if g.Masters == 1 {
		g.add(at, "restart M1")
		return
	}
	if len(g.down) > 0 {
		return // one at a time, or nobody could be left to lead
	}
	old := g.leader
	g.leader = old%g.Masters + 1
	g.down[old] = true
	g.add(at, "kill M%d", old)
	g.add(at+g.within(time.Second, 5*time.Second), "elect M%d", g.leader)
}

// header has the first lines of a Life's script.
func (l *Life) header(rules ...string) []string {
	first := []string{fmt.Sprintf("cluster worlds=(sim) seed=%d membership=true", l.Seed)}
	if l.YARN {
		first = append(first, yarnSettings...)
	}
	lines := []string{strings.Join(append(first, l.Conf...), " ")}
	if len(rules) > 0 {
		lines = append(lines, "invariants "+strings.Join(rules, " "))
	}
	lines = append(lines, "hide")
	switch {
	case l.YARN:
		return append(lines, "start resourcemanager RM recovery=FILESYSTEM queues="+yarnQueues)
	case l.Masters == 1:
		return append(lines, "start master M1")
	}
	for i := range l.Masters {
		lines = append(lines, fmt.Sprintf("start master M%d store=S election=true", i+1))
	}
	return append(lines, "elect M1", "settle")
}

// script is a Life's script with some of its events, as a plan has them: by their numbers, at their times.
func (l *Life) script(events []event, p fault.Plan, rules ...string) *Script {
	s := &Script{Name: fmt.Sprintf("sim-%d", l.Seed)}
	lines := l.header(rules...)
	for _, t := range p.Faults {
		i, _ := strconv.Atoi(t.A)
		lines = append(lines, fmt.Sprintf("at %s %s", t.At, events[i].line))
	}
	// The first storm begins after ten seconds: with so many more the last calm is whole.
	lines = append(lines, fmt.Sprintf("advance %s", l.For+10*time.Second))
	s.Blocks = []Block{{Line: 1, Verbs: lines}}
	return s
}

// planOf are all events of a Life as a plan, which Shrink can make smaller: each fault of it stands for an event, by its number.
func planOf(events []event) fault.Plan {
	var p fault.Plan
	for i, e := range events {
		p.Faults = append(p.Faults, fault.Timed{At: e.at, Fault: fault.Fault{Verb: fault.Pause, A: strconv.Itoa(i)}})
	}
	return p
}
