package show

import (
	"time"

	"github.com/coherer/coherer/rpcenv/trace"
)

// pause is the time without anything but timers after which what follows is a round of its own.
const pause = time.Second

// folder draws entries one after another, and counts one in at the step that shows the same when nothing is hidden by it:
// equal entries of one causal round. A round ends where an entry repeats what led to it (the next stage: its tasks are
// launched because those before have ended), where a program or a process begins the same once more, at a loss (a message
// or a connection), and after a pause. So a step never stands above the step of its cause.
//
// Timers go on beside rounds. What they repeat is one step as long as nothing else happens, however long that takes.
type folder struct {
	view
	steps []step
	// latest is the last step of a group.
	latest map[string]int
	trails map[string]trail
	ends   map[string]int // how many ends of a connection say that it ended
	// round is the first step of the round that goes on, quiet the first one since which only timers had effects.
	round, quiet int
	busy         int64 // when something that no timer did was drawn last
	begun        []map[string]string
}

// trail describes the causes of an entry.
type trail struct {
	// step is the last one of its causes that is drawn, or its own, and -1 for none; root is then where its causes end.
	step int
	root string
	// hops are the ways from process to process since a timer's tick; -1 when no tick led to it.
	hops int
}

func newFolder(v view, entries []trace.Entry) *folder {
	f := &folder{view: v, latest: map[string]int{}, trails: map[string]trail{}, ends: map[string]int{}}
	for i := range entries {
		if e := &entries[i]; e.K == trace.KindConn && e.Name == "disconnected" {
			f.ends[e.ID]++
		}
	}
	return f
}

// add goes on with the next entry, which is drawn unless group is empty.
func (f *folder) add(s step, group string) {
	t := f.trailOf(s.Entry)
	if group != "" {
		t.step = f.draw(s, group, t)
	} else if f.isLoss(s.Entry) {
		f.round, f.quiet = len(f.steps), len(f.steps)
	}
	if s.ID != "" && s.K != trace.KindConn {
		f.trails[s.ID] = t
	}
}

// trailOf is the trail of an entry's causes.
func (f *folder) trailOf(e *trace.Entry) trail {
	t, ok := f.trails[e.Cause]
	if !ok || e.Cause == "" {
		t = trail{step: -1, root: e.Cause, hops: -1}
		if e.Cause == "" {
			t.root = e.ID
		}
	}
	switch {
	case isTick(e):
		t.hops = 0
	case t.hops >= 0 && !e.IsAnswer() && trace.Peer(e.From) != trace.Peer(e.To):
		t.hops++
	}
	return t
}

// isLoss reports whether something was lost. When a connection is closed both of its ends say so; of a process that was
// killed only the other one does.
func (f *folder) isLoss(e *trace.Entry) bool {
	return e.K == trace.KindDrop || e.K == trace.KindConn && (e.Name == "refused" || e.Name == "disconnected" && f.ends[e.ID] < 2)
}

// draw makes a step of s or counts it in at an earlier one, and returns its place.
func (f *folder) draw(s step, group string, t trail) int {
	// A timer's own effects, up to the first other process. What that process does further is work like any other.
	timer := t.hops == 0 || t.hops == 1
	if !timer && s.Sent-f.busy >= int64(pause) {
		f.round = len(f.steps)
	}
	at, seen := f.latest[group]
	next := at == len(f.steps)-1
	// In every case but the first: is the equal step at still the place to count s in?
	switch {
	case !seen:
	case timer:
		// Yes, as long as only timers have acted since, and s does not stand above its cause. A tick may cause the next one.
		seen = at >= f.quiet && (t.step < at || t.step == at && isTick(s.Entry))
	case at < f.round:
		seen = false // it belongs to an earlier round
	case t.step >= at || !next && f.beginsAnew(at, s, t):
		// The cause of s is at that step or below it, or its sender begins the same once more: a new round.
		seen, f.round = false, len(f.steps)
	default:
		seen = next || f.collapse
	}
	if !seen {
		at = len(f.steps)
		f.steps, f.begun = append(f.steps, s), append(f.begun, nil)
		f.latest[group] = at
		if f.isLoss(s.Entry) {
			f.round, f.quiet = at, at
		}
	} else {
		f.steps[at].times++
		f.steps[at].same = append(f.steps[at].same, s.ID)
	}
	if t.step < 0 && !timer { // for beginsAnew
		if f.begun[at] == nil {
			f.begun[at] = map[string]string{}
		}
		f.begun[at][beginner(s.Entry)] = t.root
	}
	if !timer {
		f.quiet, f.busy = len(f.steps), max(f.busy, s.Sent)
	}
	return at
}

// beginsAnew reports whether s, to which no step led, is not the first that its sender began at that step: a program's
// second job, say, after its first.
func (f *folder) beginsAnew(at int, s step, t trail) bool {
	root, ok := f.begun[at][beginner(s.Entry)]
	return t.step < 0 && ok && root != t.root
}

// beginner is where an entry was made, however it is drawn.
func beginner(e *trace.Entry) string {
	if e.K == trace.KindMsg || e.K == trace.KindDrop {
		return e.From
	}
	return e.At
}
