package local

import (
	"slices"
	"sync"

	"github.com/coherer/coherer/actors/executor"
	"github.com/coherer/coherer/rpcenv"
)

// mortal is a process of a World.
type mortal interface {
	Exited() (code int, ended bool)
}

// Running is an executor's process.
type Running struct {
	executor.Args
	host   mortal
	worker rpcenv.Address // that of WorkerURL; zero in a container of YARN
}

// Paused reports whether the process stands still, in a simulation.
func (r *Running) Paused() bool {
	p, ok := r.host.(interface{ Paused() bool })
	return ok && p.Paused()
}

// executors are the executors' processes that a World started.
type executors struct {
	mu  sync.Mutex // locked before a process's
	all []Running
}

func (x *executors) add(h mortal, args executor.Args) {
	x.mu.Lock()
	defer x.mu.Unlock()
	at, _, _ := rpcenv.ParseURI(args.WorkerURL) // an executor without a Worker has no address
	x.all = append(x.all, Running{args, h, at})
}

// Executors are the executors' processes that run, in the order of their start.
func (x *executors) Executors() []Running {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.all = slices.DeleteFunc(x.all, func(r Running) bool { _, ended := r.host.Exited(); return ended })
	return slices.Clone(x.all)
}

// setExecutor says how executors of a class start, by the arguments that a Worker gives them.
func (x *executors) setExecutor(w World, class string, start func(rpcenv.Host, executor.Args) error) {
	w.SetRole(class, executorName, func(h rpcenv.Host, cmd rpcenv.Command) error {
		args, err := executor.ParseArgs(cmd.Args)
		if err != nil {
			return err
		}
		x.add(h.(mortal), args)
		return start(h, args)
	})
}
