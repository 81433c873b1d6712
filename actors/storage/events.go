package storage

import "github.com/coherer/coherer/rpcenv"

// PostTo makes the Master post its events, those of block managers and blocks, to an endpoint (LiveListenerBus). It is called before the
// Master is registered.
func (s *Master) PostTo(bus rpcenv.Ref) { s.bus = bus }

// post sends an event to the bus, if there is one.
func (s *Master) post(c *rpcenv.Context, e rpcenv.Message) {
	if !s.bus.IsZero() {
		c.Send(s.bus, e)
	}
}
