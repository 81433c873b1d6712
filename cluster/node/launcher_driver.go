package node

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/coherer/coherer/actors/driverclient"
	"github.com/coherer/coherer/cluster/app"
	"github.com/coherer/coherer/cluster/process"
	"github.com/coherer/coherer/rpcenv"
)

// startDriver starts a driver in cluster mode: its program, with the arguments that follow Spark's three of DriverWrapper.
func (l launcher) startDriver(cmd rpcenv.Command, onExit func(rpcenv.Exit)) (rpcenv.Process, error) {
	if len(cmd.Args) < driverclient.WrapperArgs {
		return nil, errors.New("a driver's command has the Worker's URL, the program and the application's class: some are missing")
	}
	workerURL, program, args := cmd.Args[0], cmd.Args[1], cmd.Args[driverclient.WrapperArgs:]
	if err := os.MkdirAll(cmd.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("driver directory: %w", err)
	}
	return l.starter.Start(process.Spec{
		Path: program, Args: args, Dir: cmd.Dir,
		// Ours first: what the submission sets wins.
		Env: append([]string{
			"GOMAXPROCS=" + entryOf(cmd.Env, "SPARK_DRIVER_CORES", "1"), "GOMEMLIMIT=" + memoryLimit(cmd.Env, "SPARK_DRIVER_MEMORY", l.memoryMB),
			app.WorkerVar + "=" + workerURL,
		}, cmd.Env...),
		Stdout:         process.Output{Path: filepath.Join(cmd.Dir, "stdout")},
		Stderr:         process.Output{Path: filepath.Join(cmd.Dir, "stderr")},
		StderrPreamble: process.DriverPreamble(program, args),
	}, onExit)
}

// entryOf is a variable's value in a list of NAME=value.
func entryOf(env []string, name, otherwise string) string {
	for _, entry := range env {
		if value, ok := strings.CutPrefix(entry, name+"="); ok {
			return value
		}
	}
	return otherwise
}
