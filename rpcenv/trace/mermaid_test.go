package trace

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestMermaid(t *testing.T) {
	golden(t, "run.mmd", Mermaid(Merge(sparkRun(t, 1, 3)...)))
	golden(t, "long.mmd", Mermaid(Merge(sparkRun(t, 200, 50)...)))
}

func TestTable(t *testing.T) {
	golden(t, "run.table", Table(Merge(sparkRun(t, 5, 3)...).Entries))
	hostile := []Entry{{K: KindMsg, Type: "A\x1b[2J", From: "W\n1", To: "7"}}
	if got := Table(hostile); !strings.Contains(got, `A\x1b[2J`) || !strings.Contains(got, `W\n`) || strings.Count(got, "\n") != 3 {
		t.Errorf("%q", got)
	}
}

func TestRole(t *testing.T) {
	for peer, want := range map[string]string{
		"Worker12": "Worker", "Exec2.0": "Exec", "Driver2": "Driver", "Worker1#2": "Worker", "Master": "Master", "127.0.0.1:80": "127.0.0.1:",
		"7": "7", "": "",
	} {
		if got := Role(peer); got != want {
			t.Errorf("Role(%q) = %q, want %q", peer, got, want)
		}
	}
}

func drawEntries(t *rapid.T) []Entry {
	name := rapid.SampledFrom([]string{"Master", "Worker", "a;b", "end", "<x>", "", "é\n"})
	var entries []Entry
	for i := range rapid.IntRange(0, 400).Draw(t, "entries") {
		e := Entry{
			K: rapid.SampledFrom([]string{KindMsg, KindItem, KindDrop, KindState, KindConn}).Draw(t, "k"), ID: fmt.Sprint(i),
			Cause: fmt.Sprint(rapid.IntRange(0, 400).Draw(t, "cause")),
			From:  fmt.Sprintf("%s%d/%s", name.Draw(t, "from"), rapid.IntRange(0, 40).Draw(t, "n"), name.Draw(t, "endpoint")),
			To:    name.Draw(t, "to"), At: name.Draw(t, "at"), Name: name.Draw(t, "name"), Type: name.Draw(t, "type"),
			Form: rapid.SampledFrom([]string{FormSend, FormAsk, FormReply, FormFail}).Draw(t, "form"), Sent: int64(i),
		}
		entries = append(entries, e)
	}
	return entries
}

func TestMermaidIsShortForAnyTrace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tr := &Trace{Entries: drawEntries(t)}
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
	tr := &Trace{}
	for i := range 500 {
		tr.Entries = append(tr.Entries, Entry{K: KindMsg, From: fmt.Sprintf("P%da/E", i), To: fmt.Sprintf("Q%db/E", i), Type: "M"})
	}
	if n := strings.Count(Mermaid(tr), "\n"); n >= 120 || n < 60 {
		t.Errorf("%d lines", n)
	}
}
