package node

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/coherer/coherer/actors/executor"
	"github.com/coherer/coherer/cluster/process"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
	"github.com/coherer/coherer/rpcenv/transport"
)

// launcher starts executors: this program again, as `coherer executor`, which finds the application's own program.
type launcher struct {
	starter  *process.Starter
	memoryMB int
}

func (l launcher) start(cmd rpcenv.Command, onExit func(rpcenv.Exit)) (rpcenv.Process, error) {
	if cmd.Class != executor.Class {
		return nil, fmt.Errorf("this Worker cannot start class %q: it starts %s", cmd.Class, executor.Class)
	}
	a, err := executor.ParseArgs(cmd.Args)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(cmd.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("executor directory: %w", err)
	}
	_, self, err := transport.SelfDigest()
	if err != nil {
		return nil, err
	}
	args := append([]string{"executor"}, cmd.Args...)
	return l.starter.Start(process.Spec{
		Path: self, Args: args, Dir: cmd.Dir,
		Env:            append([]string{"GOMAXPROCS=" + strconv.Itoa(a.Cores), "GOMEMLIMIT=" + memoryLimit(cmd.Env, l.memoryMB), "GOGC=400"}, cmd.Env...),
		Stdout:         process.Output{Path: filepath.Join(cmd.Dir, "stdout")},
		Stderr:         process.Output{Path: filepath.Join(cmd.Dir, "stderr")},
		StderrPreamble: process.ExecutorPreamble(self, args),
	}, onExit)
}

// memoryLimit is GOMEMLIMIT for an executor: spark.executor.memory, which its command's environment tells.
func memoryLimit(env []string, otherwise int) string {
	for _, entry := range env {
		if size, ok := strings.CutPrefix(entry, "SPARK_EXECUTOR_MEMORY="); ok {
			if mb, err := conf.ParseMemoryMB(size); err == nil {
				return strconv.Itoa(mb) + "MiB"
			}
		}
	}
	return strconv.Itoa(otherwise) + "MiB"
}
