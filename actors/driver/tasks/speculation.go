package tasks

import (
	"container/heap"
	"math"
	"slices"
	"time"

	"github.com/coherer/coherer/messages/app"
)

// Speculation says when a task is so slow that it is started a second time; the settings are spark.speculation.*.
type Speculation struct {
	Enabled    bool
	Multiplier float64
	Quantile   float64
	MinRuntime time.Duration
	// Efficiency: a slow task must also process its data slowly, or run very long.
	Efficiency     bool
	RateMultiplier float64
	LongRunFactor  float64
	// Threshold is spark.speculation.task.duration.threshold: for sets of few tasks, whatever the others took; nil: unset.
	Threshold *time.Duration
	// KillInterval is spark.executor.decommission.killInterval: so long an executor lives on that is being decommissioned; 0: unset.
	KillInterval time.Duration
}

// pace is how fast the tasks of a set are. It mirrors what TaskSetManager knows for speculation, with its TaskProcessRateCalculator.
type pace struct {
	// runs and infos are the tables of Spark's runningTasksSet and taskInfos.
	runs, infos hashTable
	cfg         *Speculation
	minFinished int
	took        median
	records     int64
	ran         time.Duration
	rates       map[*attempt]float64 // records a second of what runs
}

func (p *pace) init(cfg *Speculation, tasks int) {
	p.cfg = cfg
	p.minFinished = max(int(cfg.Quantile*float64(tasks)), 1)
}

// finished counts a success.
func (p *pace) finished(a *attempt, r *app.TaskResult, now time.Time) {
	if !p.cfg.Enabled {
		return
	}
	p.took.add(now.Sub(a.started))
	p.records += r.GetRecordsRead()
	p.ran += time.Duration(r.GetRunMs()) * time.Millisecond
	delete(p.rates, a)
}

// Progress takes what an attempt that runs has read so far, and how long it has computed. It mirrors what
// TaskSchedulerImpl.executorHeartbeatReceived does for speculation.
func (s *Scheduler) Progress(id, records int64, ran time.Duration) {
	a := s.live[id]
	if a == nil || !s.cfg.Speculation.Enabled || !s.cfg.Speculation.Efficiency || records <= 0 || ran <= 0 {
		return
	}
	p := &a.m.pace
	if p.rates == nil {
		p.rates = map[*attempt]float64{}
	}
	p.rates[a] = float64(records) / ran.Seconds()
}

// slow reports whether an attempt processes its data slowly compared with those that have finished.
func (p *pace) slow(a *attempt) bool {
	// Without a mean every rate is below it.
	return p.records <= 0 || p.rates[a] < float64(p.records)/p.ran.Seconds()*p.cfg.RateMultiplier
}

// Speculate looks for slow tasks in all sets. It mirrors TaskSchedulerImpl.checkSpeculatableTasks.
func (s *Scheduler) Speculate(now time.Time) Effects {
	for _, m := range s.inOrder() {
		m.speculate(now)
	}
	return s.effects()
}

// threshold is what a task takes at most that is not slow, given the median. A product that no Duration holds is the longest one.
func (s *Speculation) threshold(median time.Duration) time.Duration {
	product := s.Multiplier * float64(median)
	if product >= math.MaxInt64 {
		return math.MaxInt64
	}
	return max(time.Duration(product), s.MinRuntime)
}

func (m *manager) speculate(now time.Time) {
	cfg := m.pace.cfg
	if m.zombie || m.set.Barrier {
		return
	}
	switch {
	case m.pace.took.len() >= m.pace.minFinished:
		threshold := cfg.threshold(m.pace.took.value())
		m.speculateAbove(threshold, false, now)
	case cfg.Threshold != nil && len(m.states) <= max(m.s.profile(m).Slots, 1):
		m.speculateAbove(*cfg.Threshold, true, now)
	}
}

// speculateAbove marks the tasks that have run for longer than the threshold; given, by the user, is final.
func (m *manager) speculateAbove(threshold time.Duration, given bool, now time.Time) {
	running := slices.Clone(m.running)
	m.pace.runs.sortAttempts(running)
	for _, a := range running {
		t := &m.states[a.index]
		if t.done || t.copies != 1 || m.speculatable[a.index] {
			continue
		}
		ran := now.Sub(a.started)
		slow := ran > threshold && (given || !m.pace.cfg.Efficiency ||
			float64(ran) > m.pace.cfg.LongRunFactor*float64(threshold) || m.pace.slow(a))
		if !slow && (given || !m.endsTooLate(a)) {
			continue
		}
		m.addPending(a.index, true)
		m.speculatable[a.index] = true
		m.s.tell(SpeculativeTaskSubmitted{Set: m.set.ID, Index: a.index, Partition: m.set.Tasks[a.index].Partition})
		m.s.out.Revive = true
	}
}

// endsTooLate reports whether an attempt is likely to run still when its executor, which is being decommissioned, goes. Some task has
// finished: what it took says how long others take.
func (m *manager) endsTooLate(a *attempt) bool {
	p, interval := m.s.places[a.executor], m.pace.cfg.KillInterval
	if interval == 0 || p.leaving.IsZero() {
		return false
	}
	return p.leaving.Add(interval).Before(a.started.Add(m.pace.took.value()))
}

// median is the value in the middle, the upper one of two, of durations that are added one by one. It mirrors
// org.apache.spark.util.collection.PercentileHeap.
type median struct {
	low, high durations // low is negated: its greatest value comes first
}

func (m *median) len() int { return len(m.low) + len(m.high) }

func (m *median) value() time.Duration { return m.high[0] }

func (m *median) add(d time.Duration) {
	if len(m.high) == 0 || d >= m.high[0] {
		heap.Push(&m.high, d)
	} else {
		heap.Push(&m.low, -d)
	}
	switch half := m.len() / 2; {
	case len(m.low) < half:
		heap.Push(&m.low, -heap.Pop(&m.high).(time.Duration))
	case len(m.low) > half:
		heap.Push(&m.high, -heap.Pop(&m.low).(time.Duration))
	}
}

type durations []time.Duration

func (d durations) Len() int           { return len(d) }
func (d durations) Less(i, j int) bool { return d[i] < d[j] }
func (d durations) Swap(i, j int)      { d[i], d[j] = d[j], d[i] }
func (d *durations) Push(x any)        { *d = append(*d, x.(time.Duration)) }
func (d *durations) Pop() any {
	last := len(*d) - 1
	x := (*d)[last]
	*d = (*d)[:last]
	return x
}
