package tasks

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Level is how near to its data a task runs. It mirrors org.apache.spark.scheduler.TaskLocality.
type Level int8

// The levels, nearest first. A task without a preference starts at NoPref and counts as ProcessLocal.
const (
	ProcessLocal Level = iota
	NodeLocal
	NoPref
	RackLocal
	Any
)

// String is Spark's name of the level.
func (l Level) String() string {
	return [...]string{"PROCESS_LOCAL", "NODE_LOCAL", "NO_PREF", "RACK_LOCAL", "ANY"}[l]
}

// setting is how long a set waits at the level.
func (l Level) setting() string {
	switch l {
	case ProcessLocal:
		return "spark.locality.wait.process"
	case NodeLocal:
		return "spark.locality.wait.node"
	default:
		return "spark.locality.wait.rack"
	}
}

// Location is where a task's data are. It mirrors org.apache.spark.scheduler.TaskLocation.
type Location struct {
	Host string
	// Executor that has them in its memory; "": any process of the host.
	Executor string
	// Cached: the host has them in a cache that each of its executors reads as its own memory (HDFS).
	Cached bool
}

// String is Spark's text, which ParseLocation reads.
func (l Location) String() string {
	switch {
	case l.Executor != "":
		return "executor_" + l.Host + "_" + l.Executor
	case l.Cached:
		return "hdfs_cache_" + l.Host
	default:
		return l.Host
	}
}

// ParseLocation reads a location in Spark's text: HOST, executor_HOST_ID or hdfs_cache_HOST.
func ParseLocation(text string) (Location, error) {
	if host, ok := strings.CutPrefix(text, "hdfs_cache_"); ok {
		return Location{Host: host, Cached: true}, nil
	}
	if rest, ok := strings.CutPrefix(text, "executor_"); ok {
		host, executor, ok := strings.Cut(rest, "_")
		if !ok {
			return Location{}, fmt.Errorf("illegal executor location: %s: want executor_HOST_ID", text)
		}
		return Location{Host: host, Executor: executor}, nil
	}
	return Location{Host: text}, nil
}

// Waits are spark.locality.wait.process, .node and .rack: how long a set waits for an executor so near before it takes one farther
// away.
type Waits struct{ Process, Node, Rack time.Duration }

func (m *manager) wait(l Level) time.Duration {
	if m.s.cfg.LegacyReset && m.set.Barrier { // its tasks start together or not at all
		return 0
	}
	switch l {
	case ProcessLocal:
		return m.s.cfg.Waits.Process
	case NodeLocal:
		return m.s.cfg.Waits.Node
	case RackLocal:
		return m.s.cfg.Waits.Rack
	default:
		return 0
	}
}

// allowed is the farthest level that the set takes now: it waits at each level while it has tasks for it. It mirrors
// TaskSetManager.getAllowedLocalityLevel.
func (m *manager) allowed(now time.Time) Level {
	for m.at < len(m.levels)-1 {
		wait := m.wait(m.levels[m.at])
		switch {
		case !m.hasFor(m.levels[m.at]):
			m.timer = now
		case now.Sub(m.timer) >= wait:
			// By the wait alone, so that what is over of the time counts for the next level.
			m.timer = m.timer.Add(wait)
		default:
			return m.levels[m.at]
		}
		m.at++
	}
	return m.levels[m.at]
}

func (m *manager) hasFor(l Level) bool {
	switch l {
	case ProcessLocal:
		return m.anyNeedsStart(&m.pending.byExecutor)
	case NodeLocal:
		return m.anyNeedsStart(&m.pending.byHost)
	case NoPref:
		return len(m.pending.noPrefs) > 0
	default:
		return m.anyNeedsStart(&m.pending.byRack)
	}
}

// resetTimer begins the waits anew, at the level at which a task was started.
func (m *manager) resetTimer(now time.Time, l Level) {
	m.timer = now
	m.at = m.indexOf(l)
}

// indexOf is the place of a level among the set's own, or of the next farther one.
func (m *manager) indexOf(l Level) int {
	at := 0
	for l > m.levels[at] {
		at++
	}
	return at
}

// validLevels are the levels at which the set has tasks and the cluster executors. Any is always one.
func (m *manager) validLevels() []Level {
	var out []Level
	p := &m.pending
	if slices.ContainsFunc(p.byExecutor.keys, m.s.isAlive) {
		out = append(out, ProcessLocal)
	}
	if slices.ContainsFunc(p.byHost.keys, m.s.hasAliveOn) {
		out = append(out, NodeLocal)
	}
	if len(p.noPrefs) > 0 {
		out = append(out, NoPref)
	}
	if slices.ContainsFunc(p.byRack.keys, m.s.hasAliveInRack) {
		out = append(out, RackLocal)
	}
	return append(out, Any)
}

// recompute follows executors that came, went or are about to go. It mirrors TaskSetManager.recomputeLocality.
func (m *manager) recompute() {
	if m.zombie {
		return
	}
	was, level, at := m.levels, m.levels[m.at], m.at
	m.levels = m.validLevels()
	m.at = m.indexOf(level)
	if m.at > at {
		// There are nearer levels than before: the set begins with the nearest of them (SPARK-31837).
		for _, l := range m.levels {
			if !slices.Contains(was, l) {
				m.at = m.indexOf(l)
				break
			}
		}
	}
}
