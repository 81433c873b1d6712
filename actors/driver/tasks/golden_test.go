package tasks

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/rpcenv/rpctest/recorded"
)

// goldenFolder has scripts of events and what the scheduler of Spark 4.1.4 decided; COHERER_GOLDEN_DIR names another one.
const goldenFolder = "testdata/golden"

// goldenFile is a file of the folder.
type goldenFile struct {
	Kind  string
	Start int64 // milliseconds
	Cases []goldenCase
}

type goldenCase struct {
	ID, Note    string
	Conf        map[string]string
	Racks       map[string]string
	Allocations string
	Events      []goldenEvent
}

// goldenEvent has the fields of each kind of event, and what was seen.
type goldenEvent struct {
	E string
	// submit
	Stage, Attempt, Priority int32
	Tasks                    [][]string
	Pool, Profile            string
	Barrier, Map             bool
	Partitions               []int32
	// offer
	All       bool
	Offers    []goldenOffer
	Resources map[string]Amounts
	// status
	TID                  int64
	State, Reason        string
	ByApp                bool
	FetchFrom            []string
	Size, Records, RunMs int64
	// others
	Ms               int64
	Exec, WorkerHost string
	Partition, Index int32
	Name             string
	CPUs             int `json:"cpus"`
	Out              map[string]any
}

// goldenOffer is [executor, host, free cores].
type goldenOffer struct {
	executor, host string
	cores          int
}

func (o *goldenOffer) UnmarshalJSON(b []byte) error {
	return json.Unmarshal(b, &[]any{&o.executor, &o.host, &o.cores})
}

// TestGolden plays the scripts that Spark's own TaskSchedulerImpl and TaskSetManager were played with: with coherer.compat=upstream
// this Scheduler does the same, down to what is inside.
func TestGolden(t *testing.T) {
	eachGolden(t, recorded.Folder(goldenFolder), func(f *goldenFile, c *goldenCase) {
		t.Run(c.ID, func(t *testing.T) {
			if text, ok := firstDifference(t, f, c, Faults{AbortsTwice: true, ResubmitsFailed: true}); ok {
				t.Error(text)
			}
		})
	})
}

// eachGolden reads all cases of a folder.
func eachGolden(t *testing.T, folder string, do func(*goldenFile, *goldenCase)) {
	t.Helper()
	recorded.Each(t, folder, "*.json", func(_ string, f goldenFile) {
		for i := range f.Cases {
			do(&f, &f.Cases[i])
		}
	})
}

// firstDifference plays a case and compares each event's outcome; false when all are the same.
func firstDifference(t *testing.T, f *goldenFile, c *goldenCase, faults Faults) (string, bool) {
	p := newPlayer(t, c, faults, time.UnixMilli(f.Start))
	for i := range c.Events {
		e := &c.Events[i]
		got := plain(p.play(e))
		want := e.Out
		if want == nil {
			want = map[string]any{}
		}
		// A status LOST, which only Mesos sent, fails an assertion of Spark's; here it is a failure like others.
		if text, _ := want["error"].(string); strings.HasPrefix(text, "AssertionError") {
			return "", false
		}
		delete(want, "error")
		withoutStack(want["aborted"])
		if !reflect.DeepEqual(got, want) {
			return fmt.Sprintf("%s\nevent %d %s differs in\n%s", c.Note, i, e.E, strings.Join(different("", got, want), "\n")), true
		}
	}
	return "", false
}

// withoutStack takes the driver's stack, which nobody here has, off the reasons why sets were aborted.
func withoutStack(aborted any) {
	list, _ := aborted.([]any)
	for _, one := range list {
		pair := one.([]any)
		pair[1], _, _ = strings.Cut(pair[1].(string), "\nDriver stacktrace:")
	}
}

// plain is a value as JSON would read it.
func plain(v any) map[string]any {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	out := map[string]any{}
	if err := json.Unmarshal(text, &out); err != nil {
		panic(err)
	}
	return out
}

// different are the paths at which two values differ.
func different(path string, got, want any) []string {
	g, isMap := got.(map[string]any)
	w, both := want.(map[string]any)
	if !isMap || !both {
		if reflect.DeepEqual(got, want) {
			return nil
		}
		return []string{fmt.Sprintf("%s: got %v, want %v", path, got, want)}
	}
	var out []string
	for k := range w {
		out = append(out, different(path+"/"+k, g[k], w[k])...)
	}
	for k := range g {
		if _, ok := w[k]; !ok {
			out = append(out, different(path+"/"+k, g[k], nil)...)
		}
	}
	return out
}
