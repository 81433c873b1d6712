package tasks

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/rpcenv"
)

// cluster is executors on three hosts, what they run, and what their Scheduler has been told of it.
type cluster struct {
	*rapid.T
	k       *kit
	seats   at
	running map[int64]Launch
	wants   [][]Location
	done    map[int32]bool
	hosts   map[int32][]string // of all attempts of a task
}

// TestNearTasksAndCopies plays a set at random whose tasks prefer hosts and executors, with slow tasks: each launch has the level
// that it says, a task has at most two attempts at once, on different hosts, and the set ends with one success of each task.
func TestNearTasksAndCopies(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := &cluster{T: t, running: map[int64]Launch{}, done: map[int32]bool{}, hosts: map[int32][]string{}, seats: at{{"a", "h1", 2}, {"b", "h2", 1}, {"c", "h2", 1}, {"d", "h3", 1}}}
		c.k = newKit(1, Config{
			MaxFailures: 1000, Waits: Waits{Process: time.Second, Node: 2 * time.Second},
			Speculation: Speculation{Enabled: true, Multiplier: 1.5, Quantile: 0.5, MinRuntime: time.Second},
		})
		set := newSet(0, 0, 0, rapid.IntRange(1, 8).Draw(t, "tasks"))
		for i := range set.Tasks {
			set.Tasks[i].Locations = c.locations()
			c.wants = append(c.wants, set.Tasks[i].Locations)
		}
		c.k.Submit(set)
		for range rapid.IntRange(0, 40).Draw(t, "steps") {
			c.step()
		}
		// Nothing fails any more: with time all tasks end.
		for range 200 {
			c.k.now = c.k.now.Add(time.Second)
			c.offer()
			for _, id := range c.ids() {
				c.end(id, app.TaskState_FINISHED)
			}
		}
		if len(c.done) != len(set.Tasks) || len(c.k.sets) > 0 || len(c.k.live) > 0 {
			t.Fatalf("%d of %d tasks are done, %d sets and %d attempts are left", len(c.done), len(set.Tasks), len(c.k.sets), len(c.k.live))
		}
	})
}

func (c *cluster) locations() []Location {
	return rapid.SampledFrom([][]Location{
		nil, {{Host: "h1"}}, {{Host: "h2", Executor: "b"}}, {{Host: "h2"}, {Host: "h3"}}, {{Host: "elsewhere"}},
	}).Draw(c.T, "locations")
}

func (c *cluster) step() {
	c.k.now = c.k.now.Add(time.Duration(rapid.IntRange(0, 1500).Draw(c.T, "ms")) * time.Millisecond)
	c.k.Speculate(c.k.now)
	c.offer()
	ids := c.ids()
	if len(ids) == 0 {
		return
	}
	id := rapid.SampledFrom(ids).Draw(c.T, "attempt")
	c.end(id, rapid.SampledFrom([]app.TaskState{app.TaskState_FINISHED, app.TaskState_FINISHED, app.TaskState_FAILED, app.TaskState_KILLED}).Draw(c.T, "end"))
}

func (c *cluster) ids() []int64 {
	var out []int64
	for id := range c.running {
		out = append(out, id)
	}
	slices.Sort(out)
	return out
}

func (c *cluster) offer() {
	launches, _ := c.k.Scheduler.Offers(c.seats.offers(), true, inOrder, c.k.now)
	for _, l := range launches {
		c.launch(l)
	}
}

func (c *cluster) launch(l Launch) {
	s := c.seat(l.Executor)
	if s.cores--; s.cores < 0 {
		c.Fatalf("executor %s has no core for %s", l.Executor, l.Description.GetName())
	}
	index := l.Description.GetIndex()
	if c.done[index] {
		c.Fatalf("task %d was done", index)
	}
	if l.Speculative && slices.Contains(c.hosts[index], s.host) {
		c.Fatalf("a copy of task %d starts at %s, where an attempt of it was", index, s.host)
	}
	c.hosts[index] = append(c.hosts[index], s.host)
	for _, other := range c.running {
		if other.Description.GetIndex() == index && !l.Speculative {
			c.Fatalf("task %d runs on executors %s and %s", index, other.Executor, l.Executor)
		}
	}
	c.isAt(l, s)
	c.running[l.Description.GetTaskId()] = l
}

// isAt holds the level of a launch against the preferences of its task.
func (c *cluster) isAt(l Launch, s *seat) {
	wants := c.wants[l.Description.GetIndex()]
	near := Any
	if len(wants) == 0 {
		near = ProcessLocal
	}
	for _, w := range wants {
		if w.Executor == s.executor {
			near = min(near, ProcessLocal)
		}
		if w.Host == s.host {
			near = min(near, NodeLocal)
		}
	}
	// A copy leaves its task in the list of all. When it fails, the next one may be found there, as in Spark.
	again := l.Speculative && l.Level == Any && l.Description.GetAttemptNumber() > 1
	if l.Level != near && !again {
		c.Fatalf("task %d wants %v and is said to run at %s, not %s, on executor %s at %s", l.Description.GetIndex(), wants, l.Level, near, s.executor, s.host)
	}
}

func (c *cluster) seat(executor string) *seat {
	return &c.seats[slices.IndexFunc(c.seats, func(s seat) bool { return s.executor == executor })]
}

func (c *cluster) end(id int64, state app.TaskState) {
	l := c.running[id]
	delete(c.running, id)
	c.seat(l.Executor).cores++
	var result *app.TaskResult
	if state == app.TaskState_FINISHED {
		result = mapped()
	}
	for _, m := range c.k.Update(id, state, result, &app.TaskFailure{Kind: KindExceptionFailure}) {
		c.hear(m)
	}
}

func (c *cluster) hear(m rpcenv.Message) {
	e, ok := m.(CompletionEvent)
	if !ok {
		c.Fatalf("%+v", m)
	}
	if e.Reason.Kind != KindSuccess {
		return
	}
	if c.done[e.Index] {
		c.Fatalf("task %d succeeded twice", e.Index)
	}
	c.done[e.Index] = true
}
