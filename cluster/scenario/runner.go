package scenario

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/coherer/coherer/actors/executor"
	"github.com/coherer/coherer/cluster/known"
	"github.com/coherer/coherer/cluster/local"
	"github.com/coherer/coherer/cluster/recovery"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
	"github.com/coherer/coherer/rpcenv/rpctest/script/syntax"
	"github.com/coherer/coherer/rpcenv/trace"
)

// patience is how long a verb waits when the script does not say.
const patience = 30 * time.Second

// Runner runs the blocks of one script in one world.
type Runner struct {
	world    local.World
	conf     *conf.Conf
	watcher  *watcher
	unwatch  func()
	names    names
	nodes    map[string]*node
	programs map[string]*program
	records  map[string]*recovery.Memory // of Masters, by name
	group    *local.Group                // Masters of which one leads
	started  []string                    // daemons, in the order of their first start
	ring     *local.Ring                 // of a simulation, else nil
	yarn     *local.YARN
	managers map[string]bool // ResourceManagers, by name
	printer  syntax.Printer
	out      strings.Builder // what verbs print, before the forest

	observer   *local.Observer // in a simulation
	behaviours map[rpcenv.Address]behaviour
	peers      map[string]*peer
	stores     map[string]*store
	later      []timed
	everybody  bool // each process is a member, as real ones are
	upstream   bool // historic faults are turned on
	hidden     bool // the messages of this block are not printed
	unread     int  // so many records, of hidden blocks, are left out when a block is printed next
	ended      atomic.Bool
}

// New makes a Runner. first is the script's first line, "cluster worlds=(...) seed=N [membership=true] [K=V ...]".
func New(kind local.Kind, first string) (*Runner, error) {
	h, err := ParseHeader(first)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(h.Worlds, kind) {
		return nil, fmt.Errorf("the script does not run in world %s", kind)
	}
	c, err := conf.New(h.Conf, known.All())
	if err != nil {
		return nil, err
	}
	w, err := local.NewWorld(kind, h.Seed)
	if err != nil {
		return nil, err
	}
	r := &Runner{world: w, conf: c, watcher: newWatcher(w.Wake), nodes: map[string]*node{}, managers: map[string]bool{}, programs: map[string]*program{}, behaviours: map[rpcenv.Address]behaviour{}, peers: map[string]*peer{}, stores: map[string]*store{}, records: map[string]*recovery.Memory{}}
	if s := w.Simulated(); s != nil {
		r.ring = local.NewRing(s)
	} else if h.Membership {
		return nil, errors.Join(fmt.Errorf("membership=true %w", errWantsSim), w.Close())
	}
	r.everybody = h.Membership
	r.printer.Substitute = r.names.substitute
	// Both see the trace from its first record on.
	r.unwatch = w.Recorder().Watch(r.watcher.see)
	r.observer = local.Observe(w, c)
	r.observer.Ring(r.ring)
	w.SetExecutor(standIn, r.stand)
	return r, nil
}

// Close ends the cluster.
func (r *Runner) Close() error {
	r.unwatch()
	r.observer.Close()
	return r.world.Close()
}

// Trace is everything that happened so far.
func (r *Runner) Trace() *trace.Trace {
	t := executor.Family.Merge(r.world.Recorder().Records())
	t.Source = "run"
	if w := r.world.Simulated(); w != nil {
		t.Source, t.Seed = "sim", w.Seed()
	}
	return t
}

// Block runs the verbs of a block, one a line, and returns their output and the messages that followed. Its error is a
// *syntax.Error whose lines count from 1, or the cause of ctx, which ends it between two steps.
func (r *Runner) Block(ctx context.Context, lines []string) (string, error) {
	defer context.AfterFunc(ctx, r.interrupt)()
	r.out.Reset()
	r.hidden = false
	r.watcher.forget()
	known := verbs()
	for i, line := range lines {
		cmd := syntax.ParseLine(line)
		if cmd.Verb == "" || cmd.Verb == "cluster" {
			continue
		}
		f, ok := known[cmd.Verb]
		if !ok {
			return "", syntax.At("", i+1, syntax.In(line, cmd.Offset, syntax.Unknown("verb", cmd.Verb, slices.Collect(maps.Keys(known)))))
		}
		if cmd.Verb == "at" {
			f = func(r *Runner, c syntax.Command) error { return r.at(c, line) }
		}
		err := f(r, cmd)
		switch {
		case ctx.Err() != nil: // before err, which interrupt has caused
			return "", context.Cause(ctx)
		case err != nil && !(r.upstream && hasNot(err)):
			return "", syntax.At("", i+1, fmt.Errorf("%s: %w", line, err))
		}
	}
	if r.hidden { // a long life has too many records to be merged and printed for nothing
		r.unread = r.watcher.records()
		return r.out.String(), nil
	}
	return r.out.String() + r.forest(), nil
}

// interrupt makes the verb under way return. It may be called from any goroutine.
func (r *Runner) interrupt() {
	r.ended.Store(true)
	if w := r.world.Simulated(); w != nil {
		w.Stop()
	}
}

// forest is what happened since the last block.
func (r *Runner) forest() string {
	if r.unread > 0 {
		r.printer.Skip(executor.Family.Merge(r.world.Recorder().Records()[:r.unread]).Entries)
		r.unread = 0
	}
	entries := r.Trace().Entries
	r.names.learn(entries)
	return r.printer.Next(entries)
}

// Header is the first line of a script.
type Header struct {
	Worlds []local.Kind
	Seed   uint64
	// Membership: daemons, drivers and ApplicationMasters are members of one cluster.
	Membership bool
	Conf       map[string]string
}

// ParseHeader reads "cluster worlds=(sim,local,tcp) seed=1 [membership=true] [K=V ...]".
func ParseHeader(line string) (Header, error) {
	cmd := syntax.ParseLine(line)
	if cmd.Verb != "cluster" {
		return Header{}, fmt.Errorf("a script begins with: cluster worlds=(sim,local,tcp) seed=1: not with %q", line)
	}
	h := Header{Seed: 1, Conf: map[string]string{}}
	for _, o := range cmd.Options {
		switch o.Key {
		case "worlds":
			for kind := range strings.SplitSeq(strings.Trim(o.Value, "()"), ",") {
				h.Worlds = append(h.Worlds, local.Kind(kind))
			}
		case "membership":
			h.Membership = o.Value == "true"
		case "seed":
			if _, err := fmt.Sscan(o.Value, &h.Seed); err != nil {
				return Header{}, fmt.Errorf("seed %q: want a number", o.Value)
			}
		default:
			h.Conf[o.Key] = o.Value
		}
	}
	if len(h.Worlds) == 0 {
		return Header{}, fmt.Errorf("%q: worlds is missing", line)
	}
	return h, nil
}
