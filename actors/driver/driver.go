package driver

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/coherer/coherer/actors/appclient"
	"github.com/coherer/coherer/actors/driver/allocation"
	"github.com/coherer/coherer/actors/driver/barrier"
	"github.com/coherer/coherer/actors/driver/bus"
	"github.com/coherer/coherer/actors/driver/commit"
	"github.com/coherer/coherer/actors/driver/dag"
	"github.com/coherer/coherer/actors/driver/exclude"
	"github.com/coherer/coherer/actors/driver/heartbeat"
	"github.com/coherer/coherer/actors/driver/mapoutput"
	"github.com/coherer/coherer/actors/driver/numbers"
	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/actors/storage"
	"github.com/coherer/coherer/actors/storage/broadcast"
	"github.com/coherer/coherer/actors/submit"
	"github.com/coherer/coherer/rpcenv"
)

// forever is how long a job may take.
const forever = 100 * 365 * 24 * time.Hour

// Driver is a running driver.
type Driver struct {
	env       *rpcenv.Env
	scheduler *Scheduler
	receiver  *heartbeat.Receiver
	blocks    *storage.Master
	yarn      bool
	bus       bool // there is a LiveListenerBus
	jobs      numbers.Jobs
	fs        rdd.FS

	broadcasts *broadcast.Driver // nil: Config.Blocks is

	allocation *allocation.Manager // nil: the settings fix the number of executors
}

// Start registers the endpoints of a driver in Spark's order. env must listen: executors look the endpoints up. Start does
// not wait: jobs wait for executors, and fail when no Master takes the application.
func Start(env *rpcenv.Env, cfg Config) (*Driver, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if env.Address().IsZero() {
		return nil, errors.New("driver: its Env must listen (rpcenv.Config.Listen)")
	}
	if err := submit.CheckTasks(env.Conf(), cfg.manager()); err != nil {
		return nil, err
	}
	scheduler := newScheduler(cfg)
	var err error
	if scheduler.allocations, err = allocations(env.Conf(), cfg.FS, cfg.ConfDir); err != nil {
		return nil, fmt.Errorf("driver: %w", err)
	}
	if scheduler.racks, err = racks(env.Conf(), cfg.FS); err != nil {
		return nil, fmt.Errorf("driver: %w", err)
	}
	if scheduler.exclude, err = exclude.NewConfig(env.Conf(), cfg.maxFailures(env.Conf()), cfg.externalShuffle(env.Conf())); err != nil {
		return nil, fmt.Errorf("driver: %w", err)
	}
	d := &Driver{env: env, scheduler: scheduler, yarn: cfg.YARN != nil, bus: cfg.wantsEvents(), fs: cfg.FS}
	if cfg.Blocks != nil {
		d.broadcasts = broadcast.NewDriver(cfg.Blocks)
	}
	d.receiver = heartbeat.New(d.ref(Name))
	d.blocks = storage.NewMaster(d.ref(dag.Name))
	d.blocks.MovesTo(d.ref(Name), d.ref(dag.Name))
	endpoints := d.endpoints(cfg)
	if allocation.Enabled(env.Conf()) {
		s, err := allocation.NewConfig(env.Conf())
		if err != nil {
			return nil, fmt.Errorf("driver: %w", err)
		}
		d.allocation = allocation.New(s, d.ref(Name))
		endpoints = slices.Insert(endpoints, 0, named{allocation.Name, d.allocation}) // first: the Scheduler sends to it from its OnStart on
	}
	if cfg.wantsEvents() {
		d.blocks.PostTo(d.ref(bus.Name))
		events := bus.New(bus.Config{User: cfg.User, Log: cfg.EventLog, Status: cfg.Status, Process: cfg.Process})
		endpoints = slices.Insert(endpoints, 0, named{bus.Name, events}) // first: all others post to it
	}
	for _, e := range endpoints {
		if _, err := env.Register(e.name, e.endpoint); err != nil {
			return nil, fmt.Errorf("driver: %w", err)
		}
	}
	return d, nil
}

// Env is the Env that the driver lives in.
func (d *Driver) Env() *rpcenv.Env { return d.env }

type named struct {
	name     string
	endpoint rpcenv.Endpoint
}

func (d *Driver) endpoints(cfg Config) []named {
	all := []named{
		{mapoutput.Name, mapoutput.New(d.longLists())},
		{storage.MasterName, d.blocks},
		{storage.MasterHeartbeatName, &storage.MasterHeartbeat{}},
		{commit.Name, commit.New()},
		{heartbeat.Name, d.receiver},
		{Name, d.scheduler},
		{dag.Name, dag.New(dag.Config{
			Scheduler: d.ref(Name), Tracker: d.ref(mapoutput.Name), Commits: d.ref(commit.Name), Barriers: d.barriers,
			Blocks: d.ref(storage.MasterName), Listeners: d.listeners(cfg), Bus: d.busRef(), FS: cfg.FS,
			ExternalShuffle: cfg.externalShuffle(d.env.Conf()),
		})},
	}
	switch {
	case cfg.YARN != nil:
		return append(all, d.yarnEndpoints(*cfg.YARN)...)
	case cfg.Local != nil:
		return all
	}
	return append(all, named{appclient.Name, appclient.New(appclient.Config{
		Masters: cfg.Masters, Description: cfg.description(d.env), Listener: d.ref(Name),
	})})
}

// barriers is barrierSync. Most applications have no barrier stage, so the first one starts it, as in Spark.
func (d *Driver) barriers() rpcenv.Ref {
	// A name that is taken is its own; in an Env that stops nobody waits at a barrier any more.
	_, _ = d.env.Register(barrier.Name, barrier.New())
	return d.ref(barrier.Name)
}

// listeners get the events of jobs, stages and tasks.
func (d *Driver) listeners(cfg Config) []rpcenv.Ref {
	var out []rpcenv.Ref
	if !cfg.Listener.IsZero() {
		out = append(out, cfg.Listener)
	}
	if allocation.Enabled(d.env.Conf()) {
		out = append(out, d.ref(allocation.Name))
	}
	return out
}

// busRef is LiveListenerBus, or the zero Ref when nobody listens.
func (d *Driver) busRef() rpcenv.Ref {
	if !d.bus {
		return rpcenv.Ref{}
	}
	return d.ref(bus.Name)
}

func (d *Driver) ref(name string) rpcenv.Ref { return d.env.Ref(d.env.Address(), name) }

// RunJob runs a job and waits for its results, one for each partition. It may be called by several bodies at once. The
// error is a *dag.JobError when the job failed. When the context of b ends first, the job is cancelled: its tasks are killed. A job
// that saves commits its output here, in the program, as in Spark.
func (d *Driver) RunJob(b *rpcenv.Blocking, job rdd.Invocation, action rdd.Action) ([]rdd.Result, error) {
	if err := d.checkCheckpoint(job); err != nil {
		return nil, err
	}
	q := dag.JobSubmitted{JobID: d.jobs.Next(), Invocation: job, Action: action}
	var answer dag.JobResult
	var err error
	if action == rdd.ActionSave {
		answer, _, err = d.runSave(b, q)
	} else {
		answer, err = d.runJob(b, q)
	}
	if err == nil {
		err = d.checkpoint(b, job, answer.Checkpoints)
	}
	if err != nil {
		return nil, err
	}
	return answer.Results, nil
}

// runSave runs a job that writes files, and commits them. at is the folder, as all processes find it.
func (d *Driver) runSave(b *rpcenv.Blocking, q dag.JobSubmitted) (answer dag.JobResult, at string, err error) {
	now := b.Now().UTC()
	name := fmt.Sprintf("%s%03d_%04d", now.Format("20060102150405"), now.Nanosecond()/int(time.Millisecond), q.JobID)
	_, err = rdd.RunSave(d.fs, q.Invocation, name, func(job rdd.Invocation) (_ []rdd.Result, err error) {
		q.Invocation, at = job, job.Output.Path
		answer, err = d.runJob(b, q)
		return answer.Results, err
	})
	return answer, at, err
}

func (d *Driver) runJob(b *rpcenv.Blocking, q dag.JobSubmitted) (dag.JobResult, error) {
	defer d.jobs.Begin()()
	job := q.Invocation
	if err := d.checkBroadcasts(job); err != nil {
		return dag.JobResult{}, fmt.Errorf("job %s: %w", job.Name, err)
	}
	// The answer comes at the job's end: with the usual time-out of an ask a long job would fail.
	answer, err := rpcenv.AskWait(b, d.ref(dag.Name), q, rpcenv.Timeout("the driver's patience", forever))
	if err == nil {
		job.Totals.Add(answer.Accumulated)
		return answer, nil
	}
	// Otherwise nobody waits for the job any more, and its tasks would keep their cores. In an Env that ends they end with it.
	if b.Done() && !errors.Is(context.Cause(b.Context()), rpcenv.ErrStopped) {
		why := dag.JobCancelled{JobID: q.JobID, Reason: fmt.Sprintf("because its context ended: %v", context.Cause(b.Context()))}
		err = errors.Join(err, d.env.Send(d.ref(dag.Name), why))
	}
	return dag.JobResult{}, fmt.Errorf("job %s: %w", job.Name, err)
}

// Cancel sends DAGScheduler one of the messages that cancel jobs, as dag.JobGroupCancelled, and returns the numbers of the jobs that it
// has ended.
func Cancel[Q rpcenv.Asks[dag.JobsCancelled]](b *rpcenv.Blocking, d *Driver, q Q) ([]int32, error) {
	answer, err := rpcenv.AskWait(b, d.ref(dag.Name), q)
	return answer.Jobs, err
}

// Unpersist ends the keeping of persisted datasets, by their keys (rdd.Persisted), and waits until the executors have given up their
// blocks.
func (d *Driver) Unpersist(b *rpcenv.Blocking, keys []string) error {
	_, err := rpcenv.AskWait(b, d.ref(dag.Name), dag.UnpersistRDDs{Keys: keys})
	return err
}

// Stop ends the driver in good order, as SparkContext.stop: jobs that are not answered fail, the executors get
// StopExecutor, then the Master hears that the application is over, then the other endpoints stop. The Env stays. It may
// be called again.
func (d *Driver) Stop(b *rpcenv.Blocking) error { return d.StopWith(b, 0) }

// StopWith is Stop of an application that ends with an exit code. YARN gets the code.
func (d *Driver) StopWith(b *rpcenv.Blocking, code int) error {
	// These two first: executors that end would make the one submit tasks again and the other ask for more executors.
	var jobs error
	if d.jobs.Waiting() {
		_, jobs = rpcenv.AskWait(b, d.ref(dag.Name), dag.StopJobs{})
	}
	jobs = errors.Join(unlessGone(jobs), d.removeCheckpoints(b))
	d.env.Stop(dag.Name)
	d.env.Stop(allocation.Name)
	if d.yarn {
		return errors.Join(jobs, d.stopOnYARN(b, code), d.stopBus(b, code))
	}
	_, executors := rpcenv.AskWait(b, d.ref(Name), StopExecutors{})
	_, scheduler := rpcenv.AskWait(b, d.ref(Name), StopDriver{})
	// After the executors, as in Spark: a Master that hears of the end kills those that are left.
	// A local application has no AppClient, which is as good as one that has been stopped.
	_, client := rpcenv.AskWait(b, d.ref(appclient.Name), appclient.StopAppClient{})
	d.stopRest()
	return errors.Join(jobs, unlessGone(executors), unlessGone(scheduler), unlessGone(client), d.stopBus(b, code))
}

// stopBus ends the stream of events, when all others have posted theirs, and waits until the event log has them.
func (d *Driver) stopBus(b *rpcenv.Blocking, code int) error {
	if !d.bus {
		return nil
	}
	_, err := rpcenv.AskWait(b, d.ref(bus.Name), bus.Stop{Code: code})
	d.env.Stop(bus.Name)
	return unlessGone(err)
}

// stopRest stops the endpoints that only keep books.
func (d *Driver) stopRest() {
	for _, name := range []string{heartbeat.Name, mapoutput.Name, storage.MasterName, storage.MasterHeartbeatName, commit.Name, barrier.Name} {
		d.env.Stop(name)
	}
}

// unlessGone is err, but nil when it says that the endpoint has been stopped already.
func unlessGone(err error) error {
	if errors.Is(err, rpcenv.ErrRefusedNotFound) || errors.Is(err, rpcenv.ErrRefusedStopped) {
		return nil
	}
	return err
}
