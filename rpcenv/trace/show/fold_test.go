package show

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/coherer/coherer/rpcenv/trace"
)

// drawRun is a trace whose causes are earlier entries: a few kinds of messages between a few peers, timers, losses, pauses.
func drawRun(t *rapid.T) []trace.Entry {
	peer := rapid.SampledFrom([]string{"Driver", "Master", "Worker1", "Worker2", "Exec0", "Exec1"})
	at := int64(0)
	var entries []trace.Entry
	for i := range rapid.IntRange(1, 250).Draw(t, "entries") {
		at += rapid.SampledFrom([]int64{0, 1e6, 1e6, 2e9}).Draw(t, "after")
		from := peer.Draw(t, "from") + "/E"
		e := trace.Entry{
			K: trace.KindMsg, ID: fmt.Sprint("m", i), From: from, To: peer.Draw(t, "to") + "/E",
			Type: rapid.SampledFrom([]string{"Launch", "Status", "Beat"}).Draw(t, "type"), Form: trace.FormSend, Sent: at,
		}
		switch rapid.IntRange(0, 9).Draw(t, "kind") {
		case 0:
			e = trace.Entry{K: trace.KindItem, ID: e.ID, At: from, Name: rapid.SampledFrom([]string{"timer Beat", "OnStart", "run "}).Draw(t, "name"), Sent: at}
		case 1:
			e = trace.Entry{K: trace.KindConn, ID: "c", At: trace.Peer(from), Name: rapid.SampledFrom([]string{"connected", "disconnected", "refused"}).Draw(t, "name"), Sent: at}
		case 2:
			e.K = trace.KindDrop
		case 3:
			e.Form = trace.FormAsk
		}
		if i > 0 && e.K != trace.KindConn && rapid.IntRange(0, 4).Draw(t, "root") > 0 {
			cause := &entries[rapid.IntRange(max(0, i-8), i-1).Draw(t, "cause")]
			if cause.K != trace.KindConn {
				e.Cause = cause.ID
			}
			if cause.Form == trace.FormAsk && rapid.Bool().Draw(t, "answer") {
				e.Form, e.From, e.To, e.K = trace.FormReply, cause.To, cause.From, trace.KindMsg
			}
		}
		entries = append(entries, e)
	}
	return entries
}

var viewsByName = map[string]view{
	"all": {}, "collapse": {collapse: true}, "remote": {collapse: true, remote: true}, "fold": {collapse: true, fold: true},
	"fold remote": {collapse: true, fold: true, remote: true},
}

func TestDiagramsDrawCausesFirstAndEverythingOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		entries := drawRun(t)
		byID := (&trace.Trace{Entries: entries}).ByID()
		for name, v := range viewsByName {
			for face, wants := range map[string]func(*trace.Entry) bool{"svg": svgWants(entries), "mermaid": func(e *trace.Entry) bool { return e.K == trace.KindMsg || e.K == trace.KindDrop }} {
				v.wants = wants
				steps, left := v.steps(entries, byID, 0)
				checkSteps(t, name+" "+face, entries, byID, wants, steps, left)
			}
		}
	})
}

func checkSteps(t *rapid.T, name string, entries []trace.Entry, byID map[string]*trace.Entry, wants func(*trace.Entry) bool, steps []step, left int) {
	at, drawn := map[string]int{}, 0
	for i, s := range steps {
		drawn += s.times
		if len(s.same)+1 != s.times {
			t.Fatalf("%s: step %d stands for %d and counts %d", name, i, len(s.same)+1, s.times)
		}
		for _, id := range append([]string{s.ID}, s.same...) {
			if _, twice := at[id]; twice && byID[id] != nil {
				t.Fatalf("%s: %s is drawn twice", name, id)
			}
			at[id] = i
		}
	}
	want := 0
	for i := range entries {
		e := &entries[i]
		if wants(e) {
			want++
		}
		mine, ok := at[e.ID]
		if !ok || e.K == trace.KindConn {
			continue
		}
		for c := byID[e.Cause]; c != nil; c = byID[c.Cause] {
			if its, ok := at[c.ID]; ok && (its > mine || its == mine && !isTick(e)) {
				t.Fatalf("%s: %s is in step %d, its cause %s in step %d", name, e.ID, mine, c.ID, its)
			}
		}
	}
	if drawn+left != want {
		t.Fatalf("%s: %d drawn and %d left out of %d", name, drawn, left, want)
	}
}

// labels are the steps of a view in one line.
func labels(v view, entries []trace.Entry) string {
	v.wants = func(e *trace.Entry) bool {
		return e.K == trace.KindMsg || e.K == trace.KindDrop || e.K == trace.KindItem
	}
	var words []string
	steps, _ := v.steps(entries, (&trace.Trace{Entries: entries}).ByID(), 0)
	for _, s := range steps {
		words = append(words, strings.ReplaceAll(stepText(s), " ×", "×"))
	}
	return strings.Join(words, ", ")
}

func TestWhatIsEqualIsDrawnOnceInARoundOnly(t *testing.T) {
	msg := func(id, cause, from, to, typ string, ms int64) trace.Entry {
		return trace.Entry{K: trace.KindMsg, Form: trace.FormSend, ID: id, Cause: cause, From: from, To: to, Type: typ, Sent: ms * 1e6}
	}
	launch := func(id, cause string, ms int64) trace.Entry {
		return msg(id, cause, "Driver/S", "Exec0/E", "Launch", ms)
	}
	status := func(id, cause string, ms int64) trace.Entry {
		return msg(id, cause, "Exec0/E", "Driver/S", "Status", ms)
	}
	tick := func(id, cause string, ms int64) trace.Entry {
		return trace.Entry{K: trace.KindItem, ID: id, Cause: cause, At: "Worker1/W", Name: "timer Beat", Sent: ms * 1e6}
	}
	beat := func(id, cause string, ms int64) trace.Entry {
		return msg(id, cause, "Worker1/W", "Master/M", "Beat", ms)
	}
	job := trace.Entry{K: trace.KindItem, ID: "job", At: "Driver/D", Name: "outside job"}
	start := func(id, at string, ms int64) trace.Entry {
		return trace.Entry{K: trace.KindItem, ID: id, At: at, Name: "OnStart", Sent: ms * 1e6}
	}
	for name, c := range map[string]struct {
		entries []trace.Entry
		want    string
	}{
		"one round": {
			[]trace.Entry{job, launch("a", "job", 1), status("b", "a", 2), launch("c", "job", 3), status("d", "c", 4)},
			"outside job, Launch×2, Status×2",
		},
		"the next stage": {
			[]trace.Entry{job, launch("a", "job", 1), status("b", "a", 2), launch("c", "b", 3), status("d", "c", 4)},
			"outside job, Launch, Status, Launch, Status",
		},
		"timers while nothing else happens": {
			[]trace.Entry{tick("t", "", 0), beat("a", "t", 1), tick("u", "t", 15000), beat("b", "u", 15001), tick("v", "u", 30000), beat("c", "v", 30001)},
			"timer Beat×3, Beat×3",
		},
		"timers before and after something else": {
			[]trace.Entry{tick("t", "", 0), beat("a", "t", 1), job, tick("u", "t", 15000), beat("b", "u", 15001)},
			"timer Beat, Beat, outside job, timer Beat, Beat",
		},
		"a pause": {
			[]trace.Entry{job, launch("a", "job", 1), status("b", "a", 2), launch("c", "job", 1200), status("d", "c", 1201)},
			"outside job, Launch, Status, Launch, Status",
		},
		"a process that was lost": {
			[]trace.Entry{
				start("x", "Exec0/E", 0), msg("a", "x", "Exec0/E", "Driver/S", "Register", 1), msg("r", "a", "Driver/S", "Driver/S", "Taken", 1),
				{K: trace.KindConn, ID: "c", At: "Driver", Name: "disconnected", Sent: 2e6},
				start("y", "Exec1/E", 3), msg("b", "y", "Exec1/E", "Driver/S", "Register", 4),
			},
			"OnStart, Register, Taken, OnStart, Register",
		},
		"processes side by side": {
			[]trace.Entry{
				start("x", "Exec0/E", 0), msg("a", "x", "Exec0/E", "Driver/S", "Register", 1), msg("r", "a", "Driver/S", "Driver/S", "Taken", 1),
				start("y", "Exec1/E", 3), msg("b", "y", "Exec1/E", "Driver/S", "Register", 4),
			},
			"OnStart×2, Register×2, Taken",
		},
		"the second job of a program": {
			[]trace.Entry{job, launch("a", "job", 1), {K: trace.KindItem, ID: "job2", At: "Driver/D", Name: "outside job"}, launch("b", "job2", 2)},
			"outside job, Launch, outside job, Launch",
		},
		"a message that is lost": {
			[]trace.Entry{job, launch("a", "job", 1), {K: trace.KindDrop, ID: "d", Cause: "job", From: "Driver/S", To: "Exec0/E", Type: "Lost"}, launch("b", "job", 2)},
			"outside job, Launch, Lost, Launch",
		},
	} {
		if got := labels(view{collapse: true, fold: true}, c.entries); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, c.want)
		}
	}
}

func TestAnswersOfOneQuestionThatDifferAreNotOne(t *testing.T) {
	ask := trace.Entry{K: trace.KindMsg, Form: trace.FormAsk, ID: "q", From: "a/b", To: "c/d", Type: "Q"}
	yes := trace.Entry{K: trace.KindMsg, Form: trace.FormReply, ID: "y", Cause: "q", From: "c/d", To: "a/b", Message: boolType, Body: `{"value":true}`}
	no := yes
	no.ID, no.Body = "n", "{}"
	if got, want := labels(view{collapse: true}, []trace.Entry{ask, yes, no}), "Q, true, false"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
