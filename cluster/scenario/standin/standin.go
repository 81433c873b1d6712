package standin

import (
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/coherer/coherer/rpcenv"
)

// Listener gets the messages of an application's client, and does nothing.
type Listener struct{}

// Receive is a callback of the endpoint.
func (Listener) Receive(*rpcenv.Context, rpcenv.Message) {}

// Peer hears numbers and keeps them, and sends some when it gets a Burst.
type Peer struct {
	heard []int64
}

// Burst makes a Peer send the numbers from 1 to N.
type Burst struct {
	rpcenv.Local
	To rpcenv.Ref
	N  int
}

// Receive is a callback of the endpoint.
func (p *Peer) Receive(c *rpcenv.Context, m rpcenv.Message) {
	switch m := m.(type) {
	case *wrapperspb.Int64Value:
		p.int64Value(m)
	case Burst:
		p.burst(c, m)
	default:
		c.Unsupported(m)
	}
}

// Heard are the numbers that came, in their order. It must not be called while a handler runs.
func (p *Peer) Heard() []int64 { return p.heard }

func (p *Peer) int64Value(m *wrapperspb.Int64Value) { p.heard = append(p.heard, m.GetValue()) }

func (p *Peer) burst(c *rpcenv.Context, m Burst) {
	for i := range m.N {
		c.Send(m.To, wrapperspb.Int64(int64(i+1)))
	}
}
