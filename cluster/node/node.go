package node

import (
	"github.com/coherer/coherer/actors/master"
	"github.com/coherer/coherer/actors/resourcemanager/scheduler"
	"github.com/coherer/coherer/actors/worker"
	"github.com/coherer/coherer/rpcenv"
)

// Node is a running daemon.
type Node struct {
	Env *rpcenv.Env
	// Ref is the daemon's endpoint.
	Ref rpcenv.Ref
	// Master is the endpoint of a Master, else nil. Its books may be looked at where nothing runs meanwhile: in a simulation.
	Master *master.Master
	// Scheduler is the endpoint of a ResourceManager that has the books, else nil. What holds for Master holds for it.
	Scheduler *scheduler.Scheduler

	hears rpcenv.Ref // the endpoint that gets the news of membership; zero: none does
}

// Master starts a Master: env says where it listens.
func Master(h rpcenv.Host, env rpcenv.Config, cfg master.Config) (*Node, error) {
	m := master.New(cfg)
	n, err := start(h, env, master.Name, m)
	if err != nil {
		return nil, err
	}
	n.Master, n.hears = m, n.Ref
	return n, nil
}

// Worker starts a Worker.
func Worker(h rpcenv.Host, env rpcenv.Config, cfg worker.Config) (*Node, error) {
	n, err := start(h, env, worker.Name, worker.New(cfg))
	if err != nil {
		return nil, err
	}
	n.hears = n.Ref
	return n, nil
}

func start(h rpcenv.Host, cfg rpcenv.Config, name string, ep rpcenv.Endpoint) (*Node, error) {
	env, err := rpcenv.New(h, cfg)
	if err != nil {
		return nil, err
	}
	ref, err := env.Register(name, ep)
	if err != nil {
		env.Shutdown()
		return nil, err
	}
	return &Node{Env: env, Ref: ref}, nil
}
