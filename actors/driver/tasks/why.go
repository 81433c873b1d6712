package tasks

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/coherer/coherer/actors/driver/exclude"
	"github.com/coherer/coherer/actors/driver/pools"
	"github.com/coherer/coherer/messages/app"
)

// Waits says what the sets wait for, in the order in which they get cores, given what is free. It changes nothing, and asks the
// books that Offers asks.
func (s *Scheduler) Waits(q *app.RequestWaits, offers []Offer, now time.Time) *app.Waits {
	out := &app.Waits{}
	for _, p := range s.queue.Pools() {
		out.Pools = append(out.Pools, valid(p.String()))
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
		Stage: m.set.ID.Stage, Attempt: m.set.ID.Attempt, Job: m.set.Job, Pool: valid(m.leaf.Pool()), Tasks: int32(len(m.states)),
		Done: int32(m.done), Running: int32(len(m.running)), Waiting: int32(m.waiting()), Copies: int32(len(m.speculatable)),
		Level: m.levels[m.at].String(), WaitMs: m.wait(m.levels[m.at]).Milliseconds(),
		WaitedMs: max(now.Sub(m.timer), 0).Milliseconds(),
	}
	for _, l := range m.levels {
		w.Levels = append(w.Levels, l.String())
	}
	switch {
	case m.done == len(m.states) && len(m.running) > 0:
		w.Reasons = []*app.WaitReason{{Filter: "done", Reason: "all its tasks are done; attempts that are no longer wanted still run"}}
	case m.zombie:
		w.Waiting = 0
		w.Reasons = []*app.WaitReason{{
			Filter: "over", Reason: "another attempt of the stage took its place, or its job is over: it only waits for what runs",
		}}
	case w.GetWaiting() > 0 || w.GetCopies() > 0:
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

// waitView is what the reasons of one set are found from: the sets before it, all offers, and those with cores for a task of it.
type waitView struct {
	*manager
	before       []*manager
	offers, free []Offer
	now          time.Time
	found        []*app.WaitReason
}

// reasons keep the tasks of a set waiting, the one that matters first.
func (m *manager) reasons(before []*manager, offers []Offer, now time.Time) []*app.WaitReason {
	v := &waitView{manager: m, before: before, offers: offers, now: now}
	for _, o := range offers {
		if o.Cores >= m.s.profile(m).CPUs && o.Profile == m.set.Profile {
			v.free = append(v.free, o)
		}
	}
	v.ofCores()
	v.ofBarrier()
	v.ofExclusion()
	v.ofLocality()
	v.ofCopies()
	return v.found
}

func (v *waitView) add(filter, help, format string, a ...any) {
	v.found = append(v.found, &app.WaitReason{Filter: filter, Help: valid(help), Reason: valid(fmt.Sprintf(format, a...))})
}

// ofCores: nothing is free, and other sets get what becomes free first.
func (v *waitView) ofCores() {
	if len(v.free) > 0 {
		return
	}
	for _, other := range v.before {
		v.add("order", v.helpOfOrder(other), "stage %s is served first: %d of its tasks wait%s",
			other.set.ID, other.waiting(), v.whyAfter(other))
	}
	others := 0
	for _, m := range v.s.sets {
		if m != v.manager {
			others += len(m.running)
		}
	}
	v.add("cores", "wait, or give the application more cores", "no executor that may take them has %s free: %d tasks of this stage run, %d of others",
		cores(v.s.profile(v.manager).CPUs), len(v.running), others)
}

func (v *waitView) helpOfOrder(other *manager) string {
	switch {
	case v.s.cfg.Mode == pools.FIFO:
		return "cores, or pools (spark.scheduler.mode FAIR)"
	case other.leaf.Pool() == v.leaf.Pool():
		return "cores, or another pool, or schedulingMode FAIR within pool " + v.leaf.Pool()
	default:
		return "cores, or more weight or minShare of pool " + v.leaf.Pool()
	}
}

func (v *waitView) ofBarrier() {
	if !v.set.Barrier {
		return
	}
	slots := 0
	for _, o := range v.free {
		slots += o.Cores / v.s.profile(v.manager).CPUs
	}
	if slots < len(v.states) {
		v.add("barrier", "more cores at once", "its %d tasks start at once or not at all, and %d can start", len(v.states), slots)
	}
}

// ofExclusion: failures keep executors from the set, or single tasks of it from all that are free.
func (v *waitView) ofExclusion() {
	if usable := v.withoutExcluded(v.free); len(usable) < len(v.free) {
		v.free = usable
		for _, x := range v.excluded.Exclusions() {
			if x.Task == exclude.All {
				v.add("excluded", "another executor, or spark.excludeOnFailure.stage.* that allow more", "%s gets no task of it: %s", excludedName(x), x.Why)
			}
		}
	}
	if n := v.keptOff(); n > 0 {
		v.add("excluded", "another executor, or spark.excludeOnFailure.task.* that allow more",
			"%d of the tasks that wait failed on each executor with free cores, and are not tried there again: %s", n, strings.Join(executorsOf(v.free), ", "))
	}
	for _, x := range v.s.health.Exclusions() {
		v.add("excluded", "wait, or spark.excludeOnFailure.application.* that allow more", "%s gets no task of the application until %s: %s",
			excludedName(x), time.UnixMilli(x.Until).UTC().Format("2006-01-02 15:04:05 UTC"), x.Why)
	}
	if !v.abort.IsZero() {
		v.add("unschedulable", "another executor", "no executor may run one of its tasks; the stage fails in %v", v.abort.Sub(v.now).Round(time.Second))
	}
}

// ofCopies: a copy starts on no host where an attempt of its task was.
func (v *waitView) ofCopies() {
	for _, index := range slices.Sorted(maps.Keys(v.speculatable)) {
		if len(v.free) > 0 && !slices.ContainsFunc(v.free, func(o Offer) bool { return !v.ranOn(index, o.Host) }) {
			v.add("copies", "an executor on another host", "a copy of task %d starts on no host where an attempt of it was, and all executors with free cores are on such: %s",
				index, strings.Join(executorsOf(v.free), ", "))
		}
	}
}

// keptOff is how many of the tasks that wait may run on none of the executors with free cores, since they failed there.
func (v *waitView) keptOff() int {
	n := 0
	for i := range v.states {
		t := &v.states[i]
		if t.done || t.copies > 0 || t.attempts == 0 || len(v.free) == 0 {
			continue
		}
		if !slices.ContainsFunc(v.free, func(o Offer) bool { return !v.excludes(int32(i), &o) }) {
			n++
		}
	}
	return n
}

// ofLocality: executors are free, and the set waits for nearer ones.
func (v *waitView) ofLocality() {
	at := v.levels[v.at]
	if len(v.free) == 0 || v.waiting() == 0 || at == Any || at == NoPref || v.keptOff() == v.waiting() {
		return
	}
	wait := v.wait(at)
	v.add("locality", "lower "+at.setting(), "it takes no executor farther than %s for another %v of %v; executors with free cores that are farther: %s",
		at, max(wait-v.now.Sub(v.timer), 0).Round(time.Millisecond), wait, strings.Join(executorsOf(v.free), ", "))
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
		w.Locations = append(w.Locations, valid(l.String()))
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

// valid is a text of the user's as a message may carry it.
func valid(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }

func cores(n int) string {
	if n == 1 {
		return "a core"
	}
	return fmt.Sprintf("%d cores", n)
}
