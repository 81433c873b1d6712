package show

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/coherer/coherer/rpcenv/trace"
	"github.com/coherer/coherer/rpcenv/trace/internal/tracetest"
)

func TestMermaid(t *testing.T) {
	tracetest.Golden(t, "run.mmd", Mermaid(trace.Merge(tracetest.SparkRun(t, 1, 3)...)))
	tracetest.Golden(t, "long.mmd", Mermaid(trace.Merge(tracetest.SparkRun(t, 200, 50)...)))
}

func TestTable(t *testing.T) {
	tracetest.Golden(t, "run.table", Table(trace.Merge(tracetest.SparkRun(t, 5, 3)...).Entries))
	hostile := []trace.Entry{{K: trace.KindMsg, Type: "A\x1b[2J", From: "W\n1", To: "7"}}
	if got := Table(hostile); !strings.Contains(got, `A\x1b[2J`) || !strings.Contains(got, `W\n`) || strings.Count(got, "\n") != 3 {
		t.Errorf("%q", got)
	}
}

func drawEntries(t *rapid.T) []trace.Entry {
	name := rapid.SampledFrom([]string{"Master", "Worker", "a;b", "end", "<x>", "", "é\n"})
	var entries []trace.Entry
	for i := range rapid.IntRange(0, 400).Draw(t, "entries") {
		e := trace.Entry{
			K: rapid.SampledFrom([]string{trace.KindMsg, trace.KindItem, trace.KindDrop, trace.KindState, trace.KindConn}).Draw(t, "k"), ID: fmt.Sprint(i),
			Cause: fmt.Sprint(rapid.IntRange(0, 400).Draw(t, "cause")),
			From:  fmt.Sprintf("%s%d/%s", name.Draw(t, "from"), rapid.IntRange(0, 40).Draw(t, "n"), name.Draw(t, "endpoint")),
			To:    name.Draw(t, "to"), At: name.Draw(t, "at"), Name: name.Draw(t, "name"), Type: name.Draw(t, "type"),
			Form: rapid.SampledFrom([]string{trace.FormSend, trace.FormAsk, trace.FormReply, trace.FormFail}).Draw(t, "form"), Sent: int64(i),
		}
		entries = append(entries, e)
	}
	return entries
}

func TestMermaidIsShortForAnyTrace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tr := &trace.Trace{Entries: drawEntries(t)}
		got := Mermaid(tr)
		if n := strings.Count(got, "\n"); n >= 120 {
			t.Fatalf("%d lines", n)
		}
		if got != Mermaid(tr) {
			t.Fatal("two different diagrams of one trace")
		}
	})
}

func TestMermaidShortWithManyPeers(t *testing.T) {
	tr := &trace.Trace{}
	for i := range 500 {
		tr.Entries = append(tr.Entries, trace.Entry{K: trace.KindMsg, From: fmt.Sprintf("P%da/E", i), To: fmt.Sprintf("Q%db/E", i), Type: "M"})
	}
	if n := strings.Count(Mermaid(tr), "\n"); n >= 120 || n < 60 {
		t.Errorf("%d lines", n)
	}
}
