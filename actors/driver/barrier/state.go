package barrier

import (
	"fmt"

	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/rpcenv"
)

// id names an attempt of a stage.
type id struct{ stage, attempt int32 }

// String is Spark's, as in "Stage 3 (Attempt 0)".
func (i id) String() string { return fmt.Sprintf("Stage %d (Attempt %d)", i.stage, i.attempt) }

// over is the epoch of an attempt after the failure of a barrier: no request has it.
const over = -1

// barrier is the one that an attempt's tasks come to next. It mirrors BarrierCoordinator.ContextBarrierState.
type barrier struct {
	id      id
	tasks   int32
	epoch   int32
	method  app.RequestMethod // of the tasks that wait
	waiting []waiter          // in the order of their requests
	timer   rpcenv.Timer
}

// waiter is a task that waits.
type waiter struct {
	partition int32
	message   string
	answer    rpcenv.Call[*app.SyncMessages]
}

// refuse is why a request cannot wait at the barrier; "" when it can. all: those that wait cannot pass either.
func (b *barrier) refuse(m *app.RequestToSync) (why string, all bool) {
	switch {
	case m.GetBarrierEpoch() != b.epoch:
		return finished(b.id, m), false
	case m.GetNumTasks() != b.tasks:
		return fmt.Sprintf("Number of tasks of %s is %d from Task %d, previously it was %d.", b.id, m.GetNumTasks(), m.GetTaskAttemptId(), b.tasks), false
	case m.GetPartitionId() < 0 || m.GetPartitionId() >= b.tasks:
		return fmt.Sprintf("%s has %d tasks and none of partition %d.", b.id, b.tasks, m.GetPartitionId()), false
	case b.waits(m.GetPartitionId()):
		return fmt.Sprintf("Task %d of partition %d of %s waits at barrier epoch %d already.", m.GetTaskAttemptId(), m.GetPartitionId(), b.id, b.epoch), false
	case len(b.waiting) > 0 && m.GetRequestMethod() != b.method:
		return fmt.Sprintf("Different barrier sync types found for the sync %s: %s, %s. Please use the same barrier sync type within a single sync.",
			b.id, b.method, m.GetRequestMethod()), true
	}
	return "", false
}

// finished refuses a request of a barrier that is over.
func finished(i id, m *app.RequestToSync) string {
	return fmt.Sprintf("The request to sync of %s with barrier epoch %d has already finished. Maybe task %d is not properly killed.",
		i, m.GetBarrierEpoch(), m.GetTaskAttemptId())
}

func (b *barrier) waits(partition int32) bool {
	for _, w := range b.waiting {
		if w.partition == partition {
			return true
		}
	}
	return false
}

// messages are those of the tasks that wait, by partition.
func (b *barrier) messages() []string {
	out := make([]string, b.tasks)
	for _, w := range b.waiting {
		out[w.partition] = w.message
	}
	return out
}
