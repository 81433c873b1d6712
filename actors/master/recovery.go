package master

import (
	"errors"
	"math"
	"slices"
	"time"

	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/rpcenv"
)

// Recovered is the reason in the trace for what a Master took over: it began under another Master.
const Recovered = "recovered"

// awaited are the applications and Workers that had not answered when this leadership began.
type awaited struct {
	apps    []*applicationInfo
	workers []*workerInfo
}

// CompleteRecovery ends the wait for those that do not answer. It mirrors MasterMessages.CompleteRecovery.
type CompleteRecovery struct{ rpcenv.Local }

// beginRecovery takes what was left into the books, as UNKNOWN, and sends MasterChanged to each application and Worker. It
// mirrors Master.beginRecovery.
func (m *Master) beginRecovery(c *rpcenv.Context, l *left) {
	for _, r := range l.apps {
		m.recoverApplication(c, r)
	}
	for _, r := range l.drivers {
		m.recoverDriver(c, r)
	}
	for _, r := range l.workers {
		m.recoverWorker(c, r)
	}
	c.After(RecoveryTimeout.Get(c.Conf()), CompleteRecovery{})
	m.completeIfPossible(c) // with drivers alone in the records no answer is awaited
}

func (m *Master) recoverApplication(c *rpcenv.Context, r *deploy.ApplicationRecord) {
	c.Log().Infof("Trying to recover app: %s", r.GetId())
	app := m.newApplication(c, r.GetId(), r.GetDesc(), c.Ref(r.GetDriver()), time.UnixMilli(r.GetStarted()))
	app.State = ApplicationUnknown
	m.awaited.apps = append(m.awaited.apps, app)
	m.addApplication(c, app, Recovered)
	c.Send(app.Driver, m.masterChanged(c))
}

// recoverDriver takes a driver: one that was launched counts as UNKNOWN until a Worker lists it or the recovery ends; another
// one waits on.
func (m *Master) recoverDriver(c *rpcenv.Context, r *deploy.DriverRecord) {
	d := &driverInfo{ID: r.GetId(), Desc: r.GetDesc(), Submitted: time.UnixMilli(r.GetSubmitted())}
	if r.GetLaunched() {
		d.State = deploy.DriverState_UNKNOWN
		m.drivers.recover(d)
	} else {
		m.drivers.add(d)
	}
	c.State("driver", d.ID, "", d.State.String(), Recovered)
}

func (m *Master) recoverWorker(c *rpcenv.Context, r *deploy.WorkerRecord) {
	reg := r.GetRegistration()
	c.Log().Infof("Trying to recover worker: %s", reg.GetId())
	w := newWorker(reg, c.Ref(reg.GetWorker()), c.Now())
	w.State, w.unheard = WorkerUnknown, true
	m.awaited.workers = append(m.awaited.workers, w)
	m.addWorker(c, w, Recovered)
	c.Send(w.Ref, m.masterChanged(c))
}

func (m *Master) masterChanged(c *rpcenv.Context) *deploy.MasterChanged {
	return &deploy.MasterChanged{Master: c.Self().Proto(), MasterWebUiUrl: m.cfg.WebUIURL, MasterTerm: m.cfg.Term}
}

// masterChangeAcknowledged is an application that goes on.
func (m *Master) masterChangeAcknowledged(c *rpcenv.Context, a *deploy.MasterChangeAcknowledged) {
	app := m.idToApp[a.GetAppId()]
	if app == nil {
		c.Log().Warnf("Master change ack from unknown app: %s", a.GetAppId())
		return
	}
	c.Log().Infof("Application has been re-registered: %s", app.ID)
	// The driver may know executors of a Worker that does not come back: their ids must not be given again. The bound keeps the
	// next id an int32, whatever the driver says.
	app.nextExecutor = max(app.nextExecutor, min(int(a.GetNextExecutorId()), math.MaxInt32-1))
	if app.State == ApplicationUnknown {
		m.setApplication(c, app, ApplicationWaiting, "it acknowledged the master")
	}
	m.completeIfPossible(c)
}

// workerSchedulerStateResponse is a Worker that goes on, and what it runs.
func (m *Master) workerSchedulerStateResponse(c *rpcenv.Context, r *deploy.WorkerSchedulerStateResponse) {
	w := m.idToWorker[r.GetId()]
	if w == nil {
		c.Log().Warnf("Scheduler state from unknown worker: %s", r.GetId())
		return
	}
	c.Log().Infof("Worker has been re-registered: %s", w.ID)
	if w.State == WorkerUnknown {
		m.setWorker(c, w, WorkerAlive, "it reported its state")
	}
	if w.unheard { // once: a repetition must not adopt again what has been given up meanwhile
		w.LastHeartbeat = c.Now()
		m.adopt(c, w, r)
	}
	m.completeIfPossible(c)
}

// asSchedulerState is what a Worker that registered before it heard of the new Master says: it knows no resources of what
// it runs.
func asSchedulerState(s *deploy.WorkerLatestState) *deploy.WorkerSchedulerStateResponse {
	r := &deploy.WorkerSchedulerStateResponse{Decommissioned: s.GetDecommissioned()}
	for _, d := range s.GetExecutors() {
		r.Executors = append(r.Executors, &deploy.WorkerExecutorStateResponse{Desc: d})
	}
	for _, id := range s.GetDriverIds() {
		r.Drivers = append(r.Drivers, &deploy.WorkerDriverStateResponse{DriverId: id})
	}
	return r
}

// adopt takes what a recovered Worker runs into the books, once; executors keep their ids. It kills what has no owner any more,
// runs somewhere else too, or comes without the resources that it has: the leadership before may have ended between its
// decision and the order.
func (m *Master) adopt(c *rpcenv.Context, w *workerInfo, r *deploy.WorkerSchedulerStateResponse) {
	w.unheard = false
	for _, d := range r.GetDrivers() {
		if err := m.adoptDriver(c, w, d); err != nil {
			c.Log().Warnf("Worker %s runs driver %s, which ends: %v", w.ID, d.GetDriverId(), err)
			m.orderKillDriver(c, w, d.GetDriverId())
		}
	}
	for _, e := range r.GetExecutors() {
		if err := m.adoptExecutor(c, w, e); err != nil {
			id := fullID(e.GetDesc().GetAppId(), int(e.GetDesc().GetExecId()))
			c.Log().Warnf("Worker %s runs executor %s, which ends: %v", w.ID, id, err)
			m.orderKill(c, w, e.GetDesc().GetAppId(), int(e.GetDesc().GetExecId()))
		}
	}
	if r.GetDecommissioned() { // now the applications hear what they lose; after the recovery the Master would order more of it
		m.decommissionWorker(c, w)
	}
}

func (m *Master) adoptDriver(c *rpcenv.Context, w *workerInfo, r *deploy.WorkerDriverStateResponse) error {
	d := m.drivers.idToInfo[r.GetDriverId()]
	if d == nil || d.State != deploy.DriverState_UNKNOWN { // it has ended, waits, or another Worker listed it first
		return errors.New("it is not to be there")
	}
	if err := w.takeAll(requirements(d.Desc.GetResourceReqs()), r.GetResources()); err != nil {
		return err
	}
	d.Resources = r.GetResources()
	m.drivers.place(d, w)
	m.setDriver(c, d, deploy.DriverState_RUNNING, "its worker has it")
	return nil
}

func (m *Master) adoptExecutor(c *rpcenv.Context, w *workerInfo, r *deploy.WorkerExecutorStateResponse) error {
	d := r.GetDesc()
	app := m.idToApp[d.GetAppId()]
	switch {
	case app == nil:
		return errors.New("its application is gone")
	// The largest id would leave none for the next executor.
	case d.GetExecId() < 0 || d.GetExecId() == math.MaxInt32 || d.GetCores() < 1 || d.GetMemoryMb() < 1 || finished(d.GetState()):
		return errors.New("its description makes no sense")
	case app.executor(int(d.GetExecId())) != nil:
		return errors.New("another one has its id")
	}
	var wanted []requirement
	if p := app.profile(int(d.GetRpId())); p != nil {
		wanted = p.Resources
	}
	if err := w.takeAll(wanted, r.GetResources()); err != nil {
		return err
	}
	e := app.adopt(w, d)
	e.Resources = r.GetResources()
	if e.State == deploy.ExecutorState_RUNNING {
		e.runningSince = c.Now()
	}
	w.addExecutor(e)
	c.State("executor", e.FullID(), "", e.State.String(), Recovered)
	return nil
}

// takeAll takes the resources of an executor or a driver that runs already; they must be as many as it wanted.
func (w *workerInfo) takeAll(wanted []requirement, have []*deploy.ResourceInformation) error {
	if len(have) < len(wanted) { // WorkerLatestState lists no resources; with a guess two executors could share an address
		return errors.New("the resources that it has are unknown")
	}
	return w.resources.take(have)
}

// adopt enters an executor that runs already. The next one gets an id that no other had.
func (a *applicationInfo) adopt(w *workerInfo, d *deploy.ExecutorDescription) *executorDesc {
	e := &executorDesc{
		ID: int(d.GetExecId()), Profile: int(d.GetRpId()), App: a, Worker: w,
		Cores: int(d.GetCores()), Memory: int(d.GetMemoryMb()), State: d.GetState(),
	}
	i, _ := a.find(e.ID)
	a.executors = slices.Insert(a.executors, i, e)
	a.nextExecutor = max(a.nextExecutor, e.ID+1)
	a.CoresGranted += e.Cores
	a.count(e.Profile, 1)
	return e
}

// canComplete reports whether all have answered. It mirrors Master.canCompleteRecovery, and also waits for a Worker that has
// registered but not yet listed what it runs.
func (m *Master) canComplete() bool {
	wait := &m.awaited // those that have answered go, so that each is looked at once however many answer
	for len(wait.apps) > 0 && wait.apps[0].State != ApplicationUnknown {
		wait.apps = wait.apps[1:]
	}
	for len(wait.workers) > 0 && (wait.workers[0].State == WorkerDead || !wait.workers[0].unheard) {
		wait.workers = wait.workers[1:]
	}
	return len(wait.apps) == 0 && len(wait.workers) == 0
}

func (m *Master) completeIfPossible(c *rpcenv.Context) {
	if m.canComplete() {
		m.completeRecovery(c)
	}
}

// completeRecovery gives up those that have not answered, and leads; a Master that is not RECOVERING goes on as it is. Whatever goes
// wrong in it, the Master is ALIVE in the end. It mirrors Master.completeRecovery.
func (m *Master) completeRecovery(c *rpcenv.Context) {
	if m.state != RecoveryRecovering {
		return
	}
	// From here on the schedule of removeWorker and removeApplication does nothing: one decision, at the end, sees all that is
	// free. Deferred, so that a panic below leaves no Master that never schedules again (SPARK-20305).
	m.setState(c, RecoveryCompleting, "all answered, or the time is over")
	defer func() {
		m.setState(c, RecoveryAlive, Recovered)
		c.Log().Info("Recovery complete - resuming operations!")
		m.schedule(c)
	}()
	for _, w := range m.workers.all() {
		if w.State == WorkerUnknown {
			m.removeWorker(c, w, "Not responding for recovery")
		}
		w.unheard = false
	}
	for _, a := range slices.Clone(m.apps) {
		switch a.State {
		case ApplicationUnknown:
			const why = "not responding for recovery"
			m.removeApplication(c, a, ApplicationFinished, why)
			c.Send(a.Driver, &deploy.ApplicationRemoved{Message: why, MasterTerm: m.cfg.Term}) // it may only have stood still
		case ApplicationWaiting: // it answered; without an executor it waits on, as before the failover
			if len(a.executors) > 0 || faultsOf(c.Conf()).recoveredRunning {
				m.setApplication(c, a, ApplicationRunning, Recovered)
			}
		}
	}
	// Last: only now have all Workers that will answer listed their drivers.
	for _, d := range slices.Clone(m.drivers.active) {
		if d.State == deploy.DriverState_UNKNOWN {
			c.Log().Warnf("Driver %s was not found after master recovery", d.ID)
			m.loseDriver(c, d, "not found after master recovery")
		}
	}
}
