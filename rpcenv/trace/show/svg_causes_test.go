package show

import (
	"slices"
	"strings"
	"testing"

	"github.com/coherer/coherer/rpcenv/trace"
	"github.com/coherer/coherer/rpcenv/trace/internal/tracetest"
)

// What stands out under the pointer is what led to the message, its ask and its answer.
func TestSVGShowsTheCauses(t *testing.T) {
	tr := trace.Merge(tracetest.SparkRun(t, 1, 1)...)
	steps, _ := svgSteps(tr, tr.ByID())
	w := svgWriter{layout: newLayout(steps), byID: tr.ByID()}
	w.pairs = findPairs(w.rows)
	row := func(typ, form string) int {
		i := slices.IndexFunc(w.rows, func(r row) bool { return r.Type == typ && r.Form == form })
		if i < 0 {
			t.Fatalf("no %s %s is drawn", typ, form)
		}
		return i
	}
	ask := row("RegisterExecutor", trace.FormAsk)
	reply := row("RegisterExecutor", trace.FormReply)
	if w.pairs[ask].other != reply || w.pairs[reply].other != ask || w.pairs[ask].colour != w.pairs[reply].colour {
		t.Errorf("pairs %+v and %+v", w.pairs[ask], w.pairs[reply])
	}
	at := map[string]int{}
	for i, r := range w.rows {
		at[r.ID] = i
	}
	var got []string
	for _, i := range w.chain(row("LaunchExecutor", trace.FormSend), at) {
		got = append(got, w.rows[i].Name+w.rows[i].Type+w.rows[i].Form)
	}
	want := []string{"LaunchExecutorsend", "RegisterApplicationsend", "CheckExistencereply", "CheckExistenceask", "OnStart"}
	if !slices.Equal(got, want) {
		t.Errorf("chain %v, want %v", got, want)
	}
	if n := strings.Count(w.causeRules(), ":hover"); n != len(w.rows) {
		t.Errorf("%d rules for %d rows", n, len(w.rows))
	}
}

// A message that is drawn as one of many stands for all of them in the chains too.
func TestSVGCausesOfRepeats(t *testing.T) {
	var pings, pongs []trace.Entry
	for i := range 9 {
		id := string(rune('a' + i))
		pings = append(pings, trace.Entry{K: trace.KindMsg, ID: id, Form: trace.FormSend, From: "A/x", To: "B/y", Type: "Ping"})
		pongs = append(pongs, trace.Entry{K: trace.KindMsg, ID: id + "2", Cause: id, Form: trace.FormSend, From: "B/y", To: "A/x", Type: "Pong" + id, Sent: int64(i)})
	}
	tr := &trace.Trace{Entries: append(pings, pongs...)}
	if got := SVG(tr); !strings.Contains(got, ".co:has(#m9:hover) :is(#m9,#m0){opacity:1}") || strings.Count(got, `<g class="s `) != 10 {
		t.Errorf("the cause of a repeat is not its first:\n%s", got)
	}
}

func TestUnitOf(t *testing.T) {
	for ns, want := range map[int64]string{0: "0.0 ms", 1_250_000: "1.2 ms", 99_000_000_000: "99000.0 ms", 3600_000_000_000: "3600.00 s"} {
		u := unitOf([]row{{step: step{Entry: &trace.Entry{Sent: ns}}}})
		if got := u.of(ns) + " " + u.name; got != want {
			t.Errorf("%d: %s, want %s", ns, got, want)
		}
	}
}
