package tasks

import (
	"strings"

	"github.com/coherer/coherer/messages/app"
)

// describe is the attempt as the executor gets it.
func (a *attempt) describe() *app.TaskDescription {
	set, w := &a.m.set, &a.m.set.Work
	d := &app.TaskDescription{
		TaskId: a.id, AttemptNumber: a.number, ExecutorId: a.executor, Name: a.name(), Index: a.index,
		PartitionId: set.Tasks[a.index].Partition, StageId: set.ID.Stage, StageAttempt: set.ID.Attempt,
		Job: w.Job, JobArgs: w.Args, JobDigest: w.Digest, Node: w.Node, Shuffles: w.Shuffles, Epoch: w.Epoch,
		Split: set.Tasks[a.index].Split, Cpus: int32(a.m.s.profile(a.m).CPUs),
		Persisted: w.Persisted,
	}
	if w.Map {
		d.ShuffleId = &w.Shuffle
	} else {
		d.Action, d.Output = w.Action, w.Output
	}
	if set.Barrier {
		d.Addresses = strings.Split(a.m.addresses, ",")
	}
	return d
}
