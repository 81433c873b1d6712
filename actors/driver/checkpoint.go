package driver

import (
	"errors"
	"fmt"
	"path"
	"slices"

	"github.com/coherer/coherer/actors/driver/dag"
	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/rpcenv"
)

// checkCheckpoint fails a job that marks datasets for checkpoints when there is no folder for them (RDD.checkpoint).
func (d *Driver) checkCheckpoint(job rdd.Invocation) error {
	if _, set := checkpointDir.Find(d.env.Conf()); set || job.Lineage == nil {
		return nil
	}
	if slices.ContainsFunc(job.Lineage.Persisted(), func(p rdd.Persisted) bool { return p.Checkpoint }) {
		return fmt.Errorf("%w: job %s: Checkpoint directory has not been set in the SparkContext: set %s to a folder that driver and executors see",
			rdd.ErrBadJob, job.Name, checkpointDir.Key())
	}
	return nil
}

// checkpoint has what a job that has ended well has marked written to files, or kept by the executors, by a job each. As in Spark the
// action fails when that fails.
func (d *Driver) checkpoint(b *rpcenv.Blocking, job rdd.Invocation, all []dag.Checkpoint) (err error) {
	for _, x := range all {
		ended := dag.CheckpointEnded{RDD: x.RDD}
		if err == nil {
			if x.Missing != nil {
				err = d.keepCheckpoint(b, job, x)
			} else {
				ended.Folder, err = d.writeCheckpoint(b, job, x)
			}
			if err != nil {
				err = fmt.Errorf("the job has ended well, but not its checkpoint of node %d: %w", x.Node, err)
			}
		}
		// Before the next job of the program: messages to one endpoint keep their order.
		err = errors.Join(err, d.env.Send(d.ref(dag.Name), ended))
	}
	return err
}

// writeCheckpoint returns the folder in which the files lie, as all processes find it. It mirrors
// ReliableCheckpointRDD.writeRDDToCheckpointDirectory.
func (d *Driver) writeCheckpoint(b *rpcenv.Blocking, job rdd.Invocation, x dag.Checkpoint) (folder string, err error) {
	dir, _ := checkpointDir.Find(d.env.Conf())
	// What the tasks add to accumulators was counted by the job before.
	job.Partitions, job.Totals, job.Output = nil, nil, rdd.JobOutput{Path: path.Join(dir, x.Folder)}
	_, folder, err = d.runSave(b, dag.JobSubmitted{JobID: d.jobs.Next(), Invocation: job, Action: rdd.ActionCheckpoint, Node: x.Node})
	if err != nil {
		return "", err
	}
	return folder, nil
}

// keepCheckpoint has the executors keep what a local checkpoint lacks. It mirrors LocalRDDCheckpointData.doCheckpoint.
func (d *Driver) keepCheckpoint(b *rpcenv.Blocking, job rdd.Invocation, x dag.Checkpoint) error {
	job.Partitions, job.Totals, job.Output = x.Missing, nil, rdd.JobOutput{}
	_, err := d.runJob(b, dag.JobSubmitted{JobID: d.jobs.Next(), Invocation: job, Action: rdd.ActionLocalCheckpoint, Node: x.Node})
	return err
}

// removeCheckpoints removes the application's checkpoints at its end, if that is set. DAGScheduler must still be there.
func (d *Driver) removeCheckpoints(b *rpcenv.Blocking) error {
	out, ok := d.fs.(rdd.OutputFS)
	if !ok || !cleanCheckpoints.Get(d.env.Conf()) {
		return nil
	}
	found, err := rpcenv.AskWait(b, d.ref(dag.Name), dag.FindCheckpoints{})
	if found.Folder != "" { // after an error it is empty
		err = out.RemoveAll(found.Folder)
	}
	if err = unlessGone(err); err != nil {
		return fmt.Errorf("remove the checkpoints: %w", err)
	}
	return nil
}
