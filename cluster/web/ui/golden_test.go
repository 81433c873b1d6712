package ui

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/coherer/coherer/actors/driver/listener"
	"github.com/coherer/coherer/actors/driver/status"
	"github.com/coherer/coherer/cluster/web"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// logs are the event logs that Spark wrote while the answers were recorded.
const logs = "../../../actors/driver/listener/testdata/spark-4.1.4"

// events are those of an event log, as far as keep wants them.
func events(t *testing.T, log string, keep func(listener.Event) bool) (out []listener.Event) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(logs, log))
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(text) {
		e, err := listener.Decode(bytes.TrimSpace(line))
		if err != nil {
			t.Fatal(err)
		}
		if keep == nil || keep(e) {
			out = append(out, e)
		}
	}
	return out
}

// served is the API of an application of which these events are known, at a time.
func served(t *testing.T, all []listener.Event, now int64) http.Handler {
	t.Helper()
	c, err := conf.New(nil, status.Settings)
	if err != nil {
		t.Fatal(err)
	}
	store := status.New(c)
	for _, e := range all {
		store.On(e)
	}
	return newMux(&web.Site{Log: rpcenv.NoLog()}, func(_ context.Context, q status.Query) (any, error) {
		return store.Answer(q, now)
	})
}

// answer is an answer that was recorded.
type answer struct {
	Status int
	Type   string
	JSON   any
	Text   *string
	Bytes  *int
	// Total and Changed stand for a list of which only a part was kept.
	Total   *int
	Changed []any
}

func recorded(t *testing.T, name string) map[string]answer {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata/spark-4.1.4", name))
	if err != nil {
		t.Fatal(err)
	}
	var out map[string]answer
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// play asks for all that was recorded, but for the paths that skip names, and compares what mend leaves of both.
func play(t *testing.T, h http.Handler, name string, skip []string, mend func(path string, v any) any) {
	t.Helper()
	all := recorded(t, name)
	played := 0
	for _, path := range slices.Sorted(maps.Keys(all)) {
		want := all[path]
		if slices.ContainsFunc(skip, func(part string) bool { return strings.Contains(path, part) }) || path == "/" || path == "/nosuch" {
			continue
		}
		played++
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, apiRoot+path, nil))
		kind, _, _ := strings.Cut(w.Header().Get("Content-Type"), ";")
		if w.Code != want.Status || want.Status == http.StatusOK && kind != want.Type {
			t.Errorf("%s %s: %d %s, want %d %s", name, path, w.Code, kind, want.Status, want.Type)
			continue
		}
		switch {
		case want.Text != nil && want.Type == "text/plain":
			if w.Body.String() != *want.Text {
				t.Errorf("%s %s: %q, want %q", name, path, w.Body, *want.Text)
			}
		case want.Bytes != nil:
			if w.Body.Len() != *want.Bytes {
				t.Errorf("%s %s: %d bytes, want %d", name, path, w.Body.Len(), *want.Bytes)
			}
		case want.Type == "application/json":
			var got any
			if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
				t.Errorf("%s %s: %v in %s", name, path, err, w.Body)
				continue
			}
			if want.Total != nil {
				list, _ := got.([]any)
				if len(list) != *want.Total {
					t.Errorf("%s %s: %d entries, want %d", name, path, len(list), *want.Total)
				}
				if want.JSON == nil {
					want.JSON = want.Changed
				}
				wanted, _ := want.JSON.([]any)
				got = only(list, wanted)
			}
			for _, d := range differences("", mend(path, got), mend(path, want.JSON)) {
				t.Errorf("%s %s: %s", name, path, d)
			}
		}
	}
	if played < 6 {
		t.Errorf("%s: only %d paths were asked for", name, played)
	}
}

// only are the stages of a list that the other one has too, in its order.
func only(list, wanted []any) any {
	out := []any{}
	for _, w := range wanted {
		for _, g := range list {
			a, _ := g.(map[string]any)
			b, _ := w.(map[string]any)
			if a["stageId"] == b["stageId"] && a["attemptId"] == b["attemptId"] {
				out = append(out, g)
			}
		}
	}
	return out
}

// differences name what differs in got and want.
func differences(at string, got, want any) (out []string) {
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok {
			break
		}
		for _, key := range slices.Sorted(maps.Keys(w)) {
			if _, ok := g[key]; !ok {
				out = append(out, fmt.Sprintf("%s/%s is missing: %.80v", at, key, w[key]))
				continue
			}
			out = append(out, differences(at+"/"+key, g[key], w[key])...)
		}
		for _, key := range slices.Sorted(maps.Keys(g)) {
			if _, ok := w[key]; !ok {
				out = append(out, fmt.Sprintf("%s/%s is too much: %.80v", at, key, g[key]))
			}
		}
		return out
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) != len(w) {
			break
		}
		for i := range w {
			out = append(out, differences(fmt.Sprintf("%s[%d]", at, i), g[i], w[i])...)
		}
		return out
	}
	if !reflect.DeepEqual(got, want) {
		out = append(out, fmt.Sprintf("%s is %.200v, want %.200v", at, got, want))
	}
	return out
}

// without leaves out the fields of some names, at any depth.
func without(v any, names ...string) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for key, f := range v {
			if !slices.Contains(names, key) {
				out[key] = without(f, names...)
			}
		}
		return out
	case []any:
		out := []any{}
		for _, f := range v {
			out = append(out, without(f, names...))
		}
		return out
	}
	return v
}

// The answers about an application that is over are those of Spark's History Server for the same events.
func TestAnswersOfAnApplicationThatIsOver(t *testing.T) {
	for log, name := range map[string]string{"eventlog.jsonl": "plain.json", "eventlog-fair.jsonl": "fair.json"} {
		play(t, served(t, events(t, log, nil), 0), name, []string{"/threads", "/applications?", "/logs"}, func(path string, v any) any {
			switch {
			case strings.HasSuffix(path, "/environment"):
				// The recording has only some entries of each list.
				return without(v, "sparkProperties", "hadoopProperties", "systemProperties", "metricsProperties", "classpathEntries")
			case path == "/applications":
				return nil // the server has others
			}
			// When the file was changed is the server's own.
			return without(v, "lastUpdated", "lastUpdatedEpoch")
		})
	}
}

// unlike leaves out of a list of stages or executors those of which a heartbeat told Spark's driver more than the log has: the executor
// that was killed, and what ran there; and the delay of a stage with failed tasks (see package status).
func unlike(v any) any {
	list, ok := v.([]any)
	if !ok {
		return v
	}
	out := []any{}
	for _, x := range list {
		m, _ := x.(map[string]any)
		switch {
		case m["stageId"] == 12.0 && m["attemptId"] == 0.0, m["id"] == "0":
		case m["stageId"] == 7.0:
			out = append(out, without(m, "taskMetricsDistributions"))
		default:
			out = append(out, x)
		}
	}
	return out
}

// The answers about an application that runs are those of Spark's driver, but for what its heartbeats and broadcasts bring, which the log
// does not have.
func TestAnswersOfAnApplicationThatRuns(t *testing.T) {
	// The log alone has StageExecutorMetrics.
	running := func(e listener.Event) bool {
		return e.Kind() != "SparkListenerApplicationEnd" && e.Kind() != "SparkListenerStageExecutorMetrics"
	}
	for name, log := range map[string]string{"14-queries.json": "eventlog.jsonl", "fair-03-undeclared-pool-and-cache.json": "eventlog-fair.jsonl"} {
		all := events(t, log, running)
		play(t, served(t, all, 0), name, []string{"/threads"}, func(path string, v any) any {
			if strings.HasSuffix(path, "/environment") {
				return without(v, "sparkProperties", "hadoopProperties", "systemProperties", "metricsProperties", "classpathEntries")
			}
			v = without(v, "peakMemoryMetrics", "peakExecutorMetrics", "duration", "totalDuration", "totalGCTime")
			if name == "14-queries.json" {
				v = unlike(v)
				v = without(v, "memoryUsed", "diskUsed", "rddBlocks", "usedOnHeapStorageMemory")
			}
			return v
		})
	}
}

// Blocks that are kept, in the recorded words: dataset 9 of the FAIR application, before it was given up.
func TestKeptDatasets(t *testing.T) {
	all := events(t, "eventlog-fair.jsonl", nil)
	all = all[:slices.IndexFunc(all, func(e listener.Event) bool { return e.Kind() == "SparkListenerUnpersistRDD" })]
	w := httptest.NewRecorder()
	served(t, all, 0).ServeHTTP(w, httptest.NewRequest(http.MethodGet, apiRoot+"/applications/app-20261128211209-0001/storage/rdd/9", nil))
	var got status.RDDStorage
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code != http.StatusOK {
		t.Fatal(w.Code, err)
	}
	if got.ID != 9 || got.Partitions != 2 || got.Cached != 2 || got.Level != "Memory Serialized 1x Replicated" || got.Memory != 136 || len(got.Blocks) != 2 ||
		got.Blocks[1].Name != "rdd_9_1" || !slices.Equal(got.Blocks[1].Executors, []string{"0"}) || got.Distribution[0].Memory != 68 ||
		got.Distribution[0].Remaining != got.Distribution[0].OnHeapRemaining || got.Distribution[0].Remaining >= 133378867 {
		t.Errorf("%+v", got)
	}
}

// The text is over several lines, as Jackson writes it, and shows no field without a value.
func TestTheFormOfAnAnswer(t *testing.T) {
	w := httptest.NewRecorder()
	served(t, events(t, "eventlog.jsonl", nil), 0).ServeHTTP(w, httptest.NewRequest(http.MethodGet, apiRoot+"/applications/app-20261128211103-0000/jobs/0", nil))
	want := `{
  "jobId" : 0,
  "name" : "collect at /srv/app/app.py:71",
  "description" : "shuffle-first",
  "submissionTime" : "2026-11-28T21:11:10.964GMT",
  "completionTime" : "2026-11-28T21:11:14.176GMT",
  "stageIds" : [ 0, 1 ],
  "jobTags" : [ ],
  "status" : "SUCCEEDED",
  "numTasks" : 4,
  "numActiveTasks" : 0,
  "numCompletedTasks" : 4,
  "numSkippedTasks" : 0,
  "numFailedTasks" : 0,
  "numKilledTasks" : 0,
  "numCompletedIndices" : 4,
  "numActiveStages" : 0,
  "numCompletedStages" : 2,
  "numSkippedStages" : 0,
  "numFailedStages" : 0,
  "killedTasksSummary" : { }
}`
	if w.Body.String() != want {
		t.Errorf("got %s\nwant %s", w.Body, want)
	}
}

// The page escapes what users and peers have named, and shows each job, stage and executor.
func TestThePage(t *testing.T) {
	all := events(t, "eventlog.jsonl", nil)
	for _, e := range all {
		if e, ok := e.(*listener.ApplicationStart); ok {
			e.AppName = "<script>"
		}
	}
	w := httptest.NewRecorder()
	served(t, all, 0).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/jobs/", nil))
	text := w.Body.String()
	for _, want := range []string{
		"&lt;script&gt; application UI", "<td>8 (group-1)</td>", "to be cancelled", "<td>12.1</td>", "Command exited with code 137", "SKIPPED", "Jobs (10)", "Stages (15)",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if w.Code != http.StatusOK || strings.Contains(text, "<script>") {
		t.Errorf("%d %s", w.Code, text)
	}
	// Before the application has an id there is a page, too.
	w = httptest.NewRecorder()
	served(t, nil, 0).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil))
	if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "has not taken yet") {
		t.Error(w.Code, w.Body)
	}
}
