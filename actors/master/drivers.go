package master

import (
	"cmp"
	"fmt"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
)

// requestSubmitDriver takes a driver, which runs at once if a Worker has room: LaunchDriver is sent before the answer.
func (m *Master) requestSubmitDriver(c *rpcenv.Context, r *deploy.RequestSubmitDriver) {
	answer := &deploy.SubmitDriverResponse{Master: c.Self().Proto()}
	desc := r.GetDriverDescription()
	if problem := badDriver(desc); m.state != RecoveryAlive {
		answer.Message = m.notAlive("accept driver submissions")
	} else if problem != "" {
		c.Log().Warnf("Refusing a driver: %s", problem)
		answer.Message = "Driver refused: " + problem
	} else {
		c.Log().Infof("Driver submitted %s", desc.GetCommand().GetMainClass())
		d := m.newDriver(c, desc, "submitted") // its record comes first: the client gets no id that a crash could undo
		m.schedule(c)
		answer.Success, answer.DriverId = true, proto.String(d.ID)
		answer.Message = "Driver successfully submitted as " + d.ID
	}
	rpcenv.Reply(c, r, answer)
}

// notAlive is the refusal of a Master that does not lead; clients of several Masters know it by its beginning.
func (m *Master) notAlive(what string) string {
	return fmt.Sprintf("Current state is not alive: %s. Can only %s in ALIVE state.", m.state, what)
}

// badDriver is what is wrong with a description, or "".
func badDriver(d *deploy.DriverDescription) string {
	switch {
	case d == nil:
		return "the description is missing"
	case d.GetCommand().GetMainClass() == "":
		return "its description names no main class to start"
	case d.GetCores() < 1:
		return fmt.Sprintf("a driver with %d cores cannot run: set spark.driver.cores", d.GetCores())
	case d.GetMem() < 1:
		return fmt.Sprintf("a driver with %d MiB of memory cannot run: set spark.driver.memory", d.GetMem())
	}
	return badRequirements(d.GetResourceReqs())
}

// newDriver enters a driver, which waits for a Worker.
func (m *Master) newDriver(c *rpcenv.Context, desc *deploy.DriverDescription, why string) *driverInfo {
	d := &driverInfo{ID: m.newDriverID(c), Desc: desc, Submitted: c.Now()}
	m.drivers.add(d)
	m.persistDriver(c, d, false)
	c.State("driver", d.ID, "", d.State.String(), why)
	return d
}

// newDriverID is an id that no driver known to the Master has.
func (m *Master) newDriverID(c *rpcenv.Context) string {
	known := len(m.drivers.active) + len(m.drivers.completed)
	return fresh(known, func() string {
		id := driverID(driverIDPattern.Get(c.Conf()), c.Now(), m.drivers.next)
		m.drivers.next++
		return id
	}, func(id string) bool { return m.drivers.find(id) != nil })
}

func driverID(pattern string, at time.Time, n int) string {
	standard, _ := driverIDPattern.Default()
	return filledIn(pattern, standard, at, n)
}

// requestKillDriver ends a driver that waits at once, and one that runs through its Worker.
func (m *Master) requestKillDriver(c *rpcenv.Context, r *deploy.RequestKillDriver) {
	id := r.GetDriverId()
	answer := &deploy.KillDriverResponse{Master: c.Self().Proto(), DriverId: id}
	d := m.drivers.idToInfo[id]
	switch {
	case m.state != RecoveryAlive:
		answer.Message = m.notAlive("kill drivers")
	case d == nil:
		answer.Message = fmt.Sprintf("Driver %s has already finished or does not exist", id)
		if last := m.drivers.find(id); last != nil && last.RelaunchedAs != "" {
			answer.Message += "; it was relaunched as " + last.RelaunchedAs
		}
		c.Log().Warn(answer.Message)
	default:
		m.killDriver(c, d)
		m.schedule(c)
		answer.Success, answer.Message = true, fmt.Sprintf("Kill request for %s submitted", id)
	}
	rpcenv.Reply(c, r, answer)
}

// requestKillAllDrivers ends all drivers.
func (m *Master) requestKillAllDrivers(c *rpcenv.Context, r *deploy.RequestKillAllDrivers) {
	answer := &deploy.KillAllDriversResponse{Master: c.Self().Proto()}
	if m.state != RecoveryAlive {
		answer.Message = m.notAlive("kill drivers")
	} else {
		for _, d := range m.drivers.active {
			m.killDriver(c, d)
		}
		m.schedule(c)
		answer.Success, answer.Message = true, "Kill request for all drivers submitted"
	}
	rpcenv.Reply(c, r, answer)
}

func (m *Master) killDriver(c *rpcenv.Context, d *driverInfo) {
	c.Log().Infof("Asked to kill driver %s", d.ID)
	if d.Worker == nil {
		m.endDriver(c, d, deploy.DriverState_KILLED, "", "killed while it waited")
		return
	}
	m.orderKillDriver(c, d.Worker, d.ID)
}

func (m *Master) orderKillDriver(c *rpcenv.Context, w *workerInfo, id string) {
	c.Send(w.Ref, &deploy.KillDriver{DriverId: id, MasterTerm: m.cfg.Term})
}

// requestDriverStatus returns the state of a driver that has not ended, or of one of the last that have.
func (m *Master) requestDriverStatus(c *rpcenv.Context, r *deploy.RequestDriverStatus) {
	answer := &deploy.DriverStatusResponse{}
	if d := m.drivers.find(r.GetDriverId()); m.state != RecoveryAlive {
		answer.Exception = proto.String(m.notAlive("request driver status"))
	} else if d != nil {
		answer.Found, answer.State = true, d.State.Enum()
		if d.Worker != nil {
			answer.WorkerId, answer.WorkerHostPort = proto.String(d.Worker.ID), proto.String(d.Worker.HostPort())
		}
		if d.Exception != "" {
			answer.Exception = proto.String(d.Exception)
		}
		if d.RelaunchedAs != "" {
			answer.RelaunchedAs = proto.String(d.RelaunchedAs)
		}
		answer.ExitStatus, answer.LastWords = d.ExitStatus, d.LastWords
		if d.State == deploy.DriverState_SUBMITTED {
			answer.Refused = blockerTexts(driverBlockers(d, m.workers.all(), m.drivers.launched(), m.driverPolicy(c.Conf())))
		}
	}
	rpcenv.Reply(c, r, answer)
}

// driverStateChanged is a Worker's report that a driver has ended. The answer comes last and is always true: a Worker repeats
// a report that gets no answer.
func (m *Master) driverStateChanged(c *rpcenv.Context, r *deploy.DriverStateChanged) {
	switch d := m.drivers.idToInfo[r.GetDriverId()]; {
	case d == nil: // a repetition whose answer was lost, or a driver that was given up meanwhile
		c.Log().Warnf("Asked to remove unknown driver: %s", r.GetDriverId())
	case !DriverOver(r.GetState()):
		c.Log().Errorf("Received unexpected state update for driver %s: %s", d.ID, r.GetState())
	default:
		d.ExitStatus, d.LastWords = r.ExitStatus, r.GetLastWords()
		why := "reported by its worker"
		if r.ExitStatus != nil {
			why = fmt.Sprintf("Command exited with code %d", r.GetExitStatus())
		}
		if d.LastWords != "" {
			why += ": " + d.LastWords
		}
		m.endDriver(c, d, r.GetState(), r.GetException(), why)
		m.schedule(c)
	}
	rpcenv.Reply(c, r, &rpc.Bool{Value: true})
}

// endDriver takes a driver out of the books. It mirrors Master.removeDriver, without its schedule.
func (m *Master) endDriver(c *rpcenv.Context, d *driverInfo, to deploy.DriverState_State, exception, why string) {
	if !m.setDriver(c, d, to, why) {
		return
	}
	c.Log().Infof("Removing driver: %s", d.ID)
	d.Exception, d.Ended = exception, c.Now()
	if to != deploy.DriverState_FINISHED && to != deploy.DriverState_KILLED { // its own end and a user's wish are no failures
		worker := ""
		if d.Worker != nil {
			worker = d.Worker.ID
		}
		m.failed(c, failedDriver, d.ID, worker, to.String(), cmp.Or(exception, why))
	}
	m.persist(c, driverPrefix+d.ID, nil)
	m.drivers.end(d, retainedDrivers.Get(c.Conf()))
}

// loseDriver is for a driver whose Worker was lost: a supervised one runs again, under a new id, so that no late report about
// the old one is taken for a report about the new one.
func (m *Master) loseDriver(c *rpcenv.Context, d *driverInfo, why string) {
	if !d.Desc.GetSupervise() {
		c.Log().Infof("Not re-launching %s because it was not supervised", d.ID)
		m.endDriver(c, d, deploy.DriverState_ERROR, "", why)
		return
	}
	m.relaunchDriver(c, d, why)
}

// relaunchDriver lets a driver wait again, under a new id.
func (m *Master) relaunchDriver(c *rpcenv.Context, d *driverInfo, why string) {
	c.Log().Infof("Re-launching %s", d.ID)
	m.endDriver(c, d, deploy.DriverState_RELAUNCHING, "", why)
	d.RelaunchedAs = m.newDriver(c, d.Desc, "relaunched in place of "+d.ID).ID
}

// latestDrivers compares the drivers that a Worker lists with the books: it kills those that the Master does not know there,
// and orders again those that were ordered before the Worker registered once more and did not arrive. It reports whether
// something is to be scheduled.
func (m *Master) latestDrivers(c *rpcenv.Context, w *workerInfo, ids []string) (changed bool) {
	for _, id := range ids {
		if d := m.drivers.idToInfo[id]; d != nil && d.Worker == w {
			d.doubtful = false
			continue
		}
		m.orderKillDriver(c, w, id)
	}
	for _, d := range w.drivers {
		if d.doubtful {
			// KillDriver first, in case the order arrived behind the list after all: the driver must not run twice.
			m.orderKillDriver(c, w, d.ID)
			m.relaunchDriver(c, d, "its order was lost with the worker's connection")
			changed = true
		}
	}
	return changed
}

// requestClearCompletedDriversAndApps forgets what has ended.
func (m *Master) requestClearCompletedDriversAndApps(c *rpcenv.Context, r *deploy.RequestClearCompletedDriversAndApps) {
	m.drivers.completed, m.completed = nil, nil
	rpcenv.Reply(c, r, &rpc.Bool{Value: true})
}

// requestReadyz returns whether this Master is of use: it leads, or is about to.
func (m *Master) requestReadyz(c *rpcenv.Context, r *deploy.RequestReadyz) {
	rpcenv.Reply(c, r, &rpc.Bool{Value: m.state != RecoveryStandby})
}

// setDriver changes a driver's state; false: it cannot.
func (m *Master) setDriver(c *rpcenv.Context, d *driverInfo, to deploy.DriverState_State, why string) bool {
	if !driverMoves.Move(c, d.ID, &d.State, to, why) {
		return false
	}
	if driverOver(to) {
		d.reason = why
	}
	return true
}
