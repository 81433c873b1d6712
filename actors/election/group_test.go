package election

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/sirupsen/logrus"

	"github.com/coherer/coherer/actors/master"
	"github.com/coherer/coherer/actors/records"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/sim"
	"github.com/coherer/coherer/rpcenv/trace"
)

// group is a group of Masters in a World, each a process M1, M2, ... at 10.0.0.N:7077, with a disk that outlives it. What it
// sees that must not be is a problem.
type group struct {
	w        *sim.World
	cfg      Config
	names    []string
	logs     map[string]*MemoryLog
	elect    map[string]*Election // of the youngest process
	envs     map[string]*rpcenv.Env
	leaders  map[uint64]string // by term: the Master that got ElectedLeader
	leads    map[string]uint64 // the term in which each Master leads by its own account
	acked    map[string]string // what a Write said is durable
	writing  map[string]string // what was asked for
	changed  time.Time         // when a Master last got ElectedLeader
	elected  int
	written  int
	lost     int
	problems []string
	idle     bool // Masters write nothing
	logTo    io.Writer
	text     strings.Builder
	failure  error // of the last write that failed
	trace    string

	snapshots int           // that were sent
	took      time.Duration // from the end of the faults to a leader
}

func newGroup(seed uint64, n int, cfg Config) *group {
	g := &group{
		w: sim.New(seed, 64<<10), cfg: cfg, logs: map[string]*MemoryLog{}, elect: map[string]*Election{}, envs: map[string]*rpcenv.Env{},
		leaders: map[uint64]string{}, leads: map[string]uint64{}, acked: map[string]string{}, writing: map[string]string{}, logTo: io.Discard,
	}
	if os.Getenv("ELECTION_LOG") != "" {
		g.logTo = os.Stderr
	}
	for i := range n {
		g.names = append(g.names, fmt.Sprintf("M%d", i+1))
		g.cfg.Peers = append(g.cfg.Peers, rpcenv.Address{Host: fmt.Sprintf("10.0.0.%d", i+1), Port: 7077})
	}
	for _, name := range g.names {
		g.logs[name] = &MemoryLog{Takes: 2 * time.Millisecond}
	}
	return g
}

func (g *group) problem(format string, args ...any) {
	g.problems = append(g.problems, fmt.Sprintf(format, args...))
}

// start starts all Masters.
func (g *group) start() error {
	for i := range g.names {
		if err := g.boot(i); err != nil {
			return err
		}
	}
	return nil
}

func (g *group) boot(i int) error {
	_, err := g.w.Boot(g.names[i], g.cfg.Peers[i].Host, func(h *sim.Host) error { return g.run(h, i) })
	return err
}

// run is the program of a Master's process.
func (g *group) run(h *sim.Host, i int) error {
	log := logrus.New()
	log.SetOutput(g.logTo)
	log.SetLevel(logrus.DebugLevel)
	name := g.names[i]
	cfg := g.cfg
	cfg.Self, cfg.Log = cfg.Peers[i], g.logs[name]
	delete(g.leads, name)
	env, err := rpcenv.New(h, rpcenv.Config{Name: name, Listen: cfg.Self, Log: logrus.NewEntry(log).WithField("env", name)})
	if err != nil {
		return err
	}
	e := New(cfg)
	if _, err := env.Register("Master", &fake{g: g, name: name}); err != nil {
		return err
	}
	if _, err := env.Register(Name, e); err != nil {
		return err
	}
	g.elect[name], g.envs[name] = e, env
	return nil
}

// fake stands for the Master: it writes for as long as it leads.
type fake struct {
	g    *group
	name string
}

func (f *fake) Receive(c *rpcenv.Context, m rpcenv.Message) {
	switch m := m.(type) {
	case master.ElectedLeader:
		f.elected(c, m)
	case master.RevokedLeadership:
		f.g.leads[f.name] = 0
	default:
		c.Unsupported(m)
	}
}

func (f *fake) elected(c *rpcenv.Context, m master.ElectedLeader) {
	g := f.g
	if other, ok := g.leaders[m.Term]; ok {
		g.problem("two leaders: %s and %s in term %d", other, f.name, m.Term)
	}
	g.leaders[m.Term], g.leads[f.name], g.changed = f.name, m.Term, c.Now()
	g.elected++
	must := maps.Clone(g.acked)
	rpcenv.Run(c, "writer", func(b *rpcenv.Blocking) (struct{}, error) {
		return struct{}{}, g.write(b, rpcenv.Ref{Address: c.Self().Address, Name: Name}, f.name, m.Term, must)
	}, func(struct{}, error) {})
}

// write loads the state and writes until it fails.
func (g *group) write(b *rpcenv.Blocking, election rpcenv.Ref, name string, term uint64, must map[string]string) error {
	store := &Store{Election: election}
	kept, bad, err := store.Load(b)
	if err != nil || len(bad) > 0 {
		return fmt.Errorf("%w %v", err, bad)
	}
	has := map[string]string{}
	for _, r := range kept {
		has[r.Key] = string(r.Value)
	}
	for _, key := range slices.Sorted(maps.Keys(must)) {
		if has[key] != must[key] {
			g.problem("lost: %s leads term %d with %s=%q, and %q was durable", name, term, key, has[key], must[key])
		}
	}
	for n := 0; !g.idle; n++ {
		key, value := fmt.Sprintf("%s-%d-%d", name, term, n), fmt.Sprint(b.Now().UnixNano())
		g.writing[key] = value
		if err := store.Write(b, []records.Change{{Key: key, Value: []byte(value)}, {Key: "last", Value: []byte(value)}}); err != nil {
			g.lost++
			g.failure = err
			return err
		}
		g.acked[key] = value
		g.written++
		if err := b.Sleep(150 * time.Millisecond); err != nil {
			return err
		}
	}
	return nil
}

// leader is the Master that leads when all that run have applied what it has; until then it is empty.
func (g *group) leader() string {
	name := ""
	for _, n := range g.names {
		if g.leads[n] != 0 && g.w.Find(n) != nil {
			if name != "" {
				return ""
			}
			name = n
		}
	}
	return name
}

// agreed reports whether all Masters run and have applied the same.
func (g *group) agreed() bool {
	if g.leader() == "" {
		return false
	}
	for _, n := range g.names {
		e := g.elect[n]
		if g.w.Find(n) == nil || e.phase != Member || e.machine.index != g.elect[g.names[0]].machine.index || e.behind {
			return false
		}
	}
	return true
}

// check looks at the end: all have the same records, with what was durable.
func (g *group) check() {
	first := g.elect[g.names[0]].machine.records
	for _, n := range g.names[1:] {
		if !maps.EqualFunc(first, g.elect[n].machine.records, bytes.Equal) {
			g.problem("different: %s and %s have applied the same entries", g.names[0], n)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(g.acked)) {
		if string(first[key]) != g.acked[key] {
			g.problem("lost: %s=%q in the end, and %q was durable", key, first[key], g.acked[key])
		}
	}
	for _, key := range slices.Sorted(maps.Keys(first)) {
		if w, ok := g.writing[key]; key != "last" && (!ok || w != string(first[key])) {
			g.problem("invented: %s=%q, and %q was asked for", key, first[key], w)
		}
	}
}

func (g *group) hash() string {
	h := sha256.New()
	merged := trace.Merge(g.w.Recorder().Records())
	for _, e := range merged.Entries {
		if e.K == trace.KindMsg && e.Type == "InstallSnapshot" {
			g.snapshots++
		}
	}
	merged.Source, merged.Seed = "sim", g.w.Seed()
	if err := merged.WriteJSONL(h); err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:16])
}

func random(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 7)) }
