package rpcenv

import (
	"context"
)

// Run runs body outside the inbox, where it may wait and take long; then is called later in this inbox with its result.
// Bodies of one lane run in order, one at a time; those of the empty lane side by side. In production body is a
// goroutine, in a simulation a coroutine. It waits only through b and does I/O only through interfaces that it was
// handed. A panic of body is its error. At the endpoint's stop b is cancelled and then is not called.
//
// cancel ends b early: its waits return ErrStopped and b.Done is true; then is called with what body makes of it.
func Run[T any](c *Context, name string, body func(b *Blocking) (T, error), then func(T, error)) (cancel func()) {
	in := c.in
	b := in.env.newBlocking(context.Background(), in.name, c.cause())
	if c.stopping() { // release has cancelled the endpoint's bodies before OnStop: this one begins cancelled
		b.cancel()
	} else {
		keep(&in.owned, &in.owned.bodies, (*ownedBody)(b))
	}
	var result T
	var err error
	start := func() {
		b.start("run "+name, func() { result, err = body(b) }, func(failure error) {
			if failure != nil {
				err = failure
			}
			// An endpoint that has stopped refuses the item: then is not called, and no further body of the lane begins.
			in.post(&item{kind: itemRun, id: in.env.nextID(), cause: b.cause, name: "run " + name, ctx: c, then: goOn(func() {
				drop(&in.owned, &in.owned.bodies, (*ownedBody)(b))
				in.owned.leaveLane(name)
				then(result, err)
			})})
		})
	}
	if err := in.owned.enterLane(name, in.name, start); err != nil {
		drop(&in.owned, &in.owned.bodies, (*ownedBody)(b))
		b.cancel()
		c.later("run "+name, func() {
			var zero T
			then(zero, err)
		})
	}
	return b.cancel
}
