package bus

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/coherer/coherer/actors/driver/event"
	"github.com/coherer/coherer/actors/driver/listener"
	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/rpcenv"
)

// stages are those of jobs that are not over, by id.
type stages map[int32]*stage

// stage is what the bus knows of a stage: its newest attempt, the jobs that need it and their properties.
type stage struct {
	info       listener.StageInfo
	jobs       []int32
	properties listener.Properties
}

func (s *Bus) jobStart(c *rpcenv.Context, m event.JobStart) {
	e := &listener.JobStart{
		JobID: m.JobID, Submitted: c.Now().UnixMilli(), Stages: []listener.StageInfo{}, StageIDs: append([]int32{}, m.Stages...),
		Properties: propertiesOf(m.Properties),
	}
	if len(m.Infos) > 0 {
		// What SparkContext sets for the jobs of an action: the pages name a job by it.
		last := m.Infos[len(m.Infos)-1].Name
		e.Properties = append(e.Properties, listener.Field[string]{Key: "callSite.short", Value: last}).Sorted()
	}
	for _, info := range m.Infos {
		g := s.stages[info.ID]
		if g == nil { // otherwise an earlier job needs it, too
			g = &stage{info: stageInfo(info, m.Name), properties: e.Properties}
			s.stages[info.ID] = g
		}
		g.jobs = append(g.jobs, m.JobID)
		e.Stages = append(e.Stages, g.info)
	}
	s.post(c, e)
}

// jobEnd follows the ends of the stages that the job alone needed.
func (s *Bus) jobEnd(c *rpcenv.Context, m event.JobEnd) {
	e := &listener.JobEnd{JobID: m.JobID, Completed: c.Now().UnixMilli(), Result: listener.JobResult{Result: listener.JobSucceeded}}
	if m.Err != nil {
		e.Result = listener.JobResult{Result: listener.JobFailed, Exception: &listener.Exception{Message: m.Err.Error(), Stack: []listener.Frame{}}}
	}
	for _, id := range slices.Sorted(maps.Keys(s.stages)) {
		g := s.stages[id]
		if g.jobs = slices.DeleteFunc(g.jobs, func(job int32) bool { return job == m.JobID }); len(g.jobs) == 0 {
			delete(s.stages, id)
		}
	}
	s.post(c, e)
}

func (s *Bus) stageSubmitted(c *rpcenv.Context, m event.StageSubmitted) {
	g := s.stages[m.StageID]
	if g == nil {
		return
	}
	now := c.Now().UnixMilli()
	g.info.Attempt, g.info.Tasks, g.info.Submitted, g.info.Completed, g.info.Failure = m.Attempt, m.Tasks, &now, nil, nil
	s.stagePeaksBegin(c, stageAttempt{m.StageID, m.Attempt})
	s.post(c, &listener.StageSubmitted{Stage: g.info, Properties: g.properties})
}

func (s *Bus) stageCompleted(c *rpcenv.Context, m event.StageCompleted) {
	g := s.stages[m.StageID]
	if g == nil {
		return
	}
	now := c.Now().UnixMilli()
	info := g.info
	info.Attempt, info.Completed = m.Attempt, &now
	if m.Failure != "" {
		info.Failure = &m.Failure
	}
	g.info = info
	s.stagePeaksEnd(c, stageAttempt{m.StageID, m.Attempt})
	s.post(c, &listener.StageCompleted{Stage: info})
}

// stageInfo describes a stage before its first attempt.
func stageInfo(info event.StageInfo, job string) listener.StageInfo {
	out := listener.StageInfo{
		ID: info.ID, Name: info.Name, Tasks: info.Tasks, Parents: info.Parents, Details: info.Details, RDDs: []listener.RDDInfo{},
		Accumulables: []listener.Accumulable{},
	}
	for _, r := range info.RDDs {
		scope, err := json.Marshal(struct { // RDDOperationScope: the pages draw a box for each
			ID   string `json:"id"`
			Name string `json:"name"`
		}{strconv.Itoa(int(r.ID)), r.Op})
		if err != nil {
			scope = nil // strings always have a JSON
		}
		level := "DETERMINATE"
		if r.Indeterminate {
			level = "INDETERMINATE"
		}
		name := r.Op
		if r.Func != "" {
			name += " " + r.Func[strings.LastIndexByte(r.Func, '/')+1:]
		}
		out.RDDs = append(out.RDDs, listener.RDDInfo{
			ID: r.ID, Name: name, Scope: string(scope), Callsite: r.Op + " at " + job, Parents: r.Parents,
			Level: levelOf(r.Level), Barrier: r.Barrier, Deterministic: level, Partitions: r.Partitions,
		})
	}
	return out
}

// levelOf is a storage level in an event.
func levelOf(l rdd.StorageLevel) listener.StorageLevel {
	return listener.StorageLevel{Disk: l.Disk, Memory: l.Memory, Deserialized: l.Deserialized, Replication: max(l.Replication, 1)}
}

// propertiesOf are the properties of a job, by key.
func propertiesOf(m map[string]string) listener.Properties {
	out := listener.Properties{}
	for _, key := range slices.Sorted(maps.Keys(m)) {
		out = append(out, listener.Field[string]{Key: key, Value: m[key]})
	}
	return out
}
