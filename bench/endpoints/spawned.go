package endpoints

import (
	"github.com/coherer/coherer/bench/measure"
	"github.com/coherer/coherer/rpcenv"
)

// Spawned lives for its OnStart alone.
type Spawned struct {
	Count *measure.Sink
	// Ended is called when it is stopped. It must not wait.
	Ended func()
}

// OnStart counts and stops.
func (s *Spawned) OnStart(c *rpcenv.Context) {
	s.Count.Operation()
	c.Stop()
}

// Receive gets nothing.
func (s *Spawned) Receive(c *rpcenv.Context, m rpcenv.Message) { c.Unsupported(m) }

// OnStop ends the operation.
func (s *Spawned) OnStop(*rpcenv.Context) { s.Ended() }
