package exclude

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/rpcenv/conf"
	"github.com/coherer/coherer/rpcenv/rpctest/recorded"
)

// goldenCase is a recorded case of Spark's own task scheduler, as far as exclusion matters. Its README tells what the fields mean.
type goldenCase struct {
	ID     string
	Conf   map[string]string
	Events []goldenEvent
}

type goldenEvent struct {
	E                   string
	MS                  int64
	Stage, Attempt      int32
	Tasks               [][]string
	Offers              [][]any
	TID                 int
	State, Reason, Exec string
	FetchFrom           []string
	Out                 struct {
		Launch []struct {
			TID        int
			Task, Exec string
		}
		Sets map[string]struct {
			Live   *bool
			Zombie bool
			OK     int
		}
		SetExcluded map[string]goldenExcluded
		AppExcluded *struct{ Execs, Nodes map[string]int64 }
		ExecKills   []string
	}
}

type goldenExcluded struct {
	Execs, Nodes []string
	Tasks        map[string]struct{ Execs, Nodes []string }
}

func goldenCases(t *testing.T) (cases []goldenCase) {
	t.Helper()
	type file struct{ Cases []goldenCase }
	recorded.Each(t, "../tasks/testdata/golden", "exclude.json", func(_ string, f file) { cases = f.Cases })
	if len(cases) == 0 {
		t.Fatal("the file has no case")
	}
	return cases
}

// With what Spark's scheduler launched, and what became of it, sets and application exclude whom Spark's own excluded, at each
// step, and end whom it ended.
func TestExecutorsAndNodesAreExcludedAsInSpark(t *testing.T) {
	changes := 0
	for _, c := range goldenCases(t) {
		r := newReplay(t, c)
		for i, e := range c.Events {
			at := func(format string, args ...any) {
				t.Errorf("%s, event %d: "+format, append([]any{c.ID, i}, args...)...)
			}
			r.play(e)
			if want := e.Out.ExecKills; e.E != "offer" && !slices.Equal(r.kills, want) {
				at("kills %v, want %v", r.kills, want)
			}
			maps.Copy(r.wantSets, e.Out.SetExcluded)
			for id, want := range r.wantSets {
				changes++
				if got := r.excluded(id, want); !reflect.DeepEqual(got, want) {
					at("set %s excludes %+v, want %+v", id, got, want)
				}
			}
			if a := e.Out.AppExcluded; a != nil {
				r.wantExecs, r.wantNodes = a.Execs, a.Nodes
			}
			execs, nodes := r.application()
			if !maps.Equal(execs, r.wantExecs) || !maps.Equal(nodes, r.wantNodes) {
				at("the application excludes %v, %v, want %v, %v", execs, nodes, r.wantExecs, r.wantNodes)
			}
		}
	}
	if changes == 0 {
		t.Error("no exclusion was compared")
	}
}

// replay is a Tracker and Sets driven by a case.
type replay struct {
	cfg     Config
	now     time.Time
	tracker *Tracker
	sets    map[string]*goldenSet
	hosts   map[string]string // by executor
	running map[int]running
	kills   []string

	wantSets             map[string]goldenExcluded
	wantExecs, wantNodes map[string]int64
}

type goldenSet struct {
	set    *Set
	tasks  int
	zombie bool
}

type running struct {
	set, exec string
	task      int
}

func newReplay(t *testing.T, c goldenCase) *replay {
	t.Helper()
	cf, err := conf.New(c.Conf, Settings)
	if err != nil {
		t.Fatalf("%s: %v", c.ID, err)
	}
	cfg, err := NewConfig(cf, 4, c.Conf["spark.shuffle.service.enabled"] == "true")
	if text := c.Conf["spark.task.maxFailures"]; text != "" {
		n, _ := strconv.Atoi(text)
		cfg, err = NewConfig(cf, n, false)
	}
	if err != nil {
		t.Fatalf("%s: %v", c.ID, err)
	}
	return &replay{
		cfg: cfg, now: time.UnixMilli(1000000), tracker: NewTracker(cfg), sets: map[string]*goldenSet{}, hosts: map[string]string{},
		running: map[int]running{}, wantSets: map[string]goldenExcluded{},
	}
}

func (r *replay) play(e goldenEvent) {
	r.kills = nil
	switch e.E {
	case "advance":
		r.now = r.now.Add(time.Duration(e.MS) * time.Millisecond)
	case "submit":
		r.sets[fmt.Sprintf("%d.%d", e.Stage, e.Attempt)] = &goldenSet{set: NewSet(r.cfg, e.Stage, e.Attempt), tasks: len(e.Tasks)}
	case "offer":
		for _, o := range e.Offers {
			r.hosts[o[0].(string)] = o[1].(string)
		}
		r.tracker.Expire(r.now)
	case "status":
		r.status(e)
	case "executorLost":
		r.tracker.Removed(e.Exec)
		for _, tid := range slices.Sorted(maps.Keys(r.running)) {
			if r.running[tid].exec == e.Exec {
				r.failed(tid)
			}
		}
	}
	for _, l := range e.Out.Launch {
		set, rest, _ := strings.Cut(l.Task, "/")
		text, _, _ := strings.Cut(rest, "/")
		task, _ := strconv.Atoi(text)
		r.running[l.TID] = running{set, l.Exec, task}
	}
	for id, state := range e.Out.Sets {
		s := r.sets[id]
		s.zombie = state.Zombie
		if state.Live != nil && !*state.Live && state.OK == s.tasks {
			r.take(r.tracker.Succeeded(s.set, r.now))
		}
	}
}

func (r *replay) status(e goldenEvent) {
	switch {
	case e.State == "RUNNING":
	case e.Reason == "FetchFailed":
		delete(r.running, e.TID)
		r.take(r.tracker.FetchFailed(e.FetchFrom[1], e.FetchFrom[0], r.now))
	case e.State == "FAILED":
		r.failed(e.TID)
	default:
		delete(r.running, e.TID)
	}
}

func (r *replay) failed(tid int) {
	a := r.running[tid]
	delete(r.running, tid)
	if s := r.sets[a.set]; !s.zombie {
		s.set.Failed(r.hosts[a.exec], a.exec, a.task, "reason", r.now)
	}
}

func (r *replay) take(o Outcome) {
	for _, k := range o.Kills {
		switch {
		case k.Decommission && k.Node != "":
			r.kills = append(r.kills, "decommissionHost "+k.Node)
		case k.Decommission:
			r.kills = append(r.kills, "decommission "+k.Executor+" adjust=false byDriver=false")
		case k.Node != "":
			r.kills = append(r.kills, "killHost "+k.Node)
		default:
			r.kills = append(r.kills, "kill "+k.Executor+" adjust=false count=false force=true")
		}
	}
}

// excluded asks a set for all executors and hosts there were, task by task.
func (r *replay) excluded(id string, like goldenExcluded) goldenExcluded {
	s := r.sets[id]
	execs, nodes := slices.Sorted(maps.Keys(r.hosts)), slices.Compact(slices.Sorted(maps.Values(r.hosts)))
	filter := func(from []string, excluded func(string) bool) []string {
		return slices.DeleteFunc(slices.Clone(from), func(x string) bool { return !excluded(x) })
	}
	out := goldenExcluded{Execs: filter(execs, s.set.Executor), Nodes: filter(nodes, s.set.Node)}
	if like.Tasks != nil {
		out.Tasks = map[string]struct{ Execs, Nodes []string }{}
	}
	for task := range s.tasks {
		e := filter(execs, func(x string) bool { return s.set.ExecutorForTask(x, task) })
		n := filter(nodes, func(x string) bool { return s.set.NodeForTask(x, task) })
		if len(e)+len(n) > 0 {
			out.Tasks[strconv.Itoa(task)] = struct{ Execs, Nodes []string }{e, n}
		}
	}
	return out
}

func (r *replay) application() (execs, nodes map[string]int64) {
	execs, nodes = map[string]int64{}, map[string]int64{}
	for _, x := range r.tracker.Exclusions() {
		if x.Node != "" {
			nodes[x.Node] = x.Until
		} else {
			execs[x.Executor] = x.Until
		}
	}
	return execs, nodes
}
