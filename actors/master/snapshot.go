package master

import (
	"math"
	"slices"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/rpcenv"
)

// removedRetained is how many executors that have ended an application's record keeps for its page.
const removedRetained = 50

// requestMasterState answers with a copy of the books: nothing in it changes later. It mirrors the case
// RequestMasterState of Master.receiveAndReply.
func (m *Master) requestMasterState(c *rpcenv.Context, r *deploy.RequestMasterState) {
	s := m.State(c.Self().Address, c.Now())
	s.Demands, s.DemandsMore = m.demands(m.driverPolicy(c.Conf()), c.Now())
	rpcenv.Reply(c, r, s)
}

// State is a copy of the books, of a Master that listens at self, without the demands. It is for tests that look at a
// simulation from outside, where nothing runs meanwhile; all others send RequestMasterState.
func (m *Master) State(self rpcenv.Address, now time.Time) *deploy.MasterStateResponse {
	s := &deploy.MasterStateResponse{
		Host: self.Host, Port: int32(self.Port), Status: m.state.String(), WebUiUrl: m.cfg.WebUIURL,
		TimeMs: now.UnixMilli(), Failures: slices.Clone(m.failures), MasterTerm: m.cfg.Term,
	}
	if m.cfg.RestPort > 0 {
		s.RestPort = proto.Int32(int32(m.cfg.RestPort))
	}
	for _, w := range m.workers.all() {
		s.Workers = append(s.Workers, w.info())
	}
	for _, a := range m.apps {
		s.ActiveApps = append(s.ActiveApps, a.info())
	}
	for _, a := range m.completed {
		s.CompletedApps = append(s.CompletedApps, a.info())
	}
	m.drivers.inform(s)
	return s
}

func (w *workerInfo) info() *deploy.WorkerInfo {
	return &deploy.WorkerInfo{
		Id: w.ID, Host: w.Host, Port: int32(w.Port), WebUiUrl: w.WebUIURL,
		Cores: int32(w.Cores), CoresUsed: int32(w.CoresUsed), Memory: int32(w.Memory), MemoryUsed: int32(w.MemoryUsed),
		Resources: w.resources.infos(false), ResourcesUsed: w.resources.infos(true),
		State: w.State.String(), LastHeartbeatMs: milliseconds(w.LastHeartbeat), Reason: w.reason,
	}
}

func (a *applicationInfo) info() *deploy.ApplicationInfo {
	i := &deploy.ApplicationInfo{
		Id: a.ID, Name: a.Desc.GetName(), User: a.Desc.GetUser(), State: a.State.String(),
		StartMs: milliseconds(a.Started), EndMs: milliseconds(a.Ended),
		MaxCores: int32(min(a.MaxCores, math.MaxInt32)), CoresGranted: int32(a.CoresGranted),
		CoresPerExecutor: a.Desc.CoresPerExecutor, MemoryPerExecutorMb: a.Desc.GetMemoryPerExecutorMb(),
		ResourcesPerExecutor: a.Desc.GetResourcesPerExecutor(), AppUiUrl: a.Desc.GetAppUiUrl(), DriverHost: a.Driver.Address.Host,
		Failures: int32(a.health.failures), NotBeforeMs: milliseconds(a.health.notBefore),
	}
	if a.endedFor != byItsDriver { // FINISHED says that already
		i.Reason = a.endedFor
	}
	for _, e := range a.executors {
		i.Executors = append(i.Executors, e.info())
	}
	for _, e := range a.removed {
		i.RemovedExecutors = append(i.RemovedExecutors, e.info())
	}
	return i
}

func (e *executorDesc) info() *deploy.ExecutorDesc {
	return &deploy.ExecutorDesc{
		Id: int32(e.ID), RpId: int32(e.Profile), WorkerId: e.Worker.ID,
		Cores: int32(e.Cores), Memory: int32(e.Memory), State: e.State, Resources: e.Resources, Reason: e.reason,
	}
}

// inform copies the drivers: those that wait, those that run, those that have ended.
func (b *driverBooks) inform(s *deploy.MasterStateResponse) {
	for _, d := range b.waiting {
		s.ActiveDrivers = append(s.ActiveDrivers, d.info())
	}
	for _, d := range b.active {
		if d.Worker != nil {
			s.ActiveDrivers = append(s.ActiveDrivers, d.info())
		}
	}
	for _, d := range b.completed {
		s.CompletedDrivers = append(s.CompletedDrivers, d.info())
	}
}

func (d *driverInfo) info() *deploy.DriverInfo {
	i := &deploy.DriverInfo{
		Resources: d.Resources,
		Id:        d.ID, StartMs: milliseconds(d.Submitted), State: d.State, Cores: d.Desc.GetCores(), Memory: d.Desc.GetMem(),
		MainClass: d.mainClass(), Supervise: d.Desc.GetSupervise(), Exception: d.Exception, Reason: d.reason,
	}
	if d.Worker != nil {
		i.WorkerId = d.Worker.ID
	}
	return i
}

// milliseconds since 1970; 0 for no time.
func milliseconds(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}
