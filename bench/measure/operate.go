package measure

import (
	"context"
	"sync"
	"time"
)

// Operate does the operations of a trial. It calls begin for each, one call at a time, as many as may be under way; begin must
// not wait, and the contender calls end once for each, from any goroutine. After an error of Operate operations may still be
// under way.
func (t *Trial) Operate(ctx context.Context, begin func(n uint64, end func(error))) error {
	type done struct {
		at  time.Duration
		err error
	}
	ends := make(chan done, t.Spec.InFlight) // room for all that are under way: end never waits
	wake := make(chan struct{}, 1)
	defer t.Pace(ctx, func(int) {
		select {
		case wake <- struct{}{}:
		default:
		}
	})()
	for {
		for n, at, ok := t.Ops.Next(); ok; n, at, ok = t.Ops.Next() {
			begin(n, func(err error) { ends <- done{at, err} })
		}
		select {
		case d := <-ends:
			if d.err != nil {
				return d.err
			}
			if over, err := t.Ops.Done(d.at); over || err != nil {
				return err
			}
		case <-wake:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// OperateBlocking does operations that are calls which wait: each has one of as many goroutines as operations may be under way.
// It returns when all have ended; an error ends the ctx of those that are under way.
func (t *Trial) OperateBlocking(ctx context.Context, do func(ctx context.Context, n uint64) error) error {
	type order struct {
		n   uint64
		end func(error)
	}
	ctx, cancel := context.WithCancel(ctx)
	orders := make(chan order, t.Spec.InFlight) // room for all that are under way: begin never waits
	var working sync.WaitGroup
	for range t.Spec.InFlight {
		working.Go(func() {
			for o := range orders {
				o.end(do(ctx, o.n))
			}
		})
	}
	defer working.Wait()
	defer close(orders)
	defer cancel()
	return t.Operate(ctx, func(n uint64, end func(error)) { orders <- order{n, end} })
}
