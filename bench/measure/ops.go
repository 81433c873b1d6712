package measure

import (
	"fmt"
	"time"
)

// Ops is the driving side of a trial of operations: what a contender does from Next to Done. Its methods are called one at
// a time.
type Ops struct {
	batch
	base time.Time
}

// NewOps returns the driving side of a valid spec.
func NewOps(spec *Spec) (*Ops, error) { return newOps(newGroup(spec)) }

func newOps(g *group) (*Ops, error) {
	o := &Ops{base: g.now()}
	return o, o.init(g)
}

// Next returns the number of an operation to begin now, from 0 in each batch, and the time of its beginning. It is not ok when another
// operation has to be done first, or when its time has not come ([Trial.Pace]).
func (o *Ops) Next() (n uint64, at time.Duration, ok bool) {
	begin, ok := o.next()
	if !ok {
		return 0, 0, false
	}
	return o.sent - 1, begin.Sub(o.base), true
}

// Done takes the end of an operation that began at a time. When it is not over, Next has operations again.
func (o *Ops) Done(at time.Duration) (over bool, err error) {
	now := o.group.now()
	o.done++
	if o.done > o.sent {
		return false, fmt.Errorf("operation %d of %d is done", o.done, o.sent)
	}
	o.latency.Record(int64(now.Sub(o.base) - at))
	o.look(now)
	return o.end(now), nil
}
