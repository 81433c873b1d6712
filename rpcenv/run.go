package rpcenv

import (
	"context"
	"fmt"
)

// laneLimit is how many bodies may wait in one lane.
const laneLimit = 10_000

// lane is a queue of bodies that run one after the other.
type lane struct {
	busy  bool
	queue []func()
}

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
		keep(&in.owned, &in.owned.bodies, b)
	}
	var result T
	var err error
	start := func() {
		b.start("run "+name, func() { result, err = body(b) }, func(failure error) {
			if failure != nil {
				err = failure
			}
			// An endpoint that has stopped refuses the item: then is not called, and no further body of the lane begins.
			in.post(item{kind: itemRun, id: in.env.nextID(), cause: b.cause, name: "run " + name, ctx: c, fn: func() {
				drop(&in.owned, &in.owned.bodies, b)
				in.owned.leaveLane(name)
				then(result, err)
			}})
		})
	}
	if err := in.owned.enterLane(name, in.name, start); err != nil {
		drop(&in.owned, &in.owned.bodies, b)
		b.cancel()
		c.later("run "+name, func() {
			var zero T
			then(zero, err)
		})
	}
	return b.cancel
}

// enterLane starts a body, or queues it behind the others of its lane.
func (o *owned) enterLane(name, endpoint string, start func()) error {
	if name == "" {
		start()
		return nil
	}
	o.mu.Lock()
	l := o.lanes[name]
	if l == nil {
		l = &lane{}
		if o.lanes == nil {
			o.lanes = map[string]*lane{}
		}
		o.lanes[name] = l
	}
	free := !l.busy
	l.busy = true // until leaveLane finds the queue empty, and deletes the lane
	waiting := len(l.queue)
	if !free && waiting < laneLimit {
		l.queue = append(l.queue, start)
	}
	o.mu.Unlock() // start takes other locks
	switch {
	case free:
		start()
	case waiting >= laneLimit:
		return fmt.Errorf("%w: %d bodies wait in lane %s of %s", ErrUnreachableOverloaded, waiting, name, endpoint)
	}
	return nil
}

// leaveLane starts the next body of a lane.
func (o *owned) leaveLane(name string) {
	o.mu.Lock()
	l := o.lanes[name]
	if l == nil { // the empty lane
		o.mu.Unlock()
		return
	}
	if len(l.queue) == 0 {
		delete(o.lanes, name)
		o.mu.Unlock()
		return
	}
	start := l.queue[0]
	l.queue = l.queue[1:]
	o.mu.Unlock()
	start()
}
