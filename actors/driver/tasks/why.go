package tasks

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/coherer/coherer/actors/driver/exclude"
	"github.com/coherer/coherer/messages/app"
)

// Waits says what the sets wait for, in the order in which they get cores, given what is free. It decides nothing: it asks what
// Offers asks.
func (s *Scheduler) Waits(q *app.RequestWaits, offers []Offer, now time.Time) *app.Waits {
	out := &app.Waits{}
	for _, p := range s.queue.Pools() {
		out.Pools = append(out.Pools, p.String())
	}
	offers = s.notExcluded(offers)
	var before []*manager
	for _, m := range s.queue.Sorted() {
		if m.asked(q) {
			out.Sets = append(out.Sets, m.waits(q, before, offers, now))
		}
		if !m.zombie && m.waiting() > 0 {
			before = append(before, m)
		}
	}
	return out
}

func (m *manager) asked(q *app.RequestWaits) bool {
	switch {
	case q.TaskId != nil:
		a := m.s.live[q.GetTaskId()]
		return a != nil && a.m == m
	case q.Stage != nil:
		return m.set.ID.Stage == q.GetStage()
	default:
		return true
	}
}

// waiting is how many tasks are to be started.
func (m *manager) waiting() int {
	n := 0
	for i := range m.states {
		if t := &m.states[i]; !t.done && t.copies == 0 {
			n++
		}
	}
	return n
}

func (m *manager) waits(q *app.RequestWaits, before []*manager, offers []Offer, now time.Time) *app.TaskSetWait {
	w := &app.TaskSetWait{
		Stage: m.set.ID.Stage, Attempt: m.set.ID.Attempt, Job: m.set.Job, Pool: m.leaf.Pool(), Tasks: int32(len(m.states)),
		Done: int32(m.done), Running: int32(len(m.running)), Waiting: int32(m.waiting()), Copies: int32(len(m.speculatable)),
		Level: m.levels[m.at].String(), WaitMs: m.wait(m.levels[m.at]).Milliseconds(),
		WaitedMs: max(now.Sub(m.timer), 0).Milliseconds(),
	}
	for _, l := range m.levels {
		w.Levels = append(w.Levels, l.String())
	}
	switch {
	case m.zombie:
		w.Waiting = 0
		w.Reasons = []*app.WaitReason{{
			Filter: "over", Reason: "another attempt of the stage took its place, or its job is over: it only waits for what runs",
		}}
	case w.GetWaiting() > 0:
		w.Reasons = m.reasons(before, offers, now)
	}
	for i := range m.states {
		if m.askedTask(q, int32(i)) {
			w.Asked = append(w.Asked, m.taskWait(int32(i), offers))
		}
	}
	return w
}

func (m *manager) askedTask(q *app.RequestWaits, index int32) bool {
	if q.TaskId != nil {
		return m.s.live[q.GetTaskId()].index == index
	}
	return q.Index != nil && q.GetIndex() == index
}

// reasons keep the tasks of a set waiting, the one that matters first.
func (m *manager) reasons(before []*manager, offers []Offer, now time.Time) []*app.WaitReason {
	var out []*app.WaitReason
	add := func(filter, help, format string, a ...any) {
		out = append(out, &app.WaitReason{Filter: filter, Help: help, Reason: fmt.Sprintf(format, a...)})
	}
	cpus := m.s.profile(m).CPUs
	var free []Offer
	for _, o := range offers {
		if o.Cores >= cpus && o.Profile == m.set.Profile {
			free = append(free, o)
		}
	}
	if len(free) == 0 {
		for _, other := range before {
			add("order", "cores, or pools (spark.scheduler.mode FAIR)", "stage %s is served first: %d of its tasks wait%s",
				other.set.ID, other.waiting(), m.whyAfter(other))
		}
		add("cores", "wait, or give the application more cores", "no executor has %s free: %d tasks of this stage run, %d of others",
			cores(cpus), len(m.running), len(m.s.live)-len(m.running))
	}
	if m.set.Barrier {
		slots := 0
		for _, o := range free {
			slots += o.Cores / cpus
		}
		if slots < len(m.states) {
			add("barrier", "more cores at once", "its %d tasks start at once or not at all, and %d can start", len(m.states), slots)
		}
	}
	if usable := m.withoutExcluded(free); len(usable) < len(free) {
		free = usable
		for _, x := range m.excluded.Exclusions() {
			if x.Task == exclude.All {
				add("excluded", "another executor, or spark.excludeOnFailure.* that allow more", "%s gets no task of it: %s", excludedName(x), x.Why)
			}
		}
	}
	for _, x := range m.s.health.Exclusions() {
		add("excluded", "wait, or spark.excludeOnFailure.* that allow more", "%s gets no task of the application until %s: %s", excludedName(x),
			time.UnixMilli(x.Until).UTC().Format("15:04:05"), x.Why)
	}
	if !m.abort.IsZero() {
		add("unschedulable", "another executor", "no executor may run one of its tasks; the stage fails in %v", m.abort.Sub(now).Round(time.Second))
	}
	if at := m.levels[m.at]; len(free) > 0 && at != Any && at != NoPref {
		wait := m.wait(at)
		add("locality", "lower "+at.setting(), "it takes no executor farther than %s for another %v of %v; executors with free cores that are farther: %s",
			at, max(wait-now.Sub(m.timer), 0).Round(time.Millisecond), wait, strings.Join(executorsOf(free), ", "))
	}
	return out
}

// whyAfter is why a set is served after another one.
func (m *manager) whyAfter(other *manager) string {
	switch pool := other.leaf.Pool(); {
	case pool != m.leaf.Pool():
		return fmt.Sprintf(" (of pool %s, with %d running)", pool, other.leaf.Running())
	case other.set.Job != m.set.Job:
		return fmt.Sprintf(" (of job %d)", other.set.Job)
	default:
		return ""
	}
}

func (m *manager) withoutExcluded(offers []Offer) []Offer {
	return slices.DeleteFunc(slices.Clone(offers), func(o Offer) bool { return m.excludesAll(&o) })
}

func (m *manager) taskWait(index int32, offers []Offer) *app.TaskWait {
	t, task := &m.states[index], &m.set.Tasks[index]
	w := &app.TaskWait{Index: index, Partition: task.Partition, Failures: int32(t.failures), State: "waiting"}
	for _, l := range task.Locations {
		w.Locations = append(w.Locations, l.String())
	}
	for a := t.last; a != nil; a = a.previous {
		w.Attempts = append([]string{a.words()}, w.Attempts...)
		if !a.ended {
			w.State = "running"
		}
	}
	switch {
	case t.done:
		w.State = "done"
	case w.State == "waiting":
		for _, o := range offers {
			if m.excludes(index, &o) {
				w.Reasons = append(w.Reasons, &app.WaitReason{
					Filter: "excluded", Help: "another executor, or spark.excludeOnFailure.task.* that allow more",
					Reason: fmt.Sprintf("executor %s on %s gets it no more: it failed there", o.Executor, o.Host),
				})
			}
		}
	}
	return w
}

// words say what became of an attempt.
func (a *attempt) words() string {
	state := "runs"
	switch {
	case a.success:
		state = "succeeded"
	case a.ended:
		state = "failed"
	case a.launching:
		state = "was sent"
	}
	what := "attempt"
	if a.speculative {
		what = "copy"
	}
	return fmt.Sprintf("%s %d (TID %d) %s on executor %s at %s, %s", what, a.number, a.id, state, a.executor, a.host, a.level)
}

func excludedName(x exclude.Exclusion) string {
	if x.Node != "" {
		return "node " + x.Node
	}
	return "executor " + x.Executor
}

func executorsOf(offers []Offer) []string {
	var out []string
	for _, o := range offers {
		out = append(out, fmt.Sprintf("%s (%s)", o.Executor, o.Host))
	}
	return out
}

func cores(n int) string {
	if n == 1 {
		return "a core"
	}
	return fmt.Sprintf("%d cores", n)
}
