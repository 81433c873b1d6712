package executor_test

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/driver/commit"
	"github.com/coherer/coherer/actors/executor"
	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
)

var slowWords = rdd.Define("executor test: slow words", func(none) rdd.Dataset[string] {
	words := rdd.Map(rdd.Range(0, 4, 2), func(n int64) string { return strings.Repeat("w", int(n)) })
	return rdd.Sleep(words, func(string) time.Duration { return time.Second })
})

var longLines = rdd.Define("executor test: long lines", func(none) rdd.Dataset[string] {
	return rdd.Map(rdd.Range(0, 6, 2), func(int64) string { return strings.Repeat("x", 1<<20) })
})

// saver is an executor with files in memory, below the output of a job, and what it asks OutputCommitCoordinator.
type saver struct {
	*rig
	files *rdd.MemDisk
	out   rdd.JobOutput
	asked []string
	may   bool
	hold  bool // the coordinator does not answer
}

func newSaver(t *testing.T, settings ...*app.Property) *saver {
	t.Helper()
	s := &saver{files: &rdd.MemDisk{}, out: rdd.JobOutput{Path: "/out", Job: "j_0001"}, may: true}
	s.rig = bootRig(t, nil, func(_ *rig, b *executor.Boot) { b.IO.FS = s.files }, settings...)
	s.expect(&app.LaunchedExecutor{})
	if err := s.files.MkdirAll("/out/_temporary/0/_temporary"); err != nil {
		t.Fatal(err)
	}
	s.commits.On(func(c *rpcenv.Context, m rpcenv.Message) bool {
		q, ok := m.(*app.AskPermissionToCommitOutput)
		if !ok {
			return false
		}
		s.asked = append(s.asked, textOf(q)+" with "+strings.Join(s.tree(), " "))
		if s.hold {
			rpcenv.Defer(c, q)
			return true
		}
		rpcenv.Reply(c, q, &rpc.Bool{Value: s.may})
		return true
	})
	return s
}

// tree is the files below the output, without what is the same for all.
func (s *saver) tree() []string {
	var out []string
	var walk func(at string)
	walk = func(at string) {
		names, _ := s.files.ReadDir(at)
		for _, name := range names {
			if f, err := s.files.Open(path.Join(at, name)); err == nil {
				data := make([]byte, f.Size())
				_, _ = f.ReadAt(data, 0)
				out = append(out, fmt.Sprintf("%s %q", strings.TrimPrefix(path.Join(at, name), "/out/_temporary/0/"), data))
			}
			walk(path.Join(at, name))
		}
	}
	walk("/out")
	return out
}

func (s *saver) want(want ...string) {
	s.t.Helper()
	if got := s.tree(); !slices.Equal(got, want) {
		s.t.Errorf("the output has\n%q\nwant\n%q", got, want)
	}
}

// save is a task that saves partition 1.
func (s *saver) save(t *testing.T, id int64, stageAttempt, attempt int32) *app.TaskDescription {
	t.Helper()
	d := task(t, slowWords.With(none{}), id)
	d.Action, d.PartitionId, d.StageId, d.StageAttempt, d.AttemptNumber = string(rdd.ActionSave), 1, 4, stageAttempt, attempt
	d.Output = &app.TaskOutput{Path: s.out.Path, Job: s.out.Job}
	return d
}

// A task writes to a folder of its own, asks when all is written, and commits.
func TestATaskThatSavesAsksBeforeItCommits(t *testing.T) {
	s := newSaver(t)
	s.launch(s.save(t, 7, 2, 3))
	u := s.end()
	if u.GetState() != app.TaskState_FINISHED || u.GetResult().GetCount() != 2 || u.GetResult().GetRecords() != nil {
		t.Error(u)
	}
	if res := u.GetResult(); res.GetOutputBytes() != 7 || res.GetOutputRecords() != 2 {
		t.Errorf("it wrote %d bytes, %d records", res.GetOutputBytes(), res.GetOutputRecords())
	}
	want := `AskPermissionToCommitOutput{stage:4 stage_attempt:2 partition:1 attempt_number:3} with _temporary/attempt_j_0001_m_000001_131075/part-00001 "ww\nwww\n"`
	if !slices.Equal(s.asked, []string{want}) {
		t.Errorf("asked\n%q\nwant\n%q", s.asked, want)
	}
	s.want(`task_j_0001_m_000001/part-00001 "ww\nwww\n"`)
}

// What is written in several pieces counts whole.
func TestTheBytesOfLongLinesCount(t *testing.T) {
	s := newSaver(t)
	d := s.save(t, 7, 0, 0)
	inv, err := longLines.With(none{}).Invocation()
	if err != nil {
		t.Fatal(err)
	}
	d.Job, d.JobDigest, d.Node = inv.Name, inv.Lineage.Digest(), int32(inv.Lineage.Last())
	s.launch(d)
	if res := s.end().GetResult(); res.GetOutputBytes() != 3*(1<<20+1) || res.GetOutputRecords() != 3 {
		t.Errorf("it wrote %d bytes, %d records", res.GetOutputBytes(), res.GetOutputRecords())
	}
}

// An attempt that is denied leaves nothing and says so: a failure that does not count.
func TestAnAttemptThatIsDeniedLeavesNothing(t *testing.T) {
	s := newSaver(t)
	s.may = false
	s.launch(s.save(t, 7, 0, 3))
	u := s.end()
	const why = "TaskCommitDenied (Driver denied task commit) for job: 4, partition: 1, attemptNumber: 3"
	if u.GetState() != app.TaskState_FAILED || u.GetFailure().GetKind() != "TaskCommitDenied" || u.GetFailure().GetMessage() != why {
		t.Error(u)
	}
	s.want()
}

// An executor whose coordinator is gone may not commit.
func TestWithoutACoordinatorNothingIsCommitted(t *testing.T) {
	s := newSaver(t)
	s.launch(s.save(t, 7, 0, 0))
	s.commits.Env.Stop(commit.Name)
	if u := s.end(); u.GetFailure().GetKind() != "TaskCommitDenied" {
		t.Error(u)
	}
	s.want()
}

// A coordinator that does not answer fails the attempt, which counts; a kill ends it at once.
func TestAnAttemptThatWaitsForAPermissionCanBeKilled(t *testing.T) {
	s := newSaver(t)
	s.hold = true
	s.launch(s.save(t, 7, 0, 0))
	s.Until("the question", func() bool { return len(s.asked) == 1 })
	s.driver.Send(s.ref, &app.KillTask{TaskId: 7, Executor: "0", Reason: "another attempt succeeded"})
	if u := s.end(); u.GetState() != app.TaskState_KILLED {
		t.Error(u)
	}
	s.want()
	s.launch(s.save(t, 8, 0, 1))
	s.Advance(2 * time.Minute)
	if u := s.end(); u.GetFailure().GetKind() != "ExceptionFailure" || !strings.Contains(u.GetFailure().GetMessage(), "ask the driver whether task may commit") {
		t.Error(u)
	}
	s.want()
}

// A task that is killed while it writes leaves nothing and does not ask.
func TestATaskThatIsKilledWhileItSavesLeavesNothing(t *testing.T) {
	s := newSaver(t)
	s.launch(s.save(t, 7, 0, 0))
	s.Advance(500 * time.Millisecond)
	s.want(`_temporary/attempt_j_0001_m_000001_0/part-00001 ""`)
	s.driver.Send(s.ref, &app.KillTask{TaskId: 7, Executor: "0", Reason: "cancelled"})
	if u := s.end(); u.GetState() != app.TaskState_KILLED {
		t.Error(u)
	}
	s.want()
	if len(s.asked) > 0 {
		t.Error(s.asked)
	}
}

// An executor that is killed leaves what it has written: nobody is there to remove it.
func TestAnExecutorThatIsKilledLeavesWhatItWrote(t *testing.T) {
	s := newSaver(t)
	s.launch(s.save(t, 7, 0, 0))
	s.Advance(500 * time.Millisecond)
	s.exec.Kill()
	s.Settle()
	s.want(`_temporary/attempt_j_0001_m_000001_0/part-00001 ""`)
}

// A full disk and an output that is gone fail the attempt with what happened.
func TestAFullDiskFailsATaskThatSaves(t *testing.T) {
	s := newSaver(t)
	s.files.Room = 4
	s.launch(s.save(t, 7, 0, 0))
	f := s.end().GetFailure()
	if f.GetKind() != "ExceptionFailure" || !strings.Contains(f.GetMessage(), "no space left on device") || !strings.Contains(f.GetMessage(), "part-00001") {
		t.Error(f)
	}
	s.want()
	if err := s.files.RemoveAll("/out"); err != nil {
		t.Fatal(err)
	}
	s.launch(s.save(t, 8, 0, 1))
	if f := s.end().GetFailure(); !strings.Contains(f.GetMessage(), "the job is over, or this executor does not see the driver's /out") {
		t.Error(f)
	}
	bad := s.save(t, 9, 0, 0)
	bad.Output = nil
	s.launch(bad)
	if f := s.end().GetFailure(); f.GetKind() != "BadJob" {
		t.Error(f)
	}
}

// spark.hadoop.outputCommitCoordination.enabled=false lets each attempt commit.
func TestWithoutCoordinationAttemptsCommitUnasked(t *testing.T) {
	s := newSaver(t, &app.Property{Key: "spark.hadoop.outputCommitCoordination.enabled", Value: "false"})
	s.may = false
	s.launch(s.save(t, 7, 0, 0))
	if u := s.end(); u.GetState() != app.TaskState_FINISHED {
		t.Error(u)
	}
	s.want(`task_j_0001_m_000001/part-00001 "ww\nwww\n"`)
	if len(s.asked) > 0 {
		t.Error(s.asked)
	}
}
