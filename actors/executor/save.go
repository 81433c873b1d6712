package executor

import (
	"errors"
	"fmt"

	"github.com/coherer/coherer/actors/driver/commit"
	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/rpcenv"
)

// commitDenied ends an attempt that the driver does not let commit (org.apache.spark.executor.CommitDeniedException).
type commitDenied struct{ stage, partition, attempt int32 }

// Error is Spark's text of the reason TaskCommitDenied.
func (e *commitDenied) Error() string {
	return fmt.Sprintf("TaskCommitDenied (Driver denied task commit) for job: %d, partition: %d, attemptNumber: %d", e.stage, e.partition, e.attempt)
}

// save computes a partition and writes it to the job's output, if the driver lets this attempt commit. An attempt that fails, is
// killed or is denied removes what it wrote. It mirrors SparkHadoopWriter.executeTask and SparkHadoopMapRedUtil.commitTask; checkpoints
// are written in the same way.
func (w *work) save(b *rpcenv.Blocking, t rdd.Task, result *app.TaskResult) error {
	d := w.desc
	out := rdd.JobOutput{Path: d.GetOutput().GetPath(), Job: d.GetOutput().GetJob()}
	attempt, err := out.Attempt(w.io.FS, t.Partition, rdd.HadoopAttempt(d.GetStageAttempt(), d.GetAttemptNumber()))
	if err != nil {
		return err
	}
	file := &countedOutput{Output: attempt}
	t.Output = file
	r, err := w.lineage.RunResult(t, rdd.Action(d.GetAction()))
	if err == nil {
		err = w.mayCommit(b)
	}
	if err == nil {
		err = attempt.Commit()
	}
	if err != nil {
		return errors.Join(err, attempt.Abort())
	}
	result.Count, result.OutputRecords, result.OutputBytes = r.Count, r.Count, file.bytes
	return nil
}

// mayCommit asks OutputCommitCoordinator; nil: this attempt may commit. Without a coordinator none may, as the driver is ending.
func (w *work) mayCommit(b *rpcenv.Blocking) error {
	if !outputCommitCoordination.Get(b.Env().Conf()) {
		return nil
	}
	d := w.desc
	denied := &commitDenied{d.GetStageId(), d.GetPartitionId(), d.GetAttemptNumber()}
	may, err := rpcenv.AskWait(b, rpcenv.Ref{Address: w.driver, Name: commit.Name}, &app.AskPermissionToCommitOutput{
		Stage: d.GetStageId(), StageAttempt: d.GetStageAttempt(), Partition: d.GetPartitionId(), AttemptNumber: d.GetAttemptNumber(),
	})
	switch {
	case b.Done():
		return errKilled
	case errors.Is(err, rpcenv.ErrRefusedNotFound), errors.Is(err, rpcenv.ErrRefusedStopped):
		return denied
	case err != nil:
		return fmt.Errorf("ask the driver whether %s may commit: %w", d.GetName(), err)
	case !may.GetValue():
		return denied
	}
	return nil
}
