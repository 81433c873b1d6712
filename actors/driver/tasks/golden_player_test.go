package tasks

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/driver/pools"
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/messages/storage"
)

// player plays a case against a Scheduler, beside what stands around Spark's: books of the executors that were offered, and the
// state after the last event.
type player struct {
	t     *testing.T
	s     *Scheduler
	now   time.Time
	known map[string]string // hosts of executors that the DAGScheduler has heard of
	lost  map[string]bool   // those that are lost without a reason so far
	named map[int64]string  // tasks by id, as STAGE.ATTEMPT/INDEX/NUMBER
	sets  []*manager
	last  map[string]map[string]any
	pools map[string]int
	// offered are the hosts of all executors so far, lastText what exclusionChanges compared last.
	offered  map[string]string
	lastText map[string]string
}

func newPlayer(t *testing.T, c *goldenCase, faults Faults, start time.Time) *player {
	cfg := goldenConfig(t, c)
	cfg.Faults = faults
	s, _ := New(cfg)
	p := &player{
		t: t, s: s, now: start, known: map[string]string{}, lost: map[string]bool{}, named: map[int64]string{},
		last: map[string]map[string]any{}, pools: map[string]int{},
		offered: map[string]string{}, lastText: map[string]string{},
	}
	return p
}

// setting reads a setting of a case.
func setting[T any](c *goldenCase, key string, or T, parse func(string) (T, error)) T {
	text, ok := c.Conf[key]
	if !ok {
		return or
	}
	v, err := parse(text)
	if err != nil {
		panic(fmt.Sprintf("%s: %s = %s: %v", c.ID, key, text, err))
	}
	return v
}

// span reads a duration in Spark's units; a number alone has the given one.
func span(unit time.Duration) func(string) (time.Duration, error) {
	return func(s string) (time.Duration, error) {
		if n, err := strconv.ParseInt(s, 10, 64); err == nil {
			return time.Duration(n) * unit, nil
		}
		return time.ParseDuration(s)
	}
}

func float(s string) (float64, error) { return strconv.ParseFloat(s, 64) }

func goldenConfig(t *testing.T, c *goldenCase) Config {
	wait := setting(c, "spark.locality.wait", 3*time.Second, span(time.Millisecond))
	level := func(key string) time.Duration {
		return setting(c, "spark.locality.wait."+key, wait, span(time.Millisecond))
	}
	cfg := Config{
		MaxFailures:   setting(c, "spark.task.maxFailures", 4, strconv.Atoi),
		MaxResultSize: setting(c, "spark.driver.maxResultSize", int64(1<<30), func(s string) (int64, error) { return strconv.ParseInt(s, 10, 64) }),
		Waits:         Waits{Process: level("process"), Node: level("node"), Rack: level("rack")},
		LegacyReset:   setting(c, "spark.locality.wait.legacyResetOnTaskLaunch", strings.HasPrefix(c.ID, "locality-legacy"), strconv.ParseBool),
		Speculation: Speculation{
			Enabled:        setting(c, "spark.speculation", false, strconv.ParseBool),
			Multiplier:     setting(c, "spark.speculation.multiplier", 3, float),
			Quantile:       setting(c, "spark.speculation.quantile", 0.9, float),
			MinRuntime:     setting(c, "spark.speculation.minTaskRuntime", 100*time.Millisecond, span(time.Millisecond)),
			Efficiency:     setting(c, "spark.speculation.efficiency.enabled", true, strconv.ParseBool),
			RateMultiplier: setting(c, "spark.speculation.efficiency.processRateMultiplier", 0.75, float),
			LongRunFactor:  setting(c, "spark.speculation.efficiency.longRunTaskFactor", 2, float),
			KillInterval:   setting(c, "spark.executor.decommission.killInterval", 0, span(time.Second)),
		},
		UnschedulableTimeout: setting(c, "spark.scheduler.excludeOnFailure.unschedulableTaskSetTimeout", 2*time.Minute, span(time.Second)),
		DynamicAllocation:    setting(c, "spark.dynamicAllocation.enabled", false, strconv.ParseBool),
		ExternalShuffle:      setting(c, "spark.shuffle.service.enabled", false, strconv.ParseBool),
		Rack:                 func(host string) string { return c.Racks[host] },
		Exclude:              goldenExclude(c),
	}
	if text, ok := c.Conf["spark.speculation.task.duration.threshold"]; ok {
		threshold, err := span(time.Millisecond)(text)
		if err != nil {
			t.Fatal(err)
		}
		cfg.Speculation.Threshold = &threshold
	}
	if c.Conf["spark.scheduler.mode"] == "FAIR" {
		cfg.Mode = pools.FAIR
	}
	if c.Allocations != "" {
		a, err := pools.Parse("fairscheduler.xml", []byte(c.Allocations))
		if err != nil {
			t.Fatal(err)
		}
		cfg.Allocations = a
	}
	profile := &Profile{CPUs: setting(c, "spark.task.cpus", 1, strconv.Atoi), Resources: map[string]float64{}}
	for key := range c.Conf {
		if name, ok := strings.CutPrefix(key, "spark.task.resource."); ok {
			profile.Resources[strings.TrimSuffix(name, ".amount")] = setting(c, key, 0, float)
		}
	}
	if cores := setting(c, "spark.executor.cores", 0, strconv.Atoi); cores > 0 {
		profile.Slots = cores / profile.CPUs
	}
	cfg.Profiles = map[int32]*Profile{0: profile}
	return cfg
}

// play plays an event and returns what is to be seen of it.
func (p *player) play(e *goldenEvent) map[string]any {
	out := map[string]any{}
	switch e.E {
	case "submit":
		p.effects(out, p.s.Submit(p.set(e), p.now))
		p.sets = append(p.sets, p.s.sets[len(p.s.sets)-1])
	case "offer":
		p.offer(out, e)
	case "advance":
		p.now = p.now.Add(time.Duration(e.Ms) * time.Millisecond)
	case "status":
		p.status(out, e)
	case "heartbeat":
		p.s.Progress(e.TID, e.Records, time.Duration(e.RunMs)*time.Millisecond)
	case "speculate":
		p.effects(out, p.s.Speculate(p.now))
	case "executorLost":
		p.executorLost(out, e)
	case "decommission":
		p.effects(out, p.s.Decommission(e.Exec, e.WorkerHost != "", p.now))
	case "partitionCompleted":
		p.effects(out, p.s.PartitionCompleted(e.Stage, e.Partition, p.now))
	case "killAllTaskAttempts":
		p.effects(out, p.s.Cancel(e.Stage, true, "Stage cancelled: cancelled", p.now))
	case "abortTimer":
		p.effects(out, p.s.AbortUnschedulable(Abort{Set: SetID{e.Stage, e.Attempt}, Index: e.Index}, p.now))
	case "queue":
		return map[string]any{"order": p.order()}
	default:
		p.t.Fatalf("event %q", e.E)
	}
	p.changes(out)
	return out
}

func (p *player) set(e *goldenEvent) Set {
	s := Set{ID: SetID{e.Stage, e.Attempt}, Job: e.Priority, Pool: e.Pool, Barrier: e.Barrier, Work: Work{Map: e.Map, Shuffle: e.Stage}}
	for i, locations := range e.Tasks {
		task := Task{Partition: int32(i)}
		if e.Partitions != nil {
			task.Partition = e.Partitions[i]
		}
		for _, text := range locations {
			l, err := ParseLocation(text)
			if err != nil {
				p.t.Fatal(err)
			}
			task.Locations = append(task.Locations, l)
		}
		s.Tasks = append(s.Tasks, task)
	}
	return s
}

func (p *player) offer(out map[string]any, e *goldenEvent) {
	var offers []Offer
	var dag []string
	for _, o := range e.Offers {
		offers = append(offers, Offer{Executor: o.executor, Host: o.host, Cores: o.cores, Address: o.host + ":1000", Resources: e.Resources[o.executor]})
		p.offered[o.executor] = o.host
		if p.known[o.executor] == "" || p.lost[o.executor] {
			p.known[o.executor] = o.host
			delete(p.lost, o.executor)
			dag = append(dag, "executorAdded "+o.executor+" "+o.host)
		}
	}
	launches, effects := p.s.Offers(offers, e.All, inOrder, p.now)
	var list []any
	for _, l := range launches {
		d := l.Description
		task := fmt.Sprintf("%d.%d/%d/%d", d.GetStageId(), d.GetStageAttempt(), d.GetIndex(), d.GetAttemptNumber())
		p.named[d.GetTaskId()] = task
		one := map[string]any{"tid": d.GetTaskId(), "task": task, "exec": l.Executor, "level": l.Level.String()}
		if l.Speculative {
			one["speculative"] = true
		}
		if d.GetCpus() != 1 {
			one["cpus"] = d.GetCpus()
		}
		if d.GetPartitionId() != d.GetIndex() {
			one["partition"] = d.GetPartitionId()
		}
		if l.Resources != nil {
			one["resources"] = l.Resources
		}
		if a := p.s.live[d.GetTaskId()].m.addresses; a != "" {
			one["addresses"] = a
		}
		list = append(list, one)
	}
	if list != nil {
		out["launch"] = list
	}
	p.effects(out, effects)
	if both := append(dag, lines(out["dag"])...); len(both) > 0 {
		out["dag"] = both
	}
}

func lines(v any) []string { s, _ := v.([]string); return s }

// status is what an executor reports; some reasons only the driver itself has.
func (p *player) status(out map[string]any, e *goldenEvent) {
	f := &app.TaskFailure{Kind: e.Reason, Message: "boom"}
	switch e.Reason {
	case KindExceptionFailure:
		f.Message = "java.lang.RuntimeException: boom"
	case "CommitDenied":
		f.Kind = KindTaskCommitDenied
	case KindTaskKilled:
		f.Message = "another attempt succeeded"
	case KindFetchFailed:
		f.BlockManager = &storage.BlockManagerId{ExecutorId: e.FetchFrom[0], Host: e.FetchFrom[1]}
	case KindTaskResultLost:
		p.failed(out, e.TID, Reason{Kind: KindTaskResultLost, Text: "TaskResultLost (result lost from block manager)", Counts: true})
		return
	case KindUnknownReason:
		p.failed(out, e.TID, Reason{Kind: KindUnknownReason, Text: KindUnknownReason, Counts: true})
		return
	case KindExecutorLostFailure:
		if a := p.s.live[e.TID]; a != nil {
			p.failed(out, e.TID, executorLost(a.executor, Loss{Message: "gone", CausedByApp: e.ByApp}))
		}
		return
	}
	result := &app.TaskResult{Records: make([]byte, e.Size), RecordsRead: e.Records, RunMs: e.RunMs, MapStatus: &storage.MapStatus{}}
	state := map[string]app.TaskState{
		"RUNNING": app.TaskState_RUNNING, "FINISHED": app.TaskState_FINISHED, "FAILED": app.TaskState_FAILED,
		"KILLED": app.TaskState_KILLED, "LOST": app.TaskState_TASK_LOST,
	}[e.State]
	if state != app.TaskState_FINISHED {
		result = nil
	}
	p.effects(out, p.s.Update(e.TID, state, result, f, p.now))
}

func (p *player) failed(out map[string]any, id int64, r Reason) {
	if a := p.s.live[id]; a != nil {
		p.effects(out, p.s.failed(a, r, p.now))
	}
}

func (p *player) executorLost(out map[string]any, e *goldenEvent) {
	l := map[string]Loss{
		"processLost": {CausedByApp: true}, "processLostNotApp": {}, "workerLost": {CausedByApp: true}, "exitedByApp": {CausedByApp: true},
		"exitedNotApp": {}, "killed": {}, "pending": {Pending: true}, "decommission": {Decommissioned: true},
	}[e.Reason]
	p.effects(out, p.s.ExecutorLost(e.Exec, l, p.now))
	if p.known[e.Exec] != "" && !p.lost[e.Exec] {
		out["dag"] = append(lines(out["dag"]), "executorLost "+e.Exec)
		p.lost[e.Exec] = l.Pending
	}
	if !l.Pending {
		delete(p.known, e.Exec)
		delete(p.lost, e.Exec)
	}
}

// effects puts what the Scheduler asks of others into out.
func (p *player) effects(out map[string]any, f Effects) {
	var dag []string
	var aborted, kills []any
	for _, m := range f.DAG {
		switch m := m.(type) {
		case CompletionEvent:
			dag = append(dag, "taskEnded "+p.named[m.TaskID]+" "+kindOf(m.Reason))
		case SpeculativeTaskSubmitted:
			dag = append(dag, fmt.Sprintf("speculative %s/%d", m.Set, m.Index))
		case UnschedulableSet:
			what := "unschedulableAdded "
			if m.Schedulable {
				what = "unschedulableRemoved "
			}
			dag = append(dag, what+m.Set.String())
		case TaskSetFailed:
			why, _, _ := strings.Cut(m.Reason, "\nDriver stacktrace:")
			aborted = append(aborted, []any{m.Set.String(), why})
		}
	}
	for _, k := range f.Kills {
		kills = append(kills, []any{k.TaskID, k.Executor, k.Interrupt, k.Reason})
	}
	if dag != nil {
		out["dag"] = dag
	}
	if aborted != nil {
		out["aborted"] = aborted
	}
	if kills != nil {
		out["kills"] = kills
	}
	if len(f.Executors) > 0 {
		out["execKills"] = killTexts(f.Executors)
	}
	if f.Revive {
		out["revive"] = 1
	}
}

func kindOf(r Reason) string {
	switch r.Kind {
	case KindNotSerializable, KindOutputFileExists:
		return KindExceptionFailure
	case KindExecutorLostFailure:
		return fmt.Sprintf("%s byApp=%t", r.Kind, r.Counts)
	default:
		return r.Kind
	}
}

func (p *player) order() []string {
	out := []string{}
	for _, m := range p.s.schedulable() {
		out = append(out, m.set.ID.String())
	}
	return out
}

// changes puts the states that changed since the last event into out.
func (p *player) changes(out map[string]any) {
	sets := map[string]any{}
	for _, m := range p.sets {
		id, state := m.set.ID.String(), stateOf(m)
		if now := plain(state); !slices.Equal(different("", now, p.last[id]), nil) {
			p.last[id] = now
			sets[id] = state
		}
	}
	if len(sets) > 0 {
		out["sets"] = sets
	}
	if p.s.cfg.Mode == pools.FAIR {
		p.poolChanges(out)
	}
	p.exclusionChanges(out)
}

func (p *player) poolChanges(out map[string]any) {
	fresh, running := map[string]any{}, map[string]any{}
	for _, s := range p.s.queue.Pools() {
		before, known := p.pools[s.Name]
		if !known {
			fresh[s.Name] = map[string]any{"mode": s.Mode.String(), "weight": s.Weight, "minShare": s.MinShare}
		}
		if s.Running != before {
			running[s.Name] = s.Running
		}
		p.pools[s.Name] = s.Running
	}
	if len(fresh) > 0 {
		out["pools"] = fresh
	}
	if len(running) > 0 {
		out["poolRunning"] = running
	}
}

// stateOf is the state of a set as the scripts write it.
func stateOf(m *manager) map[string]any {
	letters := func(levels ...Level) string {
		text := ""
		for _, l := range levels {
			text += "PN-RA"[l : l+1]
		}
		return text
	}
	out := map[string]any{
		"running": len(m.running), "ok": m.done, "levels": letters(m.levels...), "level": letters(m.levels[m.at]),
		"timer": m.timer.UnixMilli(),
	}
	if !slices.Contains(m.s.sets, m) {
		out["live"] = false
	}
	if m.zombie {
		out["zombie"] = true
	}
	done, copies, fails, failed := "", "", "", false
	var waiting []int
	for i, t := range m.states {
		d := "0"
		if t.done {
			d = "1"
		}
		done += d
		copies += strconv.Itoa(int(t.copies))
		fails += strconv.Itoa(t.failures)
		failed = failed || t.failures > 0
		if m.speculatable[int32(i)] {
			waiting = append(waiting, i)
		}
	}
	out["done"], out["copies"] = done, copies
	if failed {
		out["fails"] = fails
	}
	if waiting != nil {
		out["spec"] = waiting
	}
	return out
}
