package endpoints

import (
	"github.com/coherer/coherer/bench/measure"
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/rpcenv"
)

// Sink receives: it answers asks, and acknowledges tells to the Source of the Env that sent them.
type Sink struct {
	count   *measure.Sink
	ask     bool
	sources []string // by pair
}

// NewSink returns a receiver of a trial.
func NewSink(spec *measure.Spec, count *measure.Sink) *Sink {
	s := &Sink{count: count, ask: spec.Case.Ask()}
	for pair := range spec.Pairs {
		s.sources = append(s.sources, SourceOf(spec, pair))
	}
	return s
}

// Receive counts a message.
func (s *Sink) Receive(c *rpcenv.Context, m rpcenv.Message) {
	u, ok := m.(*app.StatusUpdate)
	if !ok {
		c.Unsupported(m)
		return
	}
	back := s.count.Take(u)
	switch {
	case s.ask:
		rpcenv.ReplyAs(c, m, back)
	case back != nil:
		c.Send(rpcenv.Ref{Address: c.Sender(), Name: s.sources[measure.PairOf(back)]}, back)
	}
}

// Door answers each ask and counts it: the first answer of a connection.
type Door struct{ Count *measure.Sink }

// Receive answers.
func (d *Door) Receive(c *rpcenv.Context, m rpcenv.Message) {
	d.Count.Operation()
	rpcenv.ReplyAs(c, m, m)
}
