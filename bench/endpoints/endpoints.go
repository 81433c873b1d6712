// Package endpoints are the two endpoints of a trial of Coherer itself: what a user would write, and nothing else.
package endpoints

import (
	"github.com/coherer/coherer/bench/measure"
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/rpcenv"
)

// The names that they are registered by.
const (
	SinkName   = "Sink"
	SourceName = "Source"
)

// Sink receives: it answers asks, and acknowledges tells to the Source of the Env that sent them.
type Sink struct {
	Count *measure.Sink
	Ask   bool
}

// Receive counts a message.
func (s *Sink) Receive(c *rpcenv.Context, m rpcenv.Message) {
	u, ok := m.(*app.StatusUpdate)
	if !ok {
		c.Unsupported(m)
		return
	}
	back := s.Count.Take(u)
	switch {
	case s.Ask:
		rpcenv.ReplyAs(c, m, back)
	case back != nil:
		c.Send(rpcenv.Ref{Address: c.Sender(), Name: SourceName}, back)
	}
}

// Teller sends as many tells as may be under way.
type Teller struct {
	To   rpcenv.Ref
	Tell *measure.Tell
	// Over is called once, at the end of the trial or with what broke it. It must not wait.
	Over func(error)
}

// OnStart begins the trial.
func (t *Teller) OnStart(c *rpcenv.Context) { t.send(c) }

// Receive takes an acknowledgement.
func (t *Teller) Receive(c *rpcenv.Context, m rpcenv.Message) {
	ack, ok := m.(*app.StatusUpdate)
	if !ok {
		c.Unsupported(m)
		return
	}
	if over, err := t.Tell.Acknowledged(ack); over || err != nil {
		t.Over(err)
		c.Stop()
		return
	}
	t.send(c)
}

func (t *Teller) send(c *rpcenv.Context) {
	for m := t.Tell.Next(); m != nil; m = t.Tell.Next() {
		c.Send(t.To, m)
	}
}

// Asker keeps as many asks under way as may be.
type Asker struct {
	To  rpcenv.Ref
	Ask *measure.Ask
	// Over is called once, at the end of the trial or with what broke it. It must not wait.
	Over func(error)

	over bool
}

// OnStart begins the trial.
func (a *Asker) OnStart(c *rpcenv.Context) { a.ask(c) }

// Receive gets nothing: answers go to their asks.
func (a *Asker) Receive(c *rpcenv.Context, m rpcenv.Message) { c.Unsupported(m) }

func (a *Asker) ask(c *rpcenv.Context) {
	for m, at := a.Ask.Next(); m != nil; m, at = a.Ask.Next() {
		rpcenv.AskAs(c, a.To, m, func(answer *app.StatusUpdate, err error) {
			over := false
			if err == nil {
				over, err = a.Ask.Answered(at, answer)
			}
			switch {
			case a.over: // an ask that was under way at the end: Over is called once
			case over || err != nil:
				a.over = true
				a.Over(err)
				c.Stop()
			default:
				a.ask(c)
			}
		})
	}
}
