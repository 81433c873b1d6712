package node

import (
	"github.com/coherer/coherer/actors/master"
	"github.com/coherer/coherer/actors/resourcemanager/scheduler"
	"github.com/coherer/coherer/actors/shuffleservice"
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
	n, err := start(h, env, endpoint{master.Name, m})
	if err != nil {
		return nil, err
	}
	n.Master, n.hears = m, n.Ref
	return n, nil
}

// Worker starts a Worker.
func Worker(h rpcenv.Host, env rpcenv.Config, cfg worker.Config) (*Node, error) {
	n, err := start(h, env, withShuffleService(cfg.ShuffleOutputs, worker.Name, worker.New(cfg))...)
	if err != nil {
		return nil, err
	}
	n.hears = n.Ref
	return n, nil
}

// endpoint is one of a daemon, with its name.
type endpoint struct {
	name string
	rpcenv.Endpoint
}

// withShuffleService are a daemon's endpoints: its own behind the shuffle service, to which it sends as soon as it starts an executor.
func withShuffleService(outputs shuffleservice.Outputs, name string, ep rpcenv.Endpoint) []endpoint {
	if outputs == nil {
		return []endpoint{{name, ep}}
	}
	return []endpoint{{shuffleservice.Name, shuffleservice.New(outputs)}, {name, ep}}
}

// start makes an Env with endpoints; the last one is the daemon's.
func start(h rpcenv.Host, cfg rpcenv.Config, endpoints ...endpoint) (*Node, error) {
	env, err := rpcenv.New(h, cfg)
	if err != nil {
		return nil, err
	}
	var ref rpcenv.Ref
	for _, e := range endpoints {
		if ref, err = env.Register(e.name, e.Endpoint); err != nil {
			env.Shutdown()
			return nil, err
		}
	}
	return &Node{Env: env, Ref: ref}, nil
}
