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
	r := &ran[T]{c: c, b: b, lane: name, body: body, then: then, rare: rare{name: "run " + name}}
	if err := in.owned.enterLane(name, in.name, r.start); err != nil {
		drop(&in.owned, &in.owned.bodies, (*ownedBody)(b))
		b.cancel()
		c.later(r.rare.name, func() {
			var zero T
			then(zero, err)
		})
	}
	return b.cancel
}

// ran is a body together with its result and its continuation: one allocation for all.
type ran[T any] struct {
	c    *Context
	b    *Blocking
	lane string
	body func(*Blocking) (T, error)
	then func(T, error)
	rare rare // of the item of its end

	result T
	err    error
}

func (r *ran[T]) start() {
	r.b.start(r.rare.name, func() { r.result, r.err = r.body(r.b) }, r.ended)
}

func (r *ran[T]) ended(failure error) {
	if failure != nil {
		r.err = failure
	}
	in := r.c.in
	// An endpoint that has stopped refuses the item: then is not called, and no further body of the lane begins.
	in.post(&item{kind: itemRun, id: in.env.nextID(), cause: r.b.cause, rare: &r.rare, then: r})
}

func (r *ran[T]) context() *Context { return r.c }

// goOn runs then, when the endpoint handles the item.
func (r *ran[T]) goOn() {
	in := r.c.in
	drop(&in.owned, &in.owned.bodies, (*ownedBody)(r.b))
	in.owned.leaveLane(r.lane)
	r.then(r.result, r.err)
}
