package dag

import (
	"fmt"
	"slices"

	"github.com/coherer/coherer/actors/driver/barrier"
	"github.com/coherer/coherer/actors/driver/tasks"
	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/rpcenv"
)

// CheckBarrierSlots is the timer of a job whose barrier stage wants more cores than there are.
type CheckBarrierSlots struct {
	rpcenv.Local
	JobID int32
}

// checkBarriers starts a job if its barrier stages can run. It mirrors the checks of DAGScheduler.createResultStage and
// createShuffleMapStage.
func (s *Scheduler) checkBarriers(c *rpcenv.Context, j *job, of split) {
	lineage, most := j.what.Lineage, 0
	all := nodes(lineage, j.node)
	for i, node := range all {
		if !lineage.Barrier(node) {
			continue
		}
		if s.dynamicAllocation {
			s.endJob(c, j, fmt.Errorf("%w: [SPARK-24942]: Barrier execution mode does not support dynamic resource allocation for now. You can "+
				"disable dynamic resource allocation by setting Spark conf \"spark.dynamicAllocation.enabled\" to \"false\".", rdd.ErrBarrier))
			return
		}
		wanted := len(of.Splits[i])
		if i == len(all)-1 && j.what.Partitions != nil {
			wanted = len(j.what.Partitions)
		}
		if err := lineage.CheckBarrier(node, wanted, of.Splits[i]); err != nil {
			s.endJob(c, j, err)
			return
		}
		most = max(most, len(of.Splits[i]))
	}
	if most == 0 {
		s.startJob(c, j, of)
		return
	}
	j.split, j.slots = of, most
	s.checkSlots(c, j)
}

// checkSlots starts a job when all tasks of its barrier stages can run at once: now, or at one of the next checks.
func (s *Scheduler) checkSlots(c *rpcenv.Context, j *job) {
	rpcenv.Ask(c, s.cfg.Scheduler, tasks.RequestSlots{}, func(have tasks.Slots, _ error) {
		if !slices.Contains(s.jobs, j) { // it has ended meanwhile
			return
		}
		// With an error there are none.
		if have.N >= j.slots {
			s.startJob(c, j, j.split)
			return
		}
		j.slotFailures++
		c.Log().Warnf("Barrier stage in job %d requires %d slots, but only %d are available. Will retry up to %d more times",
			j.id, j.slots, have.N, max(0, s.maxSlotFailures-j.slotFailures+1))
		if j.slotFailures <= s.maxSlotFailures {
			c.After(maxConcurrentTasksCheckInterval.Get(c.Conf()), CheckBarrierSlots{JobID: j.id})
			return
		}
		s.endJob(c, j, fmt.Errorf("%w: [SPARK-24819]: Barrier execution mode does not allow run a barrier stage that requires more slots than "+
			"the total number of slots in the cluster currently. Please init a new cluster with more resources(e.g. CPU, GPU) or repartition the "+
			"input RDD(s) to reduce the number of slots required to run this barrier stage. It wants %d, there are %d.", rdd.ErrBarrier, j.slots, have.N))
	})
}

func (s *Scheduler) checkBarrierSlots(c *rpcenv.Context, m CheckBarrierSlots) {
	for _, j := range s.jobs {
		if j.id == m.JobID {
			s.checkSlots(c, j)
			return
		}
	}
}

// announceBarrier tells barrierSync of an attempt of a barrier stage, before its tasks are submitted.
func (s *Scheduler) announceBarrier(c *rpcenv.Context, g *stage, attempt int32, of int) {
	if g.barrier {
		c.Send(s.cfg.Barriers(), barrier.StageStart{Stage: g.id, Attempt: attempt, Tasks: int32(of)})
	}
}

// barrierTaskFailed follows the failure of a task whose stage runs as a whole or not at all: the others cannot go on without it. A map stage
// is tried again, with all its tasks; the program may have seen results of a result stage, which fails its job.
func (s *Scheduler) barrierTaskFailed(c *rpcenv.Context, g *stage, m tasks.CompletionEvent) {
	// The others of the attempt, which are killed, come here too.
	if m.Set.Attempt != g.attempts-1 || g.phase != phaseRunning {
		return
	}
	kind := "ResultTask"
	if g.shuffle != nil {
		kind = "ShuffleMapTask"
	}
	task := fmt.Sprintf("%s(%d, %d)", kind, g.id, m.Partition)
	why := fmt.Sprintf("Stage failed because barrier task %s finished unsuccessfully.\n%s", task, m.Reason.Text)
	c.Log().Infof("Marking %s as failed due to a barrier task failed.", g)
	c.Send(s.cfg.Scheduler, tasks.CancelTasks{
		Stage: g.id, Interrupt: g.job().what.Properties[rdd.PropertyInterrupt] == "true", Reason: fmt.Sprintf("Task %s from barrier stage %s failed.", task, g),
	})
	s.stageCompleted(c, g, why)
	g.fetchFailed[m.Set.Attempt] = true
	s.move(c, g, phaseFailed, "a barrier task failed")
	if s.abortBarrier(c, g, why, m.Reason) {
		return
	}
	if len(g.fetchFailed) >= s.maxFetch {
		s.abortStage(c, g, fmt.Sprintf("%s has failed the maximum allowable number of times: %d. Most recent failure reason: %s",
			g, s.maxFetch, why), m.Reason)
		return
	}
	s.unregisterAll(c, g.shuffle)
	if !s.resubmit.Active() {
		s.resubmit = c.After(resubmitDelay, ResubmitFailedStages{})
	}
}

// abortBarrier fails the job of a barrier stage that brings its result; false for another stage.
func (s *Scheduler) abortBarrier(c *rpcenv.Context, g *stage, why string, cause tasks.Reason) bool {
	if !g.barrier || g.shuffle != nil {
		return false
	}
	s.abortStage(c, g, "Could not recover from a failed barrier ResultStage. Most recent failure reason: "+why, cause)
	return true
}
