package node

import (
	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/nodemanager"
	"github.com/coherer/coherer/actors/resourcemanager"
	"github.com/coherer/coherer/rpcenv"
)

// ResourceManager starts a ResourceManager: env says where it listens. The Node's endpoint is the one for clients.
func ResourceManager(h rpcenv.Host, env rpcenv.Config, cfg resourcemanager.Config) (*Node, error) {
	e, err := rpcenv.New(h, env)
	if err != nil {
		return nil, err
	}
	s, err := resourcemanager.Start(e, cfg)
	if err != nil {
		e.Shutdown()
		return nil, err
	}
	return &Node{
		Env: e, Ref: e.Ref(e.Address(), ids.ClientRMService), Scheduler: s, hears: e.Ref(e.Address(), ids.ResourceTracker),
	}, nil
}

// NodeManager starts a NodeManager.
func NodeManager(h rpcenv.Host, env rpcenv.Config, cfg nodemanager.Config) (*Node, error) { //nolint:revive // the role is called NodeManager
	n, err := start(h, env, withShuffleService(cfg.ShuffleOutputs, nodemanager.Name, nodemanager.New(cfg))...)
	if err != nil {
		return nil, err
	}
	n.hears = n.Ref
	return n, nil
}
