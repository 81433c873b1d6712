package rpcenv

import (
	"fmt"
	"sync"
)

// owned is what ends with an endpoint, each list in the order of its making; nil: there was none yet, since an idle endpoint is
// small. The lock is for endpoints whose callbacks overlap.
type owned struct {
	mu      sync.Mutex
	timers  *ordered[*timer]
	pending *ordered[*outgoingAsk]
	bodies  *ordered[*ownedBody]
	held    *ordered[*incomingAsk]
	lanes   map[string]*lane
}

// ownedBody is a Blocking as a member of owned.bodies.
type ownedBody Blocking

func (b *ownedBody) place() *int32   { return &b.atOwner }
func (t *timer) place() *int32       { return &t.at }
func (p *outgoingAsk) place() *int32 { return &p.at }
func (k *incomingAsk) place() *int32 { return &k.at }

// keep adds x to one of the lists of o.
func keep[T member](o *owned, list **ordered[T], x T) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if *list == nil {
		*list = &ordered[T]{}
	}
	(*list).add(x)
}

// drop takes x out of one of the lists of o, if it is there.
func drop[T member](o *owned, list **ordered[T], x T) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if *list != nil {
		(*list).remove(x)
	}
}

// members are those of a list that may be nil.
func members[T member](list *ordered[T]) []T {
	if list == nil {
		return nil
	}
	return list.all()
}

// letGo forgets an ask that was answered.
func (o *owned) letGo(k *incomingAsk) { drop(o, &o.held, k) }

// release ends what would outlive the endpoint: timers, pending asks, Runs, unanswered asks.
func (o *owned) release() {
	// The lists are taken out first: what follows takes other locks.
	o.mu.Lock()
	timers, asked, bodies, held := o.timers, o.pending, o.bodies, o.held
	o.timers, o.pending, o.bodies, o.lanes, o.held = nil, nil, nil, nil, nil
	o.mu.Unlock()
	for _, t := range members(timers) {
		t.cancel()
	}
	for _, p := range members(asked) {
		p.env.asks.abandon(p)
	}
	for _, b := range members(bodies) { // their ends are items, which this inbox refuses by now
		(*Blocking)(b).cancel()
	}
	for _, k := range members(held) {
		k.fail(ErrRefusedStopped)
	}
}

// laneLimit is how many bodies may wait in one lane.
const laneLimit = 10_000

// lane is a queue of bodies that run one after the other.
type lane struct {
	busy  bool
	queue []func()
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
