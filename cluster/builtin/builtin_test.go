package builtin

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/coherer/coherer/actors/rdd"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// output runs a program as a driver would.
func output(t *testing.T, name string, args ...string) string {
	t.Helper()
	var out strings.Builder
	if err := Programs[name](t.Context(), rdd.Local(nil), args, &out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestPiIsRoughlyRight(t *testing.T) {
	for _, slices := range []string{"1", "2", "7"} {
		var pi float64
		if _, err := fmt.Sscanf(output(t, "pi", slices), "Pi is roughly %g\n", &pi); err != nil || math.Abs(pi-math.Pi) > 0.02 {
			t.Errorf("%s slices: %g, error %v", slices, pi, err)
		}
	}
	if output(t, "pi") != output(t, "pi", "2") {
		t.Error("the default is not 2 slices")
	}
}

func TestSlicesDiffer(t *testing.T) {
	if pointsInside(0) == pointsInside(1) {
		t.Error(pointsInside(0), pointsInside(1))
	}
}

func TestSleepCountsTheTasks(t *testing.T) {
	for args, want := range map[string]string{
		"":                                     "2 tasks slept\n",
		"--tasks 5 --task-time 1h":             "5 tasks slept\n",
		"-tasks=3 --stages=4 --task-time=10ms": "12 tasks slept\n",
		"--tasks 3 --stages 2 --barrier":       "6 tasks slept\n",
		"--tasks 1 --stages 3 --task-time 0s":  "3 tasks slept\n",
	} {
		if got := output(t, "sleep", strings.Fields(args)...); got != want {
			t.Errorf("%q: got %q, want %q", args, got, want)
		}
	}
}

// Each task of each stage sleeps once and for as long as asked, however the keys fall to the reducers.
func TestEachTaskSleepsOnce(t *testing.T) {
	const tasks, stages = 7, 3
	job, err := sleep.With(SleepArgs{Tasks: tasks, TaskTime: time.Second, Stages: stages}).Invocation()
	if err != nil {
		t.Fatal(err)
	}
	if n := len(job.Lineage.Shuffles()); n != stages-1 {
		t.Fatalf("%d shuffles", n)
	}
	var written []rdd.Blocks // by the stage before: blocks by task and reducer
	for _, s := range job.Lineage.Shuffles() {
		var writing []rdd.Blocks
		for partition := range tasks {
			var slept []time.Duration
			blocks := make(rdd.Blocks, s.Reducers)
			err := job.Lineage.RunMap(rdd.Task{
				Node: s.MapNode, Partition: partition,
				Sleep: func(d time.Duration) error {
					slept = append(slept, d)
					return nil
				},
				Fetch: func(_, reduce int) iter.Seq2[io.Reader, error] {
					return func(yield func(io.Reader, error) bool) {
						for _, blocks := range written {
							if !yield(bytes.NewReader(blocks[reduce]), nil) {
								return
							}
						}
					}
				},
			}, s.Index, blocks.Output())
			if err != nil || !slices.Equal(slept, []time.Duration{time.Second}) {
				t.Errorf("task %d of stage %d slept %v, error %v", partition, s.Index, slept, err)
			}
			writing = append(writing, blocks)
		}
		written = writing
	}
}

func TestSleepSavesWhatItsTasksDid(t *testing.T) {
	m := &rdd.MemDisk{}
	var out strings.Builder
	if err := Sleep(t.Context(), rdd.Local(m), strings.Fields("--tasks 3 --stages 2 --save out"), &out); err != nil {
		t.Fatal(err)
	}
	if out.String() != "6 tasks slept and saved to out\n" {
		t.Error(out.String())
	}
	if names, err := m.ReadDir("out"); err != nil || !slices.Equal(names, []string{"_SUCCESS", "part-00000", "part-00001", "part-00002"}) {
		t.Error(names, err)
	}
}

func TestProgramsRefuse(t *testing.T) {
	for _, tc := range []struct{ name, args, want string }{
		{"pi", "x", `SLICES is "x"`},
		{"pi", "0", `SLICES is "0"`},
		{"pi", "100001", "1 to 100000"},
		{"pi", "1 2", "[SLICES]"},
		{"sleep", "5", `unknown argument "5"`},
		{"sleep", "--tasks 2,x", "with commas"},
		{"sleep", "--tasks 2,3 --save x", "give one number"},
		{"sleep", "--tasks 2,8 --pause -1s", "--pause"},
		{"sleep", "--tasks", "--task-time DURATION"},
		{"sleep", "--task-time 10", "--task-time DURATION"},
		{"sleep", "--nap", "-nap"},
		{"sleep", "-h", "it takes --tasks"},
		{"sleep", "--tasks 0 --stages 0", "--stages is 0"},
		{"sleep", "--tasks 0 --stages 0", "--tasks is 0"},
		{"sleep", "--task-time -1s", "--task-time is -1s"},
	} {
		err := Programs[tc.name](t.Context(), rdd.Local(nil), strings.Fields(tc.args), t.Output())
		if err == nil || !strings.Contains(err.Error(), tc.want) || !strings.HasPrefix(err.Error(), tc.name+": ") {
			t.Errorf("%s %s: error %v, want %q", tc.name, tc.args, err, tc.want)
		}
		if checked := Check(tc.name, strings.Fields(tc.args)); checked == nil || checked.Error() != err.Error() {
			t.Errorf("%s %s: checked %v, want %v", tc.name, tc.args, checked, err)
		}
	}
}

func TestProgramsEndWithTheirContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := Sleep(ctx, rdd.Local(nil), nil, t.Output())
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func ExampleSleep() {
	args := []string{"--tasks", "3", "--task-time", "10ms", "--stages", "2"}
	if err := Sleep(context.Background(), rdd.Local(nil), args, os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output: 6 tasks slept
}
