package rdd

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"iter"
	"testing"
)

func TestPanicOfAUserFunction(t *testing.T) {
	for op, node := range map[string]int{"FlatMap": 1, "Filter": 2, "MapPartitions": 3, "Map": 4, "ReduceByKey": 5} {
		t.Run(op, func(t *testing.T) {
			_, err := Collect(t.Context(), Local(nil), faulty.With(op))
			var user *UserError
			if !errors.As(err, &user) || user.Op != op || user.Node != node || !errors.Is(err, errBroken) {
				t.Fatalf("error %v, want a UserError of node %d, %s", err, node, op)
			}
			if !bytes.Contains(user.Stack, []byte("task_test.go")) {
				t.Errorf("stack does not show the function:\n%s", user.Stack)
			}
		})
	}
}

// brokenFS panics when a file is opened.
type brokenFS struct{}

func (brokenFS) Open(string) (File, error) { panic(errBroken) }

// A panic before any user's function has run is put down to none of them, but to the task.
func TestPanicOutsideOfUserFunctions(t *testing.T) {
	job, err := wordCount.With(countArgs{"text", 1, 2}).Invocation()
	if err != nil {
		t.Fatal(err)
	}
	s := job.Lineage.Shuffles()[0]
	splits, err := job.Lineage.Splits(MemFS{"text": []byte("a")}, s.MapNode)
	if err != nil {
		t.Fatal(err)
	}
	_, err = runMap(job.Lineage, Task{Node: s.MapNode, Split: splits[0], FS: brokenFS{}}, 0)
	var user *UserError
	if !errors.As(err, &user) || user.Op != "task" || user.Node != s.MapNode || !errors.Is(err, errBroken) {
		t.Errorf("error %+v, want one of the task itself", err)
	}
}

func TestDoneEndsATask(t *testing.T) {
	asked := 0
	l := lineageOf(t, endless.With(0))
	_, err := l.RunResult(Task{Node: l.Last(), Done: func() error {
		if asked++; asked == 3 {
			return errBroken
		}
		return nil
	}}, ActionCount)
	if err != errBroken { //nolint:errorlint // it must come back unchanged
		t.Errorf("error %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Count(ctx, Local(nil), endless.With(0)); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// A user's function may take long for each record, so a task looks often whether it is still wanted.
func TestATaskAsksOftenWhetherItIsDone(t *testing.T) {
	const records = 1000
	asked := 0
	l := lineageOf(t, upTo.With(records))
	_, err := l.RunResult(Task{Node: l.Last(), Done: func() error { asked++; return nil }}, ActionCount)
	if err != nil || asked < records/20 {
		t.Errorf("asked %d times for %d records, error %v", asked, records, err)
	}
}

func TestErrorsOfFetchPassUnchanged(t *testing.T) {
	l := lineageOf(t, wordCount.With(countArgs{"text", 1, 2}))
	block := mustCodec[Pair[string, int64]](t).append(nil, PairOf("a", int64(1)))
	for _, tc := range []struct {
		name  string
		block []byte
		err   error
		want  error
	}{
		{"fetch failed", block, errBroken, errBroken},
		{"damaged block", block[:len(block)-1], nil, ErrCorrupt},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := l.RunResult(Task{Node: 3, Partition: 1, Fetch: func(shuffle, reduce int) iter.Seq2[io.Reader, error] {
				if shuffle != 0 || reduce != 1 {
					t.Errorf("fetches shuffle %d for %d", shuffle, reduce)
				}
				return func(yield func(io.Reader, error) bool) {
					_ = yield(bytes.NewReader(tc.block), nil) && yield(nil, tc.err)
				}
			}}, ActionCount)
			if !errors.Is(err, tc.want) {
				t.Errorf("error %v, want %v", err, tc.want)
			}
			if user := (*UserError)(nil); errors.As(err, &user) {
				t.Errorf("error %v is put down to a user's function", err)
			}
		})
	}
}

func TestErrorSurvivesAFunctionThatRecovers(t *testing.T) {
	got, err := Collect(t.Context(), shortened{}, swallowing.With("text"))
	if err == nil {
		t.Errorf("got %v of a file that got shorter", got)
	}
}

func TestBadTasks(t *testing.T) {
	l := lineageOf(t, wordCount.With(countArgs{"text", 1, 2}))
	mem := MemFS{"text": []byte("a")}
	splits, err := l.Splits(mem, 2)
	if err != nil {
		t.Fatal(err)
	}
	split := splits[0]
	for _, tc := range []struct {
		name string
		run  func() error
		want error
	}{
		{"shuffle", func() error { _, err := runMap(l, Task{Node: 2}, 1); return err }, ErrBadTask},
		{"map node", func() error { _, err := runMap(l, Task{Node: 3}, 0); return err }, ErrBadTask},
		{"result node", func() error { _, err := l.RunResult(Task{Node: 2}, ActionCount); return err }, ErrBadTask},
		{"action", func() error { _, err := l.RunResult(Task{Node: 3}, "save"); return err }, ErrBadTask},
		{"partition", func() error { _, err := l.RunResult(Task{Node: 3, Partition: 2}, ActionCount); return err }, ErrBadTask},
		{"no fetch", func() error { _, err := l.RunResult(Task{Node: 3}, ActionCount); return err }, ErrBadTask},
		{"no split", func() error { _, err := runMap(l, Task{Node: 2, FS: mem}, 0); return err }, ErrBadTask},
		{"split", func() error { _, err := runMap(l, Task{Node: 2, FS: mem, Split: split[:len(split)-1]}, 0); return err }, ErrBadTask},
		{"no files", func() error { _, err := runMap(l, Task{Node: 2, Split: split}, 0); return err }, ErrBadTask},
		{"missing file", func() error {
			_, err := runMap(l, Task{Node: 2, Split: split, FS: MemFS{}}, 0)
			return err
		}, fs.ErrNotExist},
		{"missing file at the driver", func() error { _, err := l.Splits(MemFS{}, 2); return err }, fs.ErrNotExist},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if err := tc.run(); !errors.Is(err, tc.want) {
				t.Errorf("error %v, want %v", err, tc.want)
			}
		})
	}
}
