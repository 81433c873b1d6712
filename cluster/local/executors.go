package local

import (
	"strconv"

	"github.com/coherer/coherer/actors/executor"
	"github.com/coherer/coherer/cluster/app"
	"github.com/coherer/coherer/rpcenv"
)

// addExecutors makes the World start executors when its Workers do: processes of the same World, called Exec and their
// number.
func addExecutors(w World, x *executors) {
	blocks := newBlockTable(w.Kind())
	x.setExecutor(w, executor.Class, func(h rpcenv.Host, args executor.Args) error {
		store := blocks.newStore(args.Hostname, func() bool { return hasEnded(h) })
		return executor.Boot{Args: args, Log: rpcenv.NoLog(), IO: executor.IO{FS: app.Files{}, Blocks: store, Transfer: blocks}}.Run(h)
	})
}

func executorName(cmd rpcenv.Command) string {
	args, err := executor.ParseArgs(cmd.Args)
	if err != nil {
		return "Exec?"
	}
	return "Exec" + args.ExecutorID
}

// hasEnded reports whether a process of a World has ended.
func hasEnded(h rpcenv.Host) bool {
	_, ended := h.(mortal).Exited()
	return ended
}

// number is an executor's id; -1 for a malformed one.
func number(id string) int {
	n, err := strconv.Atoi(id)
	if err != nil {
		return -1
	}
	return n
}
