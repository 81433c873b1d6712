package executor

import (
	"slices"
	"time"

	"github.com/coherer/coherer/actors/driver/barrier"
	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/rpcenv"
)

// syncPatience is how long a task waits at a barrier; the driver fails it before, after spark.barrier.sync.timeout. It is Spark's.
const syncPatience = 365 * 24 * time.Hour

// barriers are where a task of a barrier stage waits for the others. It mirrors BarrierTaskContext.
type barriers struct {
	b     *rpcenv.Blocking
	desc  *app.TaskDescription
	at    rpcenv.Address // the driver
	ref   rpcenv.Ref     // of barrierSync, once it was found
	epoch int32
}

var _ rdd.Barriers = (*barriers)(nil)

// Sync asks barrierSync, which answers when all tasks have asked. A kill ends the wait.
func (t *barriers) Sync(message string, gather bool) ([]string, error) {
	var err error
	if t.ref.IsZero() {
		t.ref, err = rpcenv.ResolveWait(t.b, rpcenv.Ref{Address: t.at, Name: barrier.Name}.String())
	}
	var all *app.SyncMessages
	if err == nil {
		q := &app.RequestToSync{
			NumTasks: int32(len(t.desc.GetAddresses())), StageId: t.desc.GetStageId(), StageAttemptId: t.desc.GetStageAttempt(),
			TaskAttemptId: t.desc.GetTaskId(), BarrierEpoch: t.epoch, PartitionId: t.desc.GetPartitionId(), Message: message,
		}
		if gather {
			q.RequestMethod = app.RequestMethod_ALL_GATHER
		}
		all, err = rpcenv.AskWait(t.b, t.ref, q, rpcenv.Timeout("barrierTimeout", syncPatience))
	}
	if t.b.Done() {
		return nil, errKilled
	}
	if err != nil {
		return nil, err
	}
	t.epoch++
	return all.GetMessages(), nil
}

// Addresses of the executors of all tasks, by partition.
func (t *barriers) Addresses() []string { return slices.Clone(t.desc.GetAddresses()) }
