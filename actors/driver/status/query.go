//coherer:pure

package status

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/coherer/coherer/actors/driver/listener"
)

// Query is a question about the application, one of the structs of this package with a method answer.
type Query interface {
	// answer is a *NotFound for what is not there.
	answer(s *Store, now int64) any
}

// ErrNotFound is the failure of a question about what is not there.
var ErrNotFound = errors.New("not found")

// NotFound says what is not there, in Spark's words.
type NotFound struct{ Text string }

func (e *NotFound) Error() string { return e.Text }

// Unwrap is ErrNotFound.
func (e *NotFound) Unwrap() error { return ErrNotFound }

func notFound(format string, args ...any) *NotFound { return &NotFound{fmt.Sprintf(format, args...)} }

// Answer answers a question at a time in milliseconds. Its value shares nothing with the Store that changes. The failure is a
// *NotFound.
func (s *Store) Answer(q Query, now int64) (any, error) {
	v := q.answer(s, now)
	if missing, ok := v.(*NotFound); ok {
		return nil, missing
	}
	return v, nil
}

// Application asks for the application itself; the answer is an ApplicationInfo.
type Application struct{}

func (Application) answer(s *Store, now int64) any {
	a := Attempt{
		ID: s.app.AttemptID, Start: Time(s.app.Timestamp), End: -1, LastUpdated: Time(s.app.Timestamp), Duration: now - s.app.Timestamp,
		User: s.app.User, Version: s.version,
	}
	if s.end != 0 {
		a.End, a.LastUpdated, a.Duration, a.Completed = Time(s.end), Time(s.end), s.end-s.app.Timestamp, true
	}
	a.StartEpoch, a.EndEpoch, a.LastUpdatedEpoch = int64(a.Start), int64(a.End), int64(a.LastUpdated)
	return ApplicationInfo{ID: s.app.AppID, Name: s.app.AppName, Attempts: []Attempt{a}}
}

// Jobs asks for the jobs of some states, the latest first; without states for all. The answer is a []JobData.
type Jobs struct{ Status []string }

func (q Jobs) answer(s *Store, _ int64) any {
	out := []JobData{}
	ids := slices.Sorted(maps.Keys(s.jobs))
	slices.Reverse(ids)
	for _, id := range ids {
		if j := s.jobs[id]; len(q.Status) == 0 || slices.Contains(q.Status, j.status) {
			out = append(out, j.data())
		}
	}
	return out
}

// Job asks for a job; the answer is a JobData.
type Job struct{ ID int32 }

func (q Job) answer(s *Store, _ int64) any {
	if j := s.jobs[q.ID]; j != nil {
		return j.data()
	}
	return notFound("unknown job: %d", q.ID)
}

func (j *job) data() JobData {
	return JobData{
		ID: j.id, Name: j.name, Description: j.description, Submitted: timeOf(j.submitted), Completed: timeOf(j.completed),
		Stages: slices.Clone(j.stageIDs), Group: j.group, Tags: slices.Clone(j.tags), Status: j.status, Tasks: j.tasks, ActiveTasks: j.active,
		CompletedTasks: j.counts.completed, SkippedTasks: j.skippedTasks, FailedTasks: j.failed, KilledTasks: j.killed,
		CompletedIndices: len(j.indices), ActiveStages: j.activeStages, CompletedStages: len(j.completedStages),
		SkippedStages: len(j.skippedStages), FailedStages: j.failedStages, KilledBy: maps.Clone(j.killedBy),
	}
}

// Executors asks for the executors that live and the driver, or, with All, for those that are gone too. The answer is an
// []ExecutorSummary.
type Executors struct{ All bool }

func (q Executors) answer(s *Store, now int64) any {
	out := []ExecutorSummary{}
	ids := slices.Sorted(maps.Keys(s.executors))
	if !q.All { // as Spark's store gives them
		slices.Reverse(ids)
	}
	for _, id := range ids {
		if x := s.executors[id]; q.All || x.isActive {
			out = append(out, s.executorData(x, now))
		}
	}
	return out
}

// driver is the id of the driver among the executors.
const driver = "driver"

func (s *Store) executorData(x *executor, now int64) ExecutorSummary {
	m := &x.metrics
	out := ExecutorSummary{
		ID: x.id, HostPort: x.hostPort, IsActive: x.isActive, Blocks: x.blocks, MemoryUsed: x.used, DiskUsed: x.disk,
		Cores: x.info.TotalCores, MaxTasks: x.info.TotalCores / s.cpus, ActiveTasks: x.active, FailedTasks: x.failed, CompletedTasks: x.completed,
		TotalTasks: x.total, Duration: x.duration, GCTime: m.GCTime, InputBytes: m.Input.Bytes,
		ShuffleRead: m.ShuffleRead.RemoteBytes + m.ShuffleRead.LocalBytes, ShuffleWrite: m.ShuffleWrite.Bytes, IsBlacklisted: x.excluded,
		MaxMemory: x.onHeap + x.offHeap, Added: Time(x.added), Removed: timeOf(x.removed), Logs: logs(x), Attributes: mapOf(x.info.Attributes),
		Memory:    &MemoryMetrics{x.usedOnHeap, x.usedOffHeap, x.onHeap, x.offHeap},
		Resources: mapOf(x.info.Resources), Profile: x.info.Profile, IsExcluded: x.excluded, Peaks: measured(x.peaks),
		ExcludedInStages: append([]int32{}, slices.Sorted(maps.Keys(x.excludedIn))...),
	}
	out.BlacklistedInStages = slices.Clone(out.ExcludedInStages)
	if x.hostPort == "" {
		out.HostPort = x.host
	}
	if !x.isActive {
		out.Reason = &x.reason
	}
	// The driver of a cluster has no tasks: its time is that of the application.
	if x.id == driver && x.info.TotalCores == 0 {
		out.GCTime = x.peaks.TotalGCTime
		if out.Duration = now - s.app.Timestamp; s.end != 0 {
			out.Duration = s.end - s.app.Timestamp
		}
	}
	return out
}

// measured are peaks that an answer shows; nil: there are none.
func measured(m listener.ExecutorMetrics) *listener.ExecutorMetrics {
	if !m.Measured() {
		return nil
	}
	return &m
}

func logs(x *executor) map[string]string {
	if x == nil {
		return map[string]string{}
	}
	return mapOf(x.info.LogURLs)
}

func mapOf[V any](f listener.Fields[V]) map[string]V {
	out := map[string]V{}
	for _, p := range f {
		out[p.Key] = p.Value
	}
	return out
}

// EnvironmentOf asks for the settings; the answer is an Environment.
type EnvironmentOf struct{}

func (EnvironmentOf) answer(s *Store, _ int64) any {
	e := &s.environment
	out := Environment{
		Runtime: Runtime{e.JVM.Get("Java Version"), e.JVM.Get("Java Home"), e.JVM.Get("Scala Version")},
		Spark:   entries(e.Spark), Hadoop: entries(e.Hadoop), System: entries(e.System), Metrics: entries(e.Metrics),
		Classpath: entries(e.Classpath), Profiles: []ProfileInfo{},
	}
	for _, p := range s.profiles {
		info := ProfileInfo{ID: p.ID, Executors: map[string]ExecutorResource{}, Tasks: map[string]TaskResource{}}
		for _, r := range p.Executors {
			info.Executors[r.Key] = ExecutorResource(r.Value)
		}
		for _, r := range p.Tasks {
			info.Tasks[r.Key] = TaskResource(r.Value)
		}
		out.Profiles = append(out.Profiles, info)
	}
	return out
}

func entries(p listener.Properties) [][2]string {
	out := [][2]string{}
	for _, f := range p.Sorted() {
		out = append(out, [2]string{f.Key, f.Value})
	}
	return out
}
