package dag

import (
	"fmt"
	"slices"

	"github.com/coherer/coherer/actors/driver/mapoutput"
	"github.com/coherer/coherer/actors/driver/tasks"
	"github.com/coherer/coherer/rpcenv"
)

// rollBack follows the failure of an indeterminate map stage, which will run again and may write other records: what was made of its
// outputs does not fit to them. Map stages that were made of them in part drop what they have when they are submitted again
// (submitMissingTasks); results have reached the program, so a job that has some of its results fails.
func (s *Scheduler) rollBack(c *rpcenv.Context, writer *stage) {
	c.Log().Infof("The shuffle map stage %s with indeterminate output was failed, we will roll back and rerun the stages that are made of it", writer)
	// abortStage takes jobs out of s.jobs.
	for _, j := range slices.Clone(s.jobs) {
		if len(j.stages) == 0 {
			continue // it has not started
		}
		if g := j.result(); g.left < g.wanted && g.needs(writer, map[*stage]bool{}) {
			s.abortStage(c, g, fmt.Sprintf("A shuffle map stage with indeterminate output was failed and retried. However, Spark cannot rollback "+
				"the %s to re-process the input data, and has to fail this job. Please eliminate the indeterminacy by checkpointing the RDD before "+
				"repartition and try again.", g), tasks.Reason{})
		}
	}
}

// unregisterAll gives up all outputs of a shuffle.
func (s *Scheduler) unregisterAll(c *rpcenv.Context, sh *shuffle) {
	if !sh.lose(func(place) bool { return true }) {
		return
	}
	s.epoch++
	c.Send(s.cfg.Tracker, mapoutput.UnregisterAllMapOutput{Shuffle: sh.id, Epoch: s.epoch})
}
