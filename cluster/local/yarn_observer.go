package local

import (
	"slices"
	"time"

	"github.com/coherer/coherer/actors/executor"
	"github.com/coherer/coherer/actors/submit"
	"github.com/coherer/coherer/cluster/invariant"
	"github.com/coherer/coherer/rpcenv"
)

// contained is the process of a container.
type contained struct {
	host rpcenv.Host
	is   invariant.Container
}

// started remembers the process of a container; node is its NodeManager.
func (y *YARN) started(h rpcenv.Host, cmd rpcenv.Command) {
	c, err := y.files.container(cmd.Dir)
	if err != nil {
		return
	}
	x := contained{h, invariant.Container{ID: c.ID, Node: rpcenv.Address{Host: c.Host, Port: c.Port}.String()}}
	if roleOf(cmd) == submit.ExecutorWord {
		if args, err := executor.ParseArgs(cmd.Args[2:]); err == nil {
			x.is.Executor = "executor " + args.ExecutorID + " of " + args.DriverURL
		}
	}
	y.contained = append(y.contained, x)
}

// running are the processes of containers that run, in the order of their start.
func (y *YARN) running() []invariant.Container {
	y.contained = slices.DeleteFunc(y.contained, func(x contained) bool { return hasEnded(x.host) })
	var all []invariant.Container
	for _, x := range y.contained {
		x.is.Paused = isPaused(x.host)
		all = append(all, x.is)
	}
	return all
}

// managerOf are a ResourceManager's books.
func managerOf(x observed, now time.Time) invariant.Manager {
	l := x.node.Scheduler.Look(now)
	m := invariant.Manager{Name: x.node.Env.Name(), Nodes: map[string]invariant.Node{}, Given: map[string]invariant.Given{}}
	for _, n := range l.Nodes {
		m.Nodes[n.Address] = invariant.Node{Memory: n.Total.Memory, Used: n.Total.Memory - n.Free.Memory}
	}
	for _, k := range l.Containers {
		m.Given[k.ID] = invariant.Given{Node: k.Node, Memory: k.Size.Memory, Running: k.Running}
	}
	for _, w := range l.Waiting {
		m.Waiting = append(m.Waiting, invariant.Waiting{Attempt: w.Attempt, Could: w.Could, On: w.On})
	}
	return m
}
