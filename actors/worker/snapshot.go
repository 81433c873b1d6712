package worker

import (
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/rpcenv"
)

// requestWorkerState answers with a copy of what the Worker knows: nothing in it changes later. It mirrors the case
// RequestWorkerState of Worker.receiveAndReply.
func (w *Worker) requestWorkerState(c *rpcenv.Context, r *deploy.RequestWorkerState) {
	rpcenv.Reply(c, r, &deploy.WorkerStateResponse{
		WorkerId: w.id, Host: w.addr.Host, Port: int32(w.addr.Port), WebUiUrl: w.cfg.WebUIURL,
		MasterUrl: w.reg.activeURL, MasterWebUiUrl: w.reg.webUIURL,
		Registered: w.reg.registered, Connected: w.reg.connected, TimeMs: c.Now().UnixMilli(), Decommissioned: w.decommissioned,
		Cores: int32(w.cfg.Cores), CoresUsed: int32(w.books.coresUsed),
		Memory: int32(w.cfg.MemoryMB), MemoryUsed: int32(w.books.memoryUsedMB),
		Resources: w.cfg.Resources, ResourcesUsed: w.books.resourcesUsed(),
		Executors: runners(w.books.live), FinishedExecutors: runners(w.books.ended),
		Drivers: driverRunners(w.books.drivers), FinishedDrivers: driverRunners(w.books.endedDrivers),
	})
}

func runners(list []*executor) (out []*deploy.ExecutorRunner) {
	for _, x := range list {
		out = append(out, x.runner())
	}
	return out
}

func (x *executor) runner() *deploy.ExecutorRunner {
	r := &deploy.ExecutorRunner{
		AppId: x.key.app, ExecId: x.key.id, RpId: x.rpID, Cores: int32(x.cores), Memory: int32(x.memoryMB),
		State: x.state, AppDesc: x.desc, Resources: x.resources, Message: x.message, ExitStatus: x.exitStatus,
	}
	if x.process != nil {
		r.Pid = int32(x.process.PID())
	}
	return r
}

func driverRunners(list []*driver) (out []*deploy.DriverRunner) {
	for _, d := range list {
		r := &deploy.DriverRunner{DriverId: d.id, DriverDesc: d.desc, State: d.state, Exception: d.exception, Resources: d.resources}
		if d.process != nil {
			r.Pid = int32(d.process.PID())
		}
		out = append(out, r)
	}
	return out
}
