package node

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/sirupsen/logrus"

	"github.com/coherer/coherer/actors/executor"
	"github.com/coherer/coherer/actors/worker"
	"github.com/coherer/coherer/cluster/process"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
	"github.com/coherer/coherer/rpcenv/program"
)

// launcher starts executors, which are this program again, as `coherer executor`, which finds the application's own program;
// and drivers in cluster mode.
type launcher struct {
	starter  *process.Starter
	memoryMB int
	conf     *conf.Conf
	log      *logrus.Entry
	launched func(executor.Args, int, <-chan rpcenv.Exit) // WorkerOptions.Launched
}

func (l launcher) start(cmd rpcenv.Command, onExit func(rpcenv.Exit)) (rpcenv.Process, error) {
	switch cmd.Class {
	case executor.Class:
		return l.startExecutor(cmd, onExit)
	case worker.DriverClass:
		return l.startDriver(cmd, onExit)
	}
	return nil, fmt.Errorf("this Worker cannot start class %q: it starts %s and %s", cmd.Class, executor.Class, worker.DriverClass)
}

func (l launcher) startExecutor(cmd rpcenv.Command, onExit func(rpcenv.Exit)) (rpcenv.Process, error) {
	a, err := executor.ParseArgs(cmd.Args)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(cmd.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("executor directory: %w", err)
	}
	_, self, err := program.Self()
	if err != nil {
		return nil, err
	}
	args := append([]string{"executor"}, cmd.Args...)
	ended := make(chan rpcenv.Exit, 1) // with room: nobody needs to read it
	p, err := l.starter.Start(process.Spec{
		Path: self, Args: args, Dir: cmd.Dir,
		// Ours first: what the application sets wins. GOGC=400 spends memory on fewer collections; GOMEMLIMIT bounds it all the same.
		Env:            append([]string{"GOMAXPROCS=" + strconv.Itoa(a.Cores), "GOMEMLIMIT=" + memoryLimit(cmd.Env, "SPARK_EXECUTOR_MEMORY", l.memoryMB), "GOGC=400"}, cmd.Env...),
		Stdout:         executorLog(filepath.Join(cmd.Dir, "stdout"), l.conf, l.log),
		Stderr:         executorLog(filepath.Join(cmd.Dir, "stderr"), l.conf, l.log),
		StderrPreamble: process.ExecutorPreamble(self, args),
	}, func(e rpcenv.Exit) {
		onExit(e)
		ended <- e
	})
	if err != nil {
		return nil, err
	}
	if l.launched != nil {
		l.launched(a, p.PID(), ended)
	}
	return p, nil
}

// memoryLimit is GOMEMLIMIT for a process, from the variable name in its command's environment. 64 MiB are left for the program's code,
// which the limit does not count.
func memoryLimit(env []string, name string, otherwise int) string {
	const own = 64
	mb, err := conf.ParseMemoryMB(entryOf(env, name, ""))
	if err != nil {
		mb = otherwise
	}
	return strconv.Itoa(max(mb-own, mb/2)) + "MiB"
}
