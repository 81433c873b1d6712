package rpcenv

// Journal makes an endpoint's changes of state durable behind its handlers: a handler changes its books, calls Persist,
// and goes on. What the endpoint sends, asks and answers after that is held back, all of it and in order, until the
// record is durable; the inbox goes on meanwhile. So a handler stays whole, and a crash loses only what no other endpoint has heard of.
//
// The records of one handler, and all that wait while a write is under way, are one write. Not held back are timers,
// Runs, what their bodies send, processes and State.
//
// A Journal is for an endpoint that is serial. Persist is called in its callbacks.
type Journal[R any] struct {
	write  func(b *Blocking, records []R) error
	failed func(c *Context, err error)

	waiting []R
	holds   []*hold // of waiting
	writing bool    // or about to, or a write failed: then no other follows
}

// NewJournal makes a Journal. write makes records durable, in their order, all or none; it is a body of [Run], one at a
// time. failed is called in the inbox when it could not: what waits for those records is never sent, nor is anything after it,
// since it is not known what is durable. The endpoint should end there.
func NewJournal[R any](write func(b *Blocking, records []R) error, failed func(c *Context, err error)) *Journal[R] {
	return &Journal[R]{write: write, failed: failed}
}

// Persist writes a record behind, and holds back what the endpoint sends from here on.
func (j *Journal[R]) Persist(c *Context, record R) {
	j.waiting = append(j.waiting, record)
	j.holds = append(j.holds, c.in.hold())
	if j.writing { // its end writes what waits by then
		return
	}
	j.writing = true
	// Not at once: further records of this handler go into the same write.
	c.atEnd(func() { j.next(c) })
}

// next writes what waits.
func (j *Journal[R]) next(c *Context) {
	records, holds := j.waiting, j.holds
	j.waiting, j.holds = nil, nil
	Run(c, "persist", func(b *Blocking) (struct{}, error) {
		return struct{}{}, j.write(b, records)
	}, func(_ struct{}, err error) {
		if err != nil {
			j.failed(c, err)
			return // writing stays set, and the holds stay: nothing is written or sent any more
		}
		c.in.releaseHolds(holds)
		if j.writing = len(j.waiting) > 0; j.writing {
			j.next(c)
		}
	})
}

// hold is a place in the stream of what an endpoint sends: nothing after it goes out before it is released.
type hold struct{ released bool }

// held is what waits behind holds, in order: a hold, or something to send.
type held struct {
	queue []heldItem
	over  bool // the endpoint stops and something was dropped: what comes after is dropped too
}

type heldItem struct {
	hold *hold
	send func()          // brings it on its way
	drop func(err error) // it never will be
}

// hold holds back what the endpoint sends from here on.
func (in *Inbox) hold() *hold {
	if !in.kind.serial() {
		panic("rpcenv: a Journal is for serial endpoints, " + in.name + " is none")
	}
	if in.held == nil {
		in.held = &held{}
	}
	h := &hold{}
	in.held.queue = append(in.held.queue, heldItem{hold: h})
	return h
}

// holdsBack takes what is sent if something before it is held back; false: send it now.
func (in *Inbox) holdsBack(it heldItem) bool {
	switch {
	case in.held == nil:
		return false
	case in.held.over:
		it.drop(ErrRefusedStopped)
	default:
		in.held.queue = append(in.held.queue, it)
	}
	return true
}

// releaseHolds sends what no other hold is before.
func (in *Inbox) releaseHolds(holds []*hold) {
	for _, h := range holds {
		h.released = true
	}
	// The queue is a stream: what stands behind a hold of another Journal waits for that one, though its own is released.
	queue := in.held.queue
	n := 0
	for n < len(queue) && (queue[n].hold == nil || queue[n].hold.released) {
		if queue[n].send != nil {
			queue[n].send()
		}
		queue[n] = heldItem{}
		n++
	}
	if in.held.queue = queue[n:]; len(in.held.queue) == 0 {
		in.held = nil // sends go out at once again, without the price of a closure
	}
}

// dropHeld gives up what is held back: the endpoint stops.
func (in *Inbox) dropHeld() {
	if in.held == nil {
		return
	}
	in.held.over = true // what OnStop sends would stand behind what is dropped here
	for _, it := range in.held.queue {
		if it.drop != nil {
			it.drop(ErrRefusedStopped)
		}
	}
	in.held.queue = nil
}
