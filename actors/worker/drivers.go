package worker

import (
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/rpcenv"
)

// DriverClass is Spark's main class of a driver in cluster mode. Its arguments are the Worker's URL, the program, the
// application's class, and the program's arguments. A Host starts the program.
const DriverClass = "org.apache.spark.deploy.worker.DriverWrapper"

// launchDriver runs a driver. An order that cannot be carried out is reported as ERROR; one for a driver that is here, or
// has been, is a duplicate and does nothing.
func (w *Worker) launchDriver(c *rpcenv.Context, m *deploy.LaunchDriver) {
	if w.refuses(c, "LaunchDriver", m.GetMasterTerm()) {
		return
	}
	id := m.GetDriverId()
	switch err := errors.Join(checkDriver(m), w.checkResources(m.GetResources())); {
	case err != nil:
		c.Log().WithError(err).Errorf("Failed to launch driver %.*q", ids.Max, id)
		w.reportDriver(c, DriverStateChanged{DriverID: id, State: deploy.DriverState_ERROR, Exception: err.Error()})
		return
	case w.ending:
		// The Master runs a supervised one elsewhere when it sees this Worker go.
		c.Log().Warnf("Asked to launch driver %s while shutting down", id)
		return
	// Ids are never given again, so this is a repeated order. A report would change what the Master knows of the driver.
	case w.books.driver(id) != nil || indexDriver(w.books.endedDrivers, id) >= 0:
		c.Log().Warnf("Asked to launch driver %s, which is here already", id)
		return
	}
	c.Log().Infof("Asked to launch driver %s", id)
	d := &driver{id: id, desc: m.GetDriverDesc(), resources: m.GetResources(), state: deploy.DriverState_RUNNING}
	w.books.addDriver(d)
	c.State("driver", id, "", d.state.String(), "LaunchDriver")
	w.fetchProgram(c, d)
}

// checkDriver reports what is wrong with an order.
func checkDriver(m *deploy.LaunchDriver) error {
	if err := ids.Check("driver", m.GetDriverId()); err != nil {
		return err
	}
	d := m.GetDriverDesc()
	switch {
	case d.GetCores() < 1 || d.GetMem() < 1:
		return fmt.Errorf("a driver with %d cores and %d MiB cannot run", d.GetCores(), d.GetMem())
	case d.GetCommand().GetMainClass() == "":
		return fmt.Errorf("the driver's description names no main class to start")
	}
	return nil
}

// fetchProgram brings the driver's program, and then starts it.
func (w *Worker) fetchProgram(c *rpcenv.Context, d *driver) {
	if w.cfg.Programs == nil {
		d.program = d.desc.GetJarUrl()
		w.startDriver(c, d)
		return
	}
	programs, name, dir := w.cfg.Programs, d.desc.GetJarUrl(), w.driverDir(d)
	d.fetch = rpcenv.Run(c, "", func(b *rpcenv.Blocking) (string, error) {
		return programs.Fetch(b, name, dir)
	}, func(path string, err error) {
		d.fetch = nil
		switch {
		case d.killed: // before err: a fetch that was ended by KillDriver fails, but the driver was killed
			w.endDriver(c, d, deploy.DriverState_KILLED, "")
		case err != nil:
			w.endDriver(c, d, deploy.DriverState_ERROR, fmt.Sprintf("fetch the driver's program: %v", err))
		default:
			d.program = path
			w.startDriver(c, d)
		}
	})
}

func (w *Worker) driverDir(d *driver) string {
	if w.cfg.WorkDir == "" {
		return ""
	}
	return filepath.Join(w.cfg.WorkDir, d.id)
}

// startDriver starts a process of the driver.
func (w *Worker) startDriver(c *rpcenv.Context, d *driver) {
	process, err := c.Start(w.driverCommand(d), func(e rpcenv.Exit) { w.driverProcessEnded(c, d, e) })
	if err != nil {
		w.endDriver(c, d, deploy.DriverState_ERROR, fmt.Sprintf("start the driver: %v", err))
		return
	}
	d.process, d.running, d.began = process, true, c.Now()
}

// driverCommand is what starts a driver's process.
func (w *Worker) driverCommand(d *driver) rpcenv.Command {
	desc := d.desc.GetCommand()
	cmd := rpcenv.Command{Class: desc.GetMainClass(), Dir: w.driverDir(d)}
	for _, a := range desc.GetArguments() {
		// As in Spark an argument is a placeholder as a whole or not at all.
		switch a {
		case "{{WORKER_URL}}":
			a = rpcenv.Ref{Address: w.addr, Name: Name}.String()
		case "{{USER_JAR}}":
			a = d.program
		}
		cmd.Args = append(cmd.Args, a)
	}
	for _, v := range desc.GetEnvironment() {
		cmd.Env = setenv(cmd.Env, v.GetName(), v.GetValue())
	}
	cmd.Env = setenv(cmd.Env, "SPARK_DRIVER_CORES", fmt.Sprint(d.desc.GetCores()))
	cmd.Env = setenv(cmd.Env, "SPARK_DRIVER_MEMORY", fmt.Sprintf("%dm", d.desc.GetMem()))
	if w.pagesURL != "" {
		page := fmt.Sprintf("%s/logPage/?driverId=%s&logType=", w.pagesURL, url.QueryEscape(d.id))
		cmd.Env = setenv(cmd.Env, "SPARK_DRIVER_LOG_URL_STDERR", page+"stderr")
		cmd.Env = setenv(cmd.Env, "SPARK_DRIVER_LOG_URL_STDOUT", page+"stdout")
	}
	return cmd
}

// driverProcessEnded is the end of a process: that of the driver, or the beginning of a wait if it is supervised. It
// mirrors DriverRunner.runCommandWithRetry.
func (w *Worker) driverProcessEnded(c *rpcenv.Context, d *driver, e rpcenv.Exit) {
	code := int32(e.Code)
	d.running, d.exit, d.words = false, &code, e.Words
	switch {
	case e.Err != nil:
		w.endDriver(c, d, deploy.DriverState_ERROR, fmt.Sprintf("watch the driver: %v", e.Err))
	case d.desc.GetSupervise() && code != 0 && !d.killed: // the Master hears nothing: for it the driver goes on to run
		wait := d.failed(c.Now().Sub(d.began))
		c.Log().Infof("Driver %s: command exited with status %d, re-launching after %d s.", d.id, code, int(wait.Seconds()))
		d.timer = c.After(wait, relaunchDriver{id: d.id})
	default:
		w.endDriver(c, d, d.ended(code), "")
	}
}

// relaunchDriver starts a supervised driver again after its wait.
func (w *Worker) relaunchDriver(c *rpcenv.Context, m relaunchDriver) {
	w.startDriver(c, w.books.driver(m.id)) // a kill has cancelled the wait
}

// killDriver ends a driver; the report that it has ended comes later. A second order changes nothing.
func (w *Worker) killDriver(c *rpcenv.Context, m *deploy.KillDriver) {
	if w.refuses(c, "KillDriver", m.GetMasterTerm()) {
		return
	}
	d := w.books.driver(m.GetDriverId())
	if d == nil {
		c.Log().Errorf("Asked to kill unknown driver %.*q", ids.Max, m.GetDriverId())
		return
	}
	c.Log().Infof("Asked to kill driver %s", d.id)
	w.endProcessOf(c, d)
}

// killDrivers ends all drivers.
func (w *Worker) killDrivers(c *rpcenv.Context) {
	for _, d := range w.books.drivers {
		w.endProcessOf(c, d)
	}
}

// endProcessOf ends whatever the driver does: it is fetched, runs, or waits.
func (w *Worker) endProcessOf(c *rpcenv.Context, d *driver) {
	if d.killed {
		return
	}
	d.killed = true
	switch {
	case d.fetch != nil:
		d.fetch() // the callback of fetchProgram follows and ends the driver
	case d.running:
		d.process.Kill(workerDriverTerminateTimeout.Get(c.Conf()))
	default: // it waits, or its end is under way; driverStateChanged ignores a second one
		c.Cancel(d.timer)
		w.endDriver(c, d, deploy.DriverState_KILLED, "")
	}
}

// endDriver sends the Worker itself the end of a driver, as Spark's DriverRunner thread does.
func (w *Worker) endDriver(c *rpcenv.Context, d *driver, s deploy.DriverState_State, exception string) {
	c.Send(c.Self(), DriverStateChanged{DriverID: d.id, State: s, Exception: exception, ExitStatus: d.exit, LastWords: d.words})
}

// driverStateChanged changes the books and reports to the Master; but not when the Worker ends: then the Master sees the
// connection end and runs a supervised driver elsewhere.
func (w *Worker) driverStateChanged(c *rpcenv.Context, m DriverStateChanged) {
	d := w.books.driver(m.DriverID)
	if d == nil { // it had ended, and a KillDriver came before this Worker knew
		return
	}
	switch m.State {
	case deploy.DriverState_ERROR:
		c.Log().Warnf("Driver %s failed with unrecoverable exception: %s", d.id, m.Exception)
	case deploy.DriverState_FAILED:
		c.Log().Warnf("Driver %s exited with failure%s", d.id, after(m.LastWords))
	case deploy.DriverState_FINISHED:
		c.Log().Infof("Driver %s exited successfully", d.id)
	case deploy.DriverState_KILLED:
		c.Log().Infof("Driver %s was killed by user", d.id)
	}
	c.State("driver", d.id, d.state.String(), m.State.String(), m.Exception)
	d.state, d.exception = m.State, m.Exception
	w.books.endDriver(d)
	if !w.ending {
		w.reportDriver(c, m)
	}
	w.checkShutdown()
}

// driverWord names a driver in reports.
const driverWord = "driver "

func (w *Worker) reportDriver(c *rpcenv.Context, d DriverStateChanged) {
	m := &deploy.DriverStateChanged{DriverId: d.DriverID, State: d.State, ExitStatus: d.ExitStatus, LastWords: d.LastWords}
	if d.Exception != "" {
		m.Exception = &d.Exception
	}
	w.reportToMaster(c, driverWord+d.DriverID, d.State.String(), m)
}

// driverIDs are the drivers that the Worker lists after a registration: those that have not ended, and those whose end no
// Master has acknowledged. Without the latter the Master would take them for lost with the connection, and a supervised one
// would run again.
func (w *Worker) driverIDs() (ids []string) {
	for _, d := range w.books.drivers {
		ids = append(ids, d.id)
	}
	for _, p := range w.reports.open {
		if id, ok := strings.CutPrefix(p.of, driverWord); ok {
			ids = append(ids, id)
		}
	}
	return ids
}
