package bench

import (
	"context"
	"sync"

	"github.com/coherer/coherer/bench/endpoints"
	"github.com/coherer/coherer/bench/measure"
	"github.com/coherer/coherer/bench/stage"
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/rpcenv"
)

// flood is a trial of one-way: for each pair a goroutine outside the endpoints sends by Blocking.Send, which waits for room.
// Context.Send never waits, and a flood of it would end its stream at the bound of the outbox.
func flood(ctx context.Context, s *stage.Stage, t *measure.Trial) error {
	p, err := meet(s, t)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	var sending sync.WaitGroup
	// The end of ctx ends the waits of those that another pair's error leaves behind.
	defer sending.Wait()
	defer cancel()
	over := make(chan error, t.Spec.Pairs)
	flooders := make([]*flooder, t.Spec.Pairs)
	for pair, tell := range t.Tells {
		f := &flooder{to: p.to[pair], tell: tell, acks: make(chan *app.StatusUpdate, 1), wake: newReminder()}
		flooders[pair] = f
		// A batch has one acknowledgement, and the next batch begins after it: there is always room.
		acks := &endpoints.Acknowledged{Take: func(ack *app.StatusUpdate) { f.acks <- ack }}
		if _, err := p.env(pair).Register(endpoints.SourceOf(t.Spec, pair), acks); err != nil {
			return err
		}
	}
	defer t.Pace(ctx, func(pair int) { flooders[pair].wake.remind() })()
	for pair, f := range flooders {
		sending.Go(func() {
			b := p.env(pair).Blocking(ctx)
			defer b.Close()
			over <- f.run(b)
		})
	}
	return waitAll(ctx, over, t.Spec.Pairs)
}

// flooder is the sending side of a pair.
type flooder struct {
	to   rpcenv.Ref
	tell *measure.Tell
	acks chan *app.StatusUpdate
	wake reminder
}

func (f *flooder) run(b *rpcenv.Blocking) error {
	for {
		for m := f.tell.Next(); m != nil; m = f.tell.Next() {
			if err := b.Send(f.to, m); err != nil {
				return err
			}
		}
		select {
		case ack := <-f.acks:
			if over, err := f.tell.Acknowledged(ack); over || err != nil {
				return err
			}
		case <-f.wake:
		case <-b.Context().Done():
			return context.Cause(b.Context())
		}
	}
}
