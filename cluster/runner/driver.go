package runner

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"strconv"

	"github.com/coherer/coherer/actors/driver"
	"github.com/coherer/coherer/actors/submit"
	"github.com/coherer/coherer/cluster/app"
	"github.com/coherer/coherer/cluster/process"
	"github.com/coherer/coherer/rpcenv"
)

// driver runs the application's program and waits for its end.
func (r *run) driver(ctx context.Context, master string) error {
	settings := maps.Clone(r.cfg.Conf)
	if settings == nil {
		settings = map[string]string{}
	}
	r.waitForExecutors(settings)
	if r.cfg.Debug != "" {
		settings[rpcenv.DebugAddr.Key()] = r.cfg.Debug
	}
	settings[submit.MasterURL.Key()], settings[rpcenv.TraceDir.Key()] = master, r.dir.Trace()
	return r.runDriver(ctx, app.Submission{Name: r.cfg.Name, Conf: settings, Warned: true})
}

// runDriver runs the driver as a process of this machine.
func (r *run) runDriver(ctx context.Context, s app.Submission) error {
	s.ConfDir, s.Progress, s.Watched, s.Trace = r.cfg.ConfDir, true, true, filepath.Join(r.dir.Trace(), "Driver.trace")
	spec, err := driverSpec(r.cfg.Program, s, r.cfg.Stdout, r.cfg.Stderr)
	if err != nil {
		return err
	}
	d, err := r.start("driver", spec, nil)
	if err != nil {
		return err
	}
	return d.wait(ctx)
}

// waitForExecutors makes the application wait, for a moment, for all executors of the cluster, unless the user says
// otherwise: else a short job is over before the second one is there.
func (r *run) waitForExecutors(settings map[string]string) {
	if _, set := settings[driver.SchedulerMinRegisteredResourcesRatio.Key()]; set {
		return
	}
	for key, value := range map[string]string{
		submit.CoresMax.Key(): strconv.Itoa(r.cfg.Workers * r.cfg.WorkerCores), driver.SchedulerMinRegisteredResourcesRatio.Key(): "1",
		driver.SchedulerMaxRegisteredResourcesWaitingTime.Key(): "5s",
	} {
		if _, set := settings[key]; !set {
			settings[key] = value
		}
	}
}

// ProgramError is the end of the application's program with an exit code that is not 0. The program has said why.
type ProgramError struct {
	Code int
	Err  error
}

func (e *ProgramError) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("the application: %v", e.Err)
	}
	if e.Killed() {
		return fmt.Sprintf("the application was ended by signal %d", e.Code-process.Signalled)
	}
	return fmt.Sprintf("the application ended with exit code %d", e.Code)
}

// Said reports whether the program ended by itself, and so has said why.
func (e *ProgramError) Said() bool { return e.Err == nil && !e.Killed() }

// Killed reports whether a signal ended the program, so that it could not say why.
func (e *ProgramError) Killed() bool { return e.Code > process.Signalled }
