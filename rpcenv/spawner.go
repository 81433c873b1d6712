package rpcenv

import (
	"sync"

	"github.com/asynkron/protoactor-go/actor"
)

// actorSystem is the process's one ActorSystem: it costs 2.9 MB.
var actorSystem = sync.OnceValue(func() *actor.ActorSystem {
	s := actor.NewActorSystem(actor.WithLoggerFactory(discardLogger))
	s.ProcessRegistry.RegisterAddressResolver(resolvePID)
	return s
})

// spawner makes the actors of an Env by one Props for all of them, since a Props is larger than an endpoint. protoactor
// calls its functions within SpawnNamed. They take no argument: the field in says for which Inbox, and mu makes spawns come one
// at a time.
type spawner struct {
	mu    sync.Mutex
	props *actor.Props
	in    *Inbox // that is being spawned
}

func (s *spawner) spawn(in *Inbox, id string) (*actor.PID, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.in = in
	defer func() { s.in = nil }()
	return actorSystem().Root.SpawnNamed(s.props, id)
}
