package dag

import (
	"time"

	"github.com/coherer/coherer/actors/driver/allocation"
	"github.com/coherer/coherer/actors/driver/event"
	"github.com/coherer/coherer/actors/driver/tasks"
	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/rpcenv"
)

// resubmitDelay is how long a fetch failure waits for others of the same cause, to submit their stages once
// (DAGScheduler.RESUBMIT_TIMEOUT).
const resubmitDelay = 200 * time.Millisecond

// reportDelay is how long the log leaves the end of an application to a job that is about to be submitted.
const reportDelay = time.Second

// Config names the endpoints that the DAGScheduler works with.
type Config struct {
	// Scheduler is CoarseGrainedScheduler, Tracker MapOutputTracker.
	Scheduler, Tracker rpcenv.Ref
	// Commits is OutputCommitCoordinator.
	Commits rpcenv.Ref
	// Barriers is barrierSync, which the first call starts, for the first barrier stage.
	Barriers func() rpcenv.Ref
	// Blocks is BlockManagerMaster.
	Blocks rpcenv.Ref
	// ExternalShuffle: the map outputs of executors outlive them, until their host's Worker is removed.
	ExternalShuffle bool
	// Listeners get the events of package event.
	Listeners []rpcenv.Ref
	// Bus gets those events too, and those that CoarseGrainedScheduler sends here to be posted in one order with them; JobStart describes
	// its stages then. The zero Ref turns that off.
	Bus rpcenv.Ref
	// FS is where text files are split.
	FS rdd.FS
}

// Scheduler is the endpoint.
type Scheduler struct {
	cfg  Config
	jobs []*job // by id
	// stages of the jobs that are not answered, by id.
	stages                 map[int32]*stage
	datasets               datasets
	kept                   allKept
	nextStage, nextShuffle int32
	nextRDD                int32
	// checkpoints is the name of the folder for the checkpoints of this application, "" before the first; checkpointsAt is where it lies.
	checkpoints, checkpointsAt string
	// epoch counts losses of map outputs; tasks carry it.
	epoch int64
	// lostAt is the epoch in which an executor's outputs were given up, 0 for none: what older tasks bring from it may be gone.
	lostAt map[string]int64
	// decommissioned executors that still live, and whether their whole hosts are.
	decommissioned map[string]bool
	resubmit       rpcenv.Timer
	dead           string // why the application is over
	unreported     string // the line of the log for it, until a job fails with it or the log has it
	maxFetch       int
	// dynamicAllocation: barrier stages are refused; maxSlotFailures is how often one may not fit.
	dynamicAllocation bool
	maxSlotFailures   int
	maxAttempts       int
	// cancelledGroups were cancelled with their jobs that were still to come, the latest maxCancelledGroups of them.
	cancelledGroups    []string
	maxCancelledGroups int
	// keptShuffles is how many shuffles that no job needs are kept for later jobs.
	keptShuffles int
	// ignoreDecommissioned and byHost are settings for failures to fetch.
	ignoreDecommissioned, byHost bool
	// reduceLocality: tasks behind a shuffle prefer hosts.
	reduceLocality bool
}

// New makes a Scheduler without jobs.
func New(cfg Config) *Scheduler {
	return &Scheduler{cfg: cfg, stages: map[int32]*stage{}, datasets: newDatasets(), kept: newAllKept(), lostAt: map[string]int64{}, decommissioned: map[string]bool{}}
}

// OnStart is a callback of the endpoint.
func (s *Scheduler) OnStart(c *rpcenv.Context) {
	s.maxSlotFailures = maxConcurrentTasksCheckMaxFailures.Get(c.Conf())
	s.dynamicAllocation = allocation.Enabled(c.Conf())
	s.maxFetch = stageMaxConsecutiveAttempts.Get(c.Conf())
	s.ignoreDecommissioned = stageIgnoreDecommissionFetchFailure.Get(c.Conf())
	s.byHost = filesFetchFailureUnRegisterOutputOnHost.Get(c.Conf())
	s.keptShuffles = shufflesKept.Get(c.Conf())
	s.reduceLocality = shuffleReduceLocality.Get(c.Conf())
	s.maxCancelledGroups = numCancelledJobGroupsToTrack.Get(c.Conf())
	s.maxAttempts = max(stageMaxAttempts.Get(c.Conf()), s.maxFetch)
}

// OnStop is a callback of the endpoint. A driver that ends within reportDelay still reports why its application was over.
func (s *Scheduler) OnStop(c *rpcenv.Context) {
	s.reportDeath(c)
	s.endUnanswered(c)
}

// Receive is a callback of the endpoint.
func (s *Scheduler) Receive(c *rpcenv.Context, m rpcenv.Message) {
	switch m := m.(type) {
	case JobSubmitted:
		s.jobSubmitted(c, m)
	case tasks.CompletionEvent:
		s.completionEvent(c, m)
	case tasks.TaskSetFailed:
		s.taskSetFailed(c, m)
	case tasks.SpeculativeTaskSubmitted:
		s.listen(c, event.SpeculativeTaskSubmitted{StageID: m.Set.Stage, StageAttempt: m.Set.Attempt, Index: m.Index, Partition: m.Partition})
	case tasks.UnschedulableSet:
		s.listen(c, event.UnschedulableTaskSet{StageID: m.Set.Stage, StageAttempt: m.Set.Attempt, Schedulable: m.Schedulable})
	case event.ExecutorChange:
		s.executorChange(c, m)
		if m.Kind == event.ExecutorLost {
			s.post(c, m)
		}
	case event.TaskStart, event.TaskGettingResult, event.Exclusion, event.ExecutorRegistered, event.ExecutorMetricsUpdate:
		s.post(c, m)
	case event.PartitionKept:
		s.partitionKept(c, m)
	case event.MapOutputMoved:
		s.mapOutputMoved(c, m)
	case CheckpointEnded:
		s.checkpointEnded(c, m)
	case FindCheckpoints:
		rpcenv.Reply(c, m, CheckpointsFound{Folder: s.checkpointsAt})
	case UnpersistRDDs:
		s.unpersistRDDs(c, m)
	case event.WorkerRemoved:
		s.workerRemoved(c, m)
	case StopJobs:
		s.stopJobs(c, m)
	case ApplicationDead:
		s.applicationDead(c, m)
	case ReportDeath:
		s.reportDeath(c)
	case CheckBarrierSlots:
		s.checkBarrierSlots(c, m)
	case ResubmitFailedStages:
		s.resubmitFailedStages(c)
	default:
		if !s.cancelMessage(c, m) {
			c.Unsupported(m)
		}
	}
}

// listen sends an event to the listeners.
func (s *Scheduler) listen(c *rpcenv.Context, e rpcenv.Message) {
	for _, l := range s.cfg.Listeners {
		c.Send(l, e)
	}
	s.post(c, e)
}

// post sends an event to LiveListenerBus alone.
func (s *Scheduler) post(c *rpcenv.Context, e rpcenv.Message) {
	if !s.cfg.Bus.IsZero() {
		c.Send(s.cfg.Bus, e)
	}
}

// move changes a stage's phase.
func (s *Scheduler) move(c *rpcenv.Context, g *stage, to phase, why string) {
	if g.phase != to {
		c.State("stage", g.String(), g.phase.String(), to.String(), why)
		g.phase = to
	}
}
