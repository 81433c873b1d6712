package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/coherer/coherer/bench/measure"
	"github.com/coherer/coherer/messages/app"
)

// askTimeout is longer than a trial may stand still, so that the trial's own error reports the loss.
const askTimeout = 2 * measure.Stall

// asker keeps as many asks under way as may be, each with a future of its own, as protoactor's asks are.
type asker struct {
	to   *actor.PID
	asks *measure.Ask
	over chan<- error
	done bool
}

func (a *asker) Receive(c actor.Context) {
	switch c.Message().(type) {
	case *actor.Started, tick:
		a.ask(c)
	}
}

func (a *asker) ask(c actor.Context) {
	for m, at := a.asks.Next(); m != nil; m, at = a.asks.Next() {
		c.ReenterAfter(c.RequestFuture(a.to, m, askTimeout), func(answer any, err error) { a.answered(c, at, answer, err) })
	}
}

func (a *asker) answered(c actor.Context, at time.Duration, answer any, err error) {
	over := false
	if err == nil {
		m, ok := answer.(*app.StatusUpdate)
		if !ok {
			err = fmt.Errorf("the answer is a %T", answer)
		} else {
			over, err = a.asks.Answered(at, m)
		}
	}
	switch {
	case a.done: // an ask that was under way when the trial ended
	case over || err != nil:
		a.done = true
		a.over <- errors.Join(err)
		c.Stop(c.Self())
	default:
		a.ask(c)
	}
}
