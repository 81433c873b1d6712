package show

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/coherer/coherer/rpcenv/trace"
	"github.com/coherer/coherer/rpcenv/trace/internal/tracetest"
)

// wellFormed fails unless s is XML whose only elements are those that we draw with.
func wellFormed(t interface{ Fatalf(string, ...any) }, s string) {
	d := xml.NewDecoder(strings.NewReader(s))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatalf("no XML: %v", err)
		}
		if start, ok := token.(xml.StartElement); ok && !strings.Contains(" svg title style rect text tspan line path circle g ", " "+start.Name.Local+" ") {
			t.Fatalf("element %s", start.Name.Local)
		}
	}
}

func TestSVG(t *testing.T) {
	tr := trace.Merge(tracetest.SparkRun(t, 1, 3)...)
	got := SVG(tr)
	wellFormed(t, got)
	tracetest.Golden(t, "run.svg", got)
	long := SVG(trace.Merge(tracetest.SparkRun(t, 200, 50)...))
	wellFormed(t, long)
	if n := strings.Count(long, `<g class="s `); n > svgRows {
		t.Errorf("%d rows", n)
	}
	tracetest.Golden(t, "long.svg", long)
}

func TestSVGOfHostileNames(t *testing.T) {
	bad := "<script>alert(1)</script>&\"'\x00\xff]]>"
	got := SVG(&trace.Trace{Source: bad, Entries: []trace.Entry{
		{K: trace.KindMsg, ID: bad, From: bad + "/" + bad, To: "b/c", Type: bad, Form: trace.FormSend, Message: bad, Body: `{"` + "x" + `":"<b>"}`, Outcome: bad},
		{K: trace.KindItem, ID: "x", At: bad, Name: bad},
		{K: trace.KindState, At: bad, Name: bad, Is: bad, Why: bad},
		{K: trace.KindDrop, From: bad, To: bad, Type: bad, Why: bad, Cause: "x"},
		{K: "odd"},
		{},
	}})
	wellFormed(t, got)
	if strings.Contains(got, "<script") {
		t.Error("a name became an element")
	}
}

func TestSVGForAnyTrace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tr := &trace.Trace{Entries: drawEntries(t)}
		got := SVG(tr)
		wellFormed(t, got)
		if got != SVG(tr) {
			t.Fatalf("two different drawings of one trace")
		}
	})
}

func TestWrapName(t *testing.T) {
	for name, want := range map[string]string{
		"CoarseGrainedScheduler": "CoarseGrained|Scheduler", "BlockManagerMasterHeartbeat": "BlockManager|Master|Heartbeat", "Master": "Master",
		"endpoint-verifier": "endpoint-|verifier", "": "", "DAGScheduler": "DAGScheduler",
	} {
		if got := strings.Join(wrapName(name), "|"); got != want {
			t.Errorf("wrapName(%q) = %q, want %q", name, got, want)
		}
	}
}
