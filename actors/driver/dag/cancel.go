package dag

import (
	"fmt"
	"slices"

	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/rpcenv"
)

// JobCancelled cancels a job, also one that has not started yet. An unknown one is ignored: it has ended.
type JobCancelled struct {
	rpcenv.Local
	JobID int32
	// Reason follows "Job N cancelled " in the job's error, such as "because nobody waits for it".
	Reason string
}

// ReplyType makes the answer's type known to the compiler.
func (JobCancelled) ReplyType() JobsCancelled { return JobsCancelled{} }

// StageCancelled cancels all jobs that need a stage. An unknown stage is ignored.
type StageCancelled struct {
	rpcenv.Local
	StageID int32
	// Reason follows "because " in the jobs' errors; "" for the words that Spark has.
	Reason string
}

// ReplyType makes the answer's type known to the compiler.
func (StageCancelled) ReplyType() JobsCancelled { return JobsCancelled{} }

// JobGroupCancelled cancels the jobs of a group.
type JobGroupCancelled struct {
	rpcenv.Local
	Group string
	// Future: jobs that are submitted later fail, too, as long as the group is one of the latest
	// spark.scheduler.numCancelledJobGroupsToTrack that were cancelled so.
	Future bool
	// Reason follows "Job N cancelled "; "" for the words that Spark has.
	Reason string
}

// ReplyType makes the answer's type known to the compiler.
func (JobGroupCancelled) ReplyType() JobsCancelled { return JobsCancelled{} }

// JobTagCancelled cancels the jobs that have a tag. Reason is as in JobGroupCancelled.
type JobTagCancelled struct {
	rpcenv.Local
	Tag, Reason string
}

// ReplyType makes the answer's type known to the compiler.
func (JobTagCancelled) ReplyType() JobsCancelled { return JobsCancelled{} }

// AllJobsCancelled cancels all jobs.
type AllJobsCancelled struct{ rpcenv.Local }

// ReplyType makes the answer's type known to the compiler.
func (AllJobsCancelled) ReplyType() JobsCancelled { return JobsCancelled{} }

// JobsCancelled answers a cancellation: the jobs that it ended, ascending.
type JobsCancelled struct {
	rpcenv.Local
	Jobs []int32
}

// cancelMessage takes the messages that cancel jobs; false for another message.
func (s *Scheduler) cancelMessage(c *rpcenv.Context, m rpcenv.Message) bool {
	switch m := m.(type) {
	case JobCancelled:
		rpcenv.Reply(c, m, s.cancel(c, m.Reason, func(j *job) bool { return j.id == m.JobID }))
	case StageCancelled:
		rpcenv.Reply(c, m, s.stageCancelled(c, m))
	case JobGroupCancelled:
		rpcenv.Reply(c, m, s.jobGroupCancelled(c, m))
	case JobTagCancelled:
		why := orElse(m.Reason, "part of cancelled job tag "+m.Tag)
		rpcenv.Reply(c, m, s.cancel(c, why, func(j *job) bool { return slices.Contains(rdd.JobTags(j.what.Properties), m.Tag) }))
	case AllJobsCancelled:
		rpcenv.Reply(c, m, s.cancel(c, "as part of cancellation of all jobs", func(*job) bool { return true }))
	default:
		return false
	}
	return true
}

// cancel fails the jobs that are wanted. Their tasks are killed, unless another job needs them too.
func (s *Scheduler) cancel(c *rpcenv.Context, why string, wanted func(*job) bool) JobsCancelled {
	var out JobsCancelled
	// endJob takes the job out of s.jobs.
	for _, j := range slices.Clone(s.jobs) {
		if wanted(j) {
			out.Jobs = append(out.Jobs, j.id)
			s.endJob(c, j, cancelled(j.id, why))
		}
	}
	return out
}

func (s *Scheduler) stageCancelled(c *rpcenv.Context, m StageCancelled) JobsCancelled {
	g := s.stages[m.StageID]
	if g == nil {
		c.Log().Infof("No active jobs to kill for Stage %d", m.StageID)
		return JobsCancelled{}
	}
	why := "because " + orElse(m.Reason, fmt.Sprintf("Stage %d was cancelled", m.StageID))
	return s.cancel(c, why, func(j *job) bool { return slices.Contains(j.stages, g) })
}

func (s *Scheduler) jobGroupCancelled(c *rpcenv.Context, m JobGroupCancelled) JobsCancelled {
	if m.Future && !slices.Contains(s.cancelledGroups, m.Group) {
		c.Log().Infof("Add job group %s into cancelled job groups", m.Group)
		s.cancelledGroups = append(s.cancelledGroups, m.Group)
		if more := len(s.cancelledGroups) - s.maxCancelledGroups; more > 0 {
			s.cancelledGroups = slices.Delete(s.cancelledGroups, 0, more)
		}
	}
	why := orElse(m.Reason, partOfGroup+m.Group)
	out := s.cancel(c, why, func(j *job) bool { return m.Group != "" && j.group() == m.Group })
	if len(out.Jobs) == 0 && !m.Future {
		c.Log().Warnf("Failed to cancel job group %s. Cannot find active jobs for it.", m.Group)
	}
	return out
}

// partOfGroup is why a job of a cancelled group was cancelled, before the group's name.
const partOfGroup = "part of cancelled job group "

// groupCancelled is the failure of a job whose group was cancelled together with its future jobs; nil for another job.
func (s *Scheduler) groupCancelled(c *rpcenv.Context, id int32, group string) error {
	if group == "" || !slices.Contains(s.cancelledGroups, group) {
		return nil
	}
	c.Log().Infof("Skip running a job that belongs to the cancelled job group %s", group)
	return cancelled(id, partOfGroup+group)
}

func cancelled(job int32, why string) *JobError {
	return &JobError{JobID: job, Reason: why, Kind: KindCancelled}
}

func orElse(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}
