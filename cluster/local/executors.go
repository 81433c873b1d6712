package local

import (
	"slices"
	"strconv"
	"sync"

	"github.com/coherer/coherer/actors/executor"
	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/actors/storage"
	"github.com/coherer/coherer/rpcenv"
)

// Running is an executor's process.
type Running struct {
	executor.Args
	host   mortal
	worker rpcenv.Address // that of WorkerURL; zero in a container of YARN
}

// Paused reports whether the process stands still, in a simulation.
func (r *Running) Paused() bool { return isPaused(r.host) }

// executors are the executors' processes that a World started.
type executors struct {
	world World
	table *blockTable
	mu    sync.Mutex // locked before a process's
	all   []Running
}

func (x *executors) blocks() *blockTable { return x.table }

// Files are beside the table of blocks.
func (x *executors) Files() rdd.OutputFS { return x.table.files }

// Transfer fetches from the table of blocks.
func (x *executors) Transfer() storage.Transfer { return x.table }

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
	x.all = slices.DeleteFunc(x.all, func(r Running) bool { return hasEnded(r.host) })
	return slices.Clone(x.all)
}

// SetExecutor says how executors of a class start, by the arguments that a Worker gives them.
func (x *executors) SetExecutor(class string, start func(rpcenv.Host, executor.Args) error) {
	x.world.SetRole(class, executorName, func(h rpcenv.Host, cmd rpcenv.Command) error {
		args, err := executor.ParseArgs(cmd.Args)
		if err != nil {
			return err
		}
		x.add(h.(mortal), args)
		return start(h, args)
	})
}

func executorName(cmd rpcenv.Command) string {
	args, err := executor.ParseArgs(cmd.Args)
	if err != nil {
		return "Exec?"
	}
	return "Exec" + args.ExecutorID
}

// mortal is a process of a World.
type mortal interface {
	Exited() (code int, ended bool)
}

// hasEnded reports whether a process of a World has ended.
func hasEnded(h any) bool {
	_, ended := h.(mortal).Exited()
	return ended
}

// isPaused reports whether a process stands still, in a simulation.
func isPaused(h any) bool {
	p, ok := h.(interface{ Paused() bool })
	return ok && p.Paused()
}

// number is an executor's id; -1 for a malformed one.
func number(id string) int {
	n, err := strconv.Atoi(id)
	if err != nil {
		return -1
	}
	return n
}
