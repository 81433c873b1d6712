package executor

import (
	"errors"
	"fmt"
	"slices"

	"github.com/coherer/coherer/actors/compat"
	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/messages/app"
	storagepb "github.com/coherer/coherer/messages/storage"
	"github.com/coherer/coherer/rpcenv"
)

// errKilled ends a task that the driver no longer wants.
var errKilled = errors.New("killed")

// launchTask runs an attempt: the lineage, then the values of its broadcasts, then the locations of the map outputs it reads, then the work.
func (e *Executor) launchTask(c *rpcenv.Context, d *app.TaskDescription) {
	if e.tasks()[d.GetTaskId()] != nil || e.state.stopping {
		return // a duplicate
	}
	if !e.state.ready && compat.Has(c.Conf(), "SPARK-13112") { // for study: the executor is not made yet
		e.exit(c, 1, "Received LaunchTask command but executor was null", true)
		return
	}
	c.Log().Infof("Running %s", d.GetName())
	t := &task{desc: d, launched: c.Now()}
	e.tasks()[d.GetTaskId()] = t
	e.began(t)
	// Before the outputs are looked up: the task was made after losses that the cached ones do not know.
	e.state.see(d.GetEpoch())
	c.Send(e.driver, &app.StatusUpdate{ExecutorId: e.cfg.Args.ExecutorID, TaskId: &d.TaskId, State: app.TaskState_RUNNING, TaskCpus: d.GetCpus()})
	e.withLineage(c, t, func(l *rdd.Lineage) {
		e.withBroadcasts(c, t, l, func(err error) {
			if err != nil {
				e.finish(c, t, nil, err)
				return
			}
			e.withOutputs(c, l, d, func(outputs map[int][]*storagepb.MapStatus, err error) { e.begin(c, t, l, outputs, err) })
		})
	})
}

// begin starts the work of an attempt that has all it needs.
func (e *Executor) begin(c *rpcenv.Context, t *task, l *rdd.Lineage, outputs map[int][]*storagepb.MapStatus, err error) {
	if err != nil {
		e.finish(c, t, nil, err)
		return
	}
	if e.tasks()[t.desc.GetTaskId()] != t { // it was killed while it waited for the outputs
		return
	}
	t.work = &work{
		desc: t.desc, lineage: l, outputs: outputs, io: e.cfg.IO, self: e.blockManagerID(), server: e.shuffleServer,
		driver: e.driver.Address, limits: limitsOf(c.Conf()), memory: e.memory, began: c.Now(),
		cached: e.cached, master: e.blocks, sum: newSum(c.Conf()),
	}
	t.cancel = rpcenv.Run(c, "", t.work.run, func(r *app.TaskResult, err error) { e.finish(c, t, r, err) })
}

func (e *Executor) tasks() map[int64]*task { return e.state.tasks }

// withLineage makes the job's lineage, once a job: user code, so outside the inbox. Tasks that come meanwhile wait.
func (e *Executor) withLineage(c *rpcenv.Context, t *task, then func(*rdd.Lineage)) {
	key := keyOf(t.desc)
	if l := e.state.lineages[key]; l != nil {
		then(l)
		return
	}
	waiting := e.state.making[key]
	e.state.making[key] = append(waiting, func(l *rdd.Lineage, err error) {
		if err != nil {
			e.finish(c, t, nil, err)
			return
		}
		then(l)
	})
	if len(waiting) > 0 { // the first one makes it for all
		return
	}
	d := t.desc
	rpcenv.Run(c, "lineage", func(*rpcenv.Blocking) (*rdd.Lineage, error) { return lineageOf(d) }, func(l *rdd.Lineage, err error) {
		if err == nil {
			e.state.lineages[key] = l
		}
		waiting := e.state.making[key]
		delete(e.state.making, key)
		for _, f := range waiting {
			f(l, err)
		}
	})
}

// lineageOf makes the lineage of a task's job and compares it with the driver's.
func lineageOf(d *app.TaskDescription) (*rdd.Lineage, error) {
	l, err := rdd.Lookup(d.GetJob(), d.GetJobArgs())
	if err != nil {
		return nil, err
	}
	return l, l.Check(d.GetJobDigest())
}

// withOutputs calls then with the map outputs of the shuffles that a task reads, by the lineage's index. It asks for them once a
// shuffle and epoch.
func (e *Executor) withOutputs(c *rpcenv.Context, l *rdd.Lineage, d *app.TaskDescription, then func(map[int][]*storagepb.MapStatus, error)) {
	if node := int(d.GetNode()); node < 0 || node > l.Last() {
		then(nil, fmt.Errorf("%w: job %s has no node %d", rdd.ErrBadTask, l.Job, node))
		return
	}
	parents := l.ShuffleParents(int(d.GetNode()))
	outputs := map[int][]*storagepb.MapStatus{}
	// One more than the shuffles, for the last line: then is called once, also when all are cached or none is read.
	left := len(parents) + 1
	var failed error
	done := func(err error) {
		failed = errors.Join(failed, err)
		if left--; left == 0 {
			then(outputs, failed)
		}
	}
	for _, index := range parents {
		if index >= len(d.GetShuffles()) {
			done(fmt.Errorf("%w: shuffle %d of %s has no id", rdd.ErrBadTask, index, d.GetName()))
			continue
		}
		id := d.GetShuffles()[index]
		e.fetchOutputs(c, id, func(err error) {
			outputs[index] = e.state.outputs[id]
			done(err)
		})
	}
	done(nil)
}

// fetchOutputs learns the map outputs of a shuffle. It mirrors MapOutputTrackerWorker.getStatuses.
func (e *Executor) fetchOutputs(c *rpcenv.Context, shuffle int32, then func(error)) {
	if e.state.outputs[shuffle] != nil {
		then(nil)
		return
	}
	waiting := e.state.asking[shuffle]
	e.state.asking[shuffle] = append(waiting, then)
	if len(waiting) > 0 { // one ask is out for all
		return
	}
	end := func(r *storagepb.MapOutputStatuses, err error) {
		if err == nil {
			e.state.see(r.GetEpoch())
			e.state.outputs[shuffle] = r.GetStatuses() // the tracker has each output before the tasks that read it are sent
		} else {
			err = &fetchError{shuffle: shuffle, mapIndex: -1, cause: err}
		}
		waiting := e.state.asking[shuffle]
		delete(e.state.asking, shuffle)
		for _, f := range waiting {
			f(err)
		}
	}
	rpcenv.Ask(c, e.tracker, &storagepb.GetMapOutputStatuses{ShuffleId: &shuffle}, func(r *storagepb.MapOutputStatuses, err error) {
		if err != nil || r.GetBroadcast() == nil {
			end(r, err)
			return
		}
		e.readOutputs(c, r, func(r *storagepb.MapOutputStatuses, err error) {
			if err != nil {
				err = fmt.Errorf("Unable to deserialize broadcasted map statuses for shuffle %d: %w", shuffle, err)
			}
			end(r, err)
		})
	})
}

// finish reports how an attempt ended, once.
func (e *Executor) finish(c *rpcenv.Context, t *task, r *app.TaskResult, err error) {
	d := t.desc
	if e.tasks()[d.GetTaskId()] != t {
		return
	}
	delete(e.tasks(), d.GetTaskId())
	e.release(t)
	u := &app.StatusUpdate{ExecutorId: e.cfg.Args.ExecutorID, TaskId: &d.TaskId, TaskCpus: d.GetCpus(), State: app.TaskState_FINISHED, Result: r}
	switch {
	case t.killed != "":
		// Whatever the body returned: the driver has cancelled the attempt.
		u.State, u.Result, u.Failure = app.TaskState_KILLED, nil, &app.TaskFailure{Kind: "TaskKilled", Message: t.killed}
	case err != nil:
		c.Log().Errorf("Exception in %s: %v", d.GetName(), err)
		u.State, u.Result, u.Failure = app.TaskState_FAILED, nil, failureOf(err)
	default:
		r.RecordsRead, r.RunMs = t.work.progress(c.Now())
		if r.GetMapStatus() != nil {
			e.state.own.addStatus(d.GetShuffleId(), r.GetMapStatus())
		}
		e.measured(t, r)
		c.Log().Infof("Finished %s. %d records", d.GetName(), r.GetCount())
	}
	if f := u.GetFailure(); f.GetKind() == "FetchFailed" {
		delete(e.state.outputs, f.GetShuffleId()) // one of the places is wrong: the next try asks again
	}
	c.Send(e.driver, u)
}

// failureOf is an error as the driver's TaskEndReason.
func failureOf(err error) *app.TaskFailure {
	f := &app.TaskFailure{Kind: "ExceptionFailure", Message: err.Error()}
	user, isUser := errors.AsType[*rdd.UserError](err)
	lineage, differs := errors.AsType[*rdd.LineageError](err)
	if fetch, ok := errors.AsType[*fetchError](err); ok {
		f.Kind, f.ShuffleId, f.MapIndex, f.ReduceId, f.BlockManager = "FetchFailed", fetch.shuffle, fetch.mapIndex, fetch.reduce, fetch.from
	}
	switch {
	case isUser:
		f.Stack = string(user.Stack)
	case differs:
		f.Kind, f.Lineage = "LineageDiffers", lineage.Executor
	case errors.As(err, new(*commitDenied)):
		f.Kind = "TaskCommitDenied"
	case slices.ContainsFunc(badJob, func(bad error) bool { return errors.Is(err, bad) }):
		f.Kind = "BadJob"
	}
	return f
}

// badJob are the errors of a job that every executor would meet.
var badJob = []error{rdd.ErrUnknownJob, rdd.ErrBadJob, rdd.ErrNoCodec, rdd.ErrBadArguments, rdd.ErrBadTask}

// killTask ends an attempt whose result the driver does not need; an unknown one has ended already.
func (e *Executor) killTask(c *rpcenv.Context, m *app.KillTask) {
	t := e.tasks()[m.GetTaskId()]
	if t == nil {
		return
	}
	t.killed = m.GetReason()
	if t.killed == "" {
		t.killed = "killed"
	}
	if t.cancel == nil {
		// Nothing of it runs yet. It must not wait for a lineage or for outputs that it does not need: the driver waits for its core.
		e.finish(c, t, nil, nil)
		return
	}
	t.cancel()
}
