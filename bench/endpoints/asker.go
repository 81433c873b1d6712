package endpoints

import (
	"github.com/coherer/coherer/bench/measure"
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/rpcenv"
)

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

// Receive takes a Tick: answers go to their asks.
func (a *Asker) Receive(c *rpcenv.Context, m rpcenv.Message) {
	if _, ok := m.(*Tick); ok {
		a.ask(c)
		return
	}
	c.Unsupported(m)
}

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
