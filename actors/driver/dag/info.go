package dag

import (
	"slices"
	"strings"

	"github.com/coherer/coherer/actors/driver/event"
	"github.com/coherer/coherer/rpcenv"
)

// infos describe the stages of a job, for events.
func infos(j *job) []event.StageInfo {
	var out []event.StageInfo
	for _, g := range j.stages {
		out = append(out, g.info(string(j.action)))
	}
	return out
}

// info describes a stage. Like Spark's call sites, its name has the operation that ends it: the shuffle that it writes, or the action.
func (g *stage) info(action string) event.StageInfo {
	lineage := g.of.what.Lineage
	name, nodes := action, lineage.Narrow(g.node)
	if g.shuffle != nil {
		at := slices.Index(g.of.shuffles, g.shuffle)
		name = lineage.Nodes[lineage.Shuffles()[at].Node].Op
	}
	info := event.StageInfo{ID: g.id, Name: name + " at " + g.of.what.Name, Tasks: len(g.splits), Parents: []int32{}}
	for _, p := range g.parents {
		info.Parents = append(info.Parents, p.id)
	}
	var lines []string
	slices.Reverse(nodes) // the last node first, as in Spark
	for _, number := range nodes {
		n := lineage.Nodes[number]
		lines = append(lines, n.String())
		rdd := event.RDD{
			ID: g.of.rdds[number], Op: n.Op, Func: n.Func, Parents: []int32{}, Partitions: lineage.Partitions(number),
			Indeterminate: lineage.Indeterminate(number), Barrier: lineage.Barrier(number),
		}
		if k := g.of.kept[number]; k != nil {
			rdd.Level = k.level
		}
		// 0: it depends on files. The stage has as many, since such a node is read without a shuffle.
		if rdd.Partitions == 0 {
			rdd.Partitions = len(g.splits)
		}
		for _, p := range n.Parents {
			rdd.Parents = append(rdd.Parents, g.of.rdds[p])
		}
		info.RDDs = append(info.RDDs, rdd)
	}
	info.Details = strings.Join(lines, "\n")
	return info
}

// shutDown is why the end of a driver cancels its jobs.
const shutDown = "because SparkContext was shut down"

// stopJobs fails the jobs that run, before the driver ends: later their askers would learn only that an endpoint has stopped.
func (s *Scheduler) stopJobs(c *rpcenv.Context, m StopJobs) {
	s.endUnanswered(c)
	rpcenv.Reply(c, m, JobsCancelled{})
}

// endUnanswered fails the jobs that the driver's end leaves unanswered, and posts their ends. It mirrors
// DAGScheduler.cleanUpAfterSchedulerStop.
func (s *Scheduler) endUnanswered(c *rpcenv.Context) {
	for _, j := range s.jobs {
		for _, g := range j.stages {
			if g.phase == phaseRunning && g.job() == j {
				s.post(c, event.StageCompleted{JobID: j.id, StageID: g.id, Attempt: g.attempts - 1, Failure: "Stage cancelled " + shutDown})
			}
		}
		if j.of != nil {
			s.post(c, event.JobEnd{JobID: j.id, Err: cancelled(j.id, shutDown)})
		}
		j.answer.Fail(cancelled(j.id, shutDown)) // in OnStop it comes too late: the Env has failed what was not answered
	}
	// What their tasks still bring is nobody's.
	s.jobs, s.stages = nil, map[int32]*stage{}
}
