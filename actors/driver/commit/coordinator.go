package commit

import (
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
)

// Name is the endpoint's name.
const Name = "OutputCommitCoordinator"

// Coordinator is the endpoint.
type Coordinator struct {
	stages map[int32]*stage
}

// New makes a Coordinator without stages.
func New() *Coordinator { return &Coordinator{stages: map[int32]*stage{}} }

// Receive is a callback of the endpoint.
func (o *Coordinator) Receive(c *rpcenv.Context, m rpcenv.Message) {
	switch m := m.(type) {
	case *app.AskPermissionToCommitOutput:
		o.askPermissionToCommitOutput(c, m)
	case StageStart:
		o.stageStart(c, m)
	case StageEnd:
		delete(o.stages, m.Stage)
	case TaskCompleted:
		o.taskCompleted(c, m)
	default:
		c.Unsupported(m)
	}
}

// stageStart keeps what it knows of an earlier attempt of the stage: outputs that were committed stay, and the attempts that may still
// commit are of any attempt of the stage.
func (o *Coordinator) stageStart(c *rpcenv.Context, m StageStart) {
	s := o.stages[m.Stage]
	switch {
	case s == nil:
		o.stages[m.Stage] = newStage(m.Partitions)
	case len(s.committers) != m.Partitions: // a bug of DAGScheduler; Spark throws
		c.Log().Errorf("Stage %d has %d partitions now and had %d: its attempts are as many", m.Stage, m.Partitions, len(s.committers))
	default:
		c.Log().Infof("Reusing state from previous attempt of stage %d.", m.Stage)
	}
}

func (o *Coordinator) taskCompleted(c *rpcenv.Context, m TaskCompleted) {
	s := o.stages[m.Stage]
	if s == nil {
		c.Log().Debugf("Ignoring task completion for completed stage %d", m.Stage)
		return
	}
	if s.fail(m.Partition, attempt{m.StageAttempt, m.Attempt}) {
		c.Log().Debugf("Authorized committer (attemptNumber=%d, stage=%d, partition=%d) failed; clearing lock", m.Attempt, m.Stage, m.Partition)
	}
}

// askPermissionToCommitOutput answers at once: a denied attempt ends and gives its core back, instead of waiting for the other one.
func (o *Coordinator) askPermissionToCommitOutput(c *rpcenv.Context, m *app.AskPermissionToCommitOutput) {
	may, why := false, "stage already marked as completed"
	if s := o.stages[m.GetStage()]; s != nil {
		may, why = s.ask(m.GetPartition(), attempt{m.GetStageAttempt(), m.GetAttemptNumber()})
	}
	if !may {
		c.Log().Infof("Commit denied for stage=%d.%d, partition=%d, attemptNumber=%d: %s.",
			m.GetStage(), m.GetStageAttempt(), m.GetPartition(), m.GetAttemptNumber(), why)
	}
	rpcenv.Reply(c, m, &rpc.Bool{Value: may})
}
