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
	if !c.in.kind.serial() {
		panic("rpcenv: a Journal is for serial endpoints, " + c.in.name + " is none")
	}
	if c.in.held == nil {
		c.in.held = &held{}
	}
	j.waiting = append(j.waiting, record)
	j.holds = append(j.holds, c.in.held.hold())
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
		if c.in.held.release(holds) {
			c.in.held = nil // sends go out at once again, without the price of a closure
		}
		if j.writing = len(j.waiting) > 0; j.writing {
			j.next(c)
		}
	})
}
