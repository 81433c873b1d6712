package protocol

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/coherer/coherer/cluster/local"
	"github.com/coherer/coherer/cluster/scenario"
	"github.com/coherer/coherer/rpcenv/trace"
)

// golden compares a committed file with what it is made from, or, with -rewrite, writes it.
func golden(t *testing.T, file string, got []byte) {
	t.Helper()
	if rewriting() {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s is not what the source gives now, from line %d on (%v): go test ./cluster/protocol -rewrite",
			file, firstDifference(got, want), err)
	}
}

// rewriting reports whether the test writes what it would compare. (datadriven has the flag.)
func rewriting() bool { return flag.Lookup("rewrite").Value.String() == "true" }

func firstDifference(a, b []byte) int {
	as, bs := bytes.Split(a, []byte("\n")), bytes.Split(b, []byte("\n"))
	for i := range as {
		if i >= len(bs) || !bytes.Equal(as[i], bs[i]) {
			return i + 1
		}
	}
	return len(as) + 1
}

// analysis is what the Go source says now, once it was read.
var analysis *source

// analysed is what the Go source says now, read once for all tests.
func analysed(t *testing.T) source {
	t.Helper()
	if analysis == nil {
		s := analyse(t)
		analysis = &s
	}
	return *analysis
}

func analyse(t *testing.T) source {
	t.Helper()
	packages := sources(t)
	var s source
	s.Endpoints = endpointsOf(packages)
	s.Handlers = handlersOf(packages, s.Endpoints)
	s.Locals = localsOf(packages, s.Handlers)
	messages := map[string]bool{}
	for _, m := range protoMessages() {
		messages[m.Name] = m.Kind == kindMessage
	}
	for _, u := range s.Handlers {
		messages[u.Message] = true
	}
	s.Makers = makersOf(packages, s.Endpoints, messages)
	s.Deviations = deviations(t)
	return s
}

func TestSourceIsThatOfTheTree(t *testing.T) {
	b, err := json.MarshalIndent(analysed(t), "", " ")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "source.json", append(b, '\n'))
}

// run runs a script in a World and returns what was said.
func run(t *testing.T, script string) *trace.Trace {
	t.Helper()
	var r *scenario.Runner
	datadriven.RunTest(t, filepath.Join("..", "scenario", "testdata", script+".txt"), func(t *testing.T, d *datadriven.TestData) string {
		first := d.FullCmd()
		if r == nil {
			var err error
			if r, err = scenario.New(local.Sim, first); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := r.Block(t.Context(), append([]string{first}, strings.Split(d.Input, "\n")...)); err != nil {
			t.Fatalf("%s: %v", d.Pos, err)
		}
		return d.Expected // package scenario compares, and rewrites
	})
	if r == nil {
		t.Fatal(script, "has no block")
	}
	out := r.Trace()
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	return out
}

// traces are the runs of the scripts, once they ran.
var traces = map[string]*trace.Trace{}

// recorded are the recordings as the code makes them now, whole, and what is kept of each.
func recorded(t *testing.T) (whole []recording, kept map[string]*trace.Trace) {
	t.Helper()
	for _, s := range scripts {
		if traces[s] == nil {
			traces[s] = run(t, s)
		}
		whole = append(whole, recording{s, traces[s].Entries})
	}
	kept = map[string]*trace.Trace{}
	shown := shownOf(whole, append(protoMessages(), withTargets(locals(analysed(t)), analysed(t))...))
	for _, r := range whole {
		cut := *traces[r.script]
		cut.Entries = slices.DeleteFunc(slices.Clone(cut.Entries), func(e trace.Entry) bool { return !shown[r.script][e.ID] || e.K == trace.KindConn })
		kept[r.script] = &cut
	}
	return whole, kept
}

// withTargets enters into locals the endpoints that handle them: a trace has only the bare name of a local.
func withTargets(messages []Message, s source) []Message {
	for i := range messages {
		for _, u := range s.Handlers {
			if u.Message == messages[i].Name {
				messages[i].To = append(messages[i].To, u.Endpoint)
			}
		}
	}
	return messages
}

// shownOf are the ids of the entries that examples and conversations need, by script.
func shownOf(recordings []recording, messages []Message) map[string]map[string]bool {
	shown := map[string]map[string]bool{}
	keep := func(r recording, e *trace.Entry) {
		if shown[r.script] == nil {
			shown[r.script] = map[string]bool{}
		}
		for _, c := range r.causes(e) {
			shown[r.script][c.ID] = true
		}
	}
	for i := range messages {
		for _, r := range recordings {
			if at := slices.IndexFunc(r.entries, func(e trace.Entry) bool { return says(&e, &messages[i]) }); at >= 0 {
				keep(r, &r.entries[at])
				break
			}
		}
	}
	for _, c := range conversations {
		for _, r := range recordings {
			if r.script != c.script {
				continue
			}
			said, err := c.walk(r)
			if err != nil {
				continue // build reports it
			}
			for i := range said {
				keep(r, &said[i])
			}
		}
	}
	return shown
}

func TestRecordingsAreThoseOfTheScripts(t *testing.T) {
	_, kept := recorded(t)
	for _, s := range scripts {
		var b bytes.Buffer
		if err := kept[s].WriteJSONL(&b); err != nil {
			t.Fatal(err)
		}
		golden(t, "recordings/"+s+".jsonl", b.Bytes())
	}
}

// Nothing misses what was cut from the recordings: the whole ones give the same.
func TestRecordingsAreCutWithoutLoss(t *testing.T) {
	whole, kept := recorded(t)
	var short []recording
	for _, s := range scripts {
		short = append(short, recording{s, kept[s].Entries})
	}
	a, err := build(analysed(t), whole)
	if err != nil {
		t.Fatal(err)
	}
	b, err := build(analysed(t), short)
	if err != nil {
		t.Fatal(err)
	}
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	if errX != nil || errY != nil || !bytes.Equal(x, y) {
		t.Error("the cut recordings give another protocol", errX, errY)
	}
}

func TestTheReferenceIsWhatExplainSays(t *testing.T) {
	whole, _ := recorded(t)
	p, err := build(analysed(t), whole)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := p.Markdown(&b); err != nil {
		t.Fatal(err)
	}
	golden(t, filepath.Join(root, filepath.FromSlash(File)), b.Bytes())
}
