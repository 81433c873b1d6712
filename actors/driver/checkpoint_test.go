package driver_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/coherer/coherer/actors/driver"
	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/rpcenv"
)

// storedOdd has a checkpoint of three partitions, node 1, above what its result is.
var storedOdd = rdd.Define("stored", func(to int64) rdd.Dataset[int64] {
	return rdd.Map(rdd.Checkpoint(rdd.Range(0, to, 3)), func(i int64) int64 { return 2*i + 1 })
})

var storedCount = rdd.DefineCounter("driver test: stored records")

const (
	checkpointDir    = "spark.checkpoint.dir"
	cleanCheckpoints = "spark.cleaner.referenceTracking.cleanCheckpoints"
)

// writer is an executor that runs all tasks, and writes and commits the parts of those that have an output.
type writer struct {
	*executor
	files  *rdd.MemDisk
	fails  bool // tasks that write do
	writes []string
	failed int // tasks that did
	plain  int // tasks that write nothing
	reads  string
}

func (r *rig) writer(files *rdd.MemDisk) *writer {
	r.t.Helper()
	w := &writer{executor: r.launched("0", 1), files: files}
	w.On(func(c *rpcenv.Context, m rpcenv.Message) bool {
		l, ok := m.(*app.LaunchTask)
		if !ok {
			return false
		}
		d := l.GetData()
		if len(d.GetPersisted()) > 0 {
			w.reads = d.GetPersisted()[0].GetCheckpoint()
		}
		u, err := endOf(d, "")
		if err != nil {
			r.t.Error(err)
		}
		u.Result.Accumulated = []*app.Accumulated{{Name: "driver test: stored records", Value: binary.AppendVarint(nil, 1)}}
		switch {
		case d.GetOutput() == nil:
			w.plain++
		case w.fails:
			w.failed++
			u.State, u.Result, u.Failure = app.TaskState_FAILED, nil, &app.TaskFailure{Kind: "ExceptionFailure", Message: "the disk is full"}
		default:
			w.write(d)
		}
		c.Send(r.at(driver.Name), u)
		return true
	})
	return w
}

func (w *writer) write(d *app.TaskDescription) {
	w.r.t.Helper()
	out := rdd.JobOutput{Path: d.GetOutput().GetPath(), Job: d.GetOutput().GetJob()}
	_, number, _ := strings.Cut(out.Job, "_")
	w.writes = append(w.writes, fmt.Sprintf("%s of node %d, partition %d, job %s", d.GetAction(), d.GetNode(), d.GetPartitionId(), number))
	a, err := out.Attempt(w.files, int(d.GetPartitionId()), rdd.HadoopAttempt(d.GetStageAttempt(), d.GetAttemptNumber()))
	if err == nil {
		_, err = a.Create()
		err = errors.Join(err, a.Commit())
	}
	if err != nil {
		w.r.t.Error(err)
	}
}

// runs runs a job with a checkpoint, of which it wants one partition.
func (w *writer) runs(totals *rdd.Totals) error {
	w.r.t.Helper()
	inv, err := storedOdd.With(9).Invocation()
	if err != nil {
		w.r.t.Fatal(err)
	}
	inv.Partitions, inv.Totals = []int32{1}, totals
	return w.r.program(func(b *rpcenv.Blocking) error {
		got, err := w.r.driver.RunJob(b, inv, rdd.ActionCount)
		if err == nil && len(got) != 1 {
			err = fmt.Errorf("results %v", got)
		}
		return err
	})
}

// RDD.doCheckpoint: a second job writes all partitions, whatever the first one wanted, and accumulates nothing; the next job reads the files.
func TestAJobThatEndsWellHasItsCheckpointWritten(t *testing.T) {
	files := &rdd.MemDisk{}
	r := newRig(t, 1, map[string]string{checkpointDir: "/checkpoints"}, files)
	w := r.writer(files)
	var totals rdd.Totals
	if err := w.runs(&totals); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"checkpoint of node 1, partition 0, job 0001", "checkpoint of node 1, partition 1, job 0001", "checkpoint of node 1, partition 2, job 0001",
	}
	if !slices.Equal(w.writes, want) || w.plain != 1 {
		t.Errorf("%d tasks, then %q, want one, then %q", w.plain, w.writes, want)
	}
	if n, err := storedCount.Total(&totals); n != 1 || err != nil {
		t.Errorf("%d records were counted, %v", n, err)
	}
	if err := w.runs(nil); err != nil || len(w.writes) != 3 {
		t.Errorf("%v after %d files", err, len(w.writes))
	}
	if path.Dir(path.Dir(w.reads)) != "/checkpoints" || !strings.HasPrefix(path.Base(w.reads), "rdd-") {
		t.Errorf("the next job reads %q", w.reads)
	}
	if names, err := files.ReadDir(w.reads); err != nil || !slices.Equal(names, []string{"_SUCCESS", "part-00000", "part-00001", "part-00002"}) {
		t.Errorf("there is %q, %v", names, err)
	}
}

// The action fails with its checkpoint, and the next one tries again.
func TestAnActionFailsWithItsCheckpoint(t *testing.T) {
	files := &rdd.MemDisk{}
	r := newRig(t, 1, map[string]string{checkpointDir: "/checkpoints"}, files)
	w := r.writer(files)
	w.fails = true
	err := w.runs(nil)
	if err == nil || !strings.Contains(err.Error(), "the job has ended well, but not its checkpoint of node 1: job stored: ") ||
		!strings.Contains(err.Error(), "the disk is full") {
		t.Errorf("the failure is %v", err)
	}
	w.fails = false
	if err := w.runs(nil); err != nil || len(w.writes) != 3 {
		t.Errorf("the next one: %v, %d files", err, len(w.writes))
	}
}

// A job whose checkpoint has no place to go to does not start.
func TestAJobNeedsAFolderForItsCheckpoint(t *testing.T) {
	files := &rdd.MemDisk{}
	r := newRig(t, 1, nil, files)
	w := r.writer(files)
	err := w.runs(nil)
	want := "job stored: Checkpoint directory has not been set in the SparkContext: set spark.checkpoint.dir to a folder that driver and executors see"
	if !errors.Is(err, rdd.ErrBadJob) || !strings.HasSuffix(err.Error(), want) || w.plain > 0 {
		t.Errorf("%v after %d tasks", err, w.plain)
	}
}

// storedTwice has two checkpoints side by side.
var storedTwice = rdd.Define("stored twice", func(to int64) rdd.Dataset[int64] {
	return rdd.Union(rdd.Checkpoint(rdd.Range(0, to, 1)), rdd.Checkpoint(rdd.Range(0, to, 1)))
})

// When one checkpoint cannot be written the others of the job are not tried.
func TestTheFirstCheckpointThatFailsIsTheLast(t *testing.T) {
	files := &rdd.MemDisk{}
	r := newRig(t, 1, map[string]string{checkpointDir: "/checkpoints"}, files)
	w := r.writer(files)
	w.fails = true
	inv, err := storedTwice.With(9).Invocation()
	if err != nil {
		t.Fatal(err)
	}
	runs := func() error {
		return r.program(func(b *rpcenv.Blocking) error {
			_, err := r.driver.RunJob(b, inv, rdd.ActionCount)
			return err
		})
	}
	if err := runs(); err == nil || strings.Count(err.Error(), "the disk is full") != 1 || w.failed != 4 {
		t.Errorf("%v after %d failures", err, w.failed)
	}
	w.fails = false
	if err := runs(); err != nil || len(w.writes) != 2 {
		t.Errorf("the next job: %v, %q", err, w.writes)
	}
}

// disk notes what is removed; it may refuse to.
type disk struct {
	*rdd.MemDisk
	removed []string
	err     error
}

func (d *disk) RemoveAll(name string) error {
	if strings.Contains(name, "_temporary") {
		return d.MemDisk.RemoveAll(name)
	}
	d.removed = append(d.removed, name)
	return errors.Join(d.err, d.MemDisk.RemoveAll(name))
}

// The application's own folder goes at its end, if that is set and there is one. ContextCleaner does so for datasets that are gone.
func TestCheckpointsAreRemovedAtTheEndIfThatIsSet(t *testing.T) {
	full := errors.New("the disk is stuck")
	for _, k := range []struct {
		clean, job bool
		err        error
		want       int // folders that are removed
	}{{false, true, nil, 0}, {true, false, nil, 0}, {true, true, nil, 1}, {true, true, full, 1}} {
		files := &disk{MemDisk: &rdd.MemDisk{}}
		r := newRig(t, 1, map[string]string{checkpointDir: "/checkpoints", cleanCheckpoints: fmt.Sprint(k.clean)}, files)
		if k.job {
			if err := r.writer(files.MemDisk).runs(nil); err != nil {
				t.Fatal(err)
			}
		}
		files.removed, files.err = nil, k.err
		err := r.stop(0)
		if !errors.Is(err, k.err) || err != nil && err.Error() != "remove the checkpoints: the disk is stuck" {
			t.Errorf("%+v: %v", k, err)
		}
		names, _ := files.ReadDir("/checkpoints")
		if len(files.removed) != k.want || k.want == 1 && (path.Dir(files.removed[0]) != "/checkpoints" || len(names) > 0) {
			t.Errorf("%+v: removed %q, left are %q", k, files.removed, names)
		}
		if err := r.stop(0); err != nil {
			t.Errorf("%+v: a second stop: %v", k, err)
		}
	}
	r := newRig(t, 1, map[string]string{cleanCheckpoints: "true"}, rdd.MemFS{}) // nothing can be written there
	if err := r.stop(0); err != nil {
		t.Error(err)
	}
}
