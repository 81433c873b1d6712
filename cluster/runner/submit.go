package runner

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/coherer/coherer/actors/submit"
	"github.com/coherer/coherer/cluster/app"
	"github.com/coherer/coherer/cluster/process"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
)

// Submit runs the driver of an application on a cluster that runs already, as a process of its own, and waits for its end.
// main is a folder with a main package to build first; program then has the arguments only. What was built is removed.
func Submit(ctx context.Context, program []string, main string, s app.Submission, stdout, stderr *os.File) error {
	if main != "" {
		dir, err := os.MkdirTemp("", "coherer-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		out := filepath.Join(dir, "program")
		if err := process.BuildMain(ctx, main, out); err != nil {
			return err
		}
		program = append([]string{out}, program...)
	}
	starter := process.NewStarter()
	defer starter.Close()
	spec, err := driverSpec(program, s, stdout, stderr)
	if err != nil {
		return err
	}
	d := &daemon{done: make(chan struct{})}
	if d.Process, err = starter.Start(spec, func(e rpcenv.Exit) { d.exit = e; close(d.done) }); err != nil {
		return err
	}
	err = d.wait(ctx)
	if ctx.Err() != nil && d.exit.Code != 0 {
		return &ProgramError{Code: d.exit.Code} // the user interrupted it, and it has said so itself
	}
	return err
}

// driverSpec is a driver's process. Its memory, when the settings name it, is a soft limit of what it uses.
func driverSpec(program []string, s app.Submission, stdout, stderr *os.File) (process.Spec, error) {
	submission, err := json.Marshal(s)
	env := []string{app.SubmissionVar + "=" + string(submission)}
	if memory := s.Conf[submit.DriverMemory.Key()]; memory != "" && err == nil {
		var mb int
		if mb, err = conf.ParseMemoryMB(memory); err != nil {
			return process.Spec{}, fmt.Errorf("%s: %w", submit.DriverMemory.Key(), err)
		}
		env = append(env, fmt.Sprintf("GOMEMLIMIT=%dMiB", mb))
	}
	return process.Spec{
		Path: program[0], Args: program[1:], Env: env,
		Stdout: process.Output{File: stdout}, Stderr: process.Output{File: stderr},
	}, err
}

// wait waits for a driver's end; when ctx ends first it ends the driver.
func (d *daemon) wait(ctx context.Context) error {
	select {
	case <-d.done:
		if d.exit.Err != nil || d.exit.Code != 0 {
			return &ProgramError{Code: d.exit.Code, Err: d.exit.Err}
		}
		return nil
	case <-ctx.Done():
		endAll([]*daemon{d})
		return context.Cause(ctx)
	}
}
