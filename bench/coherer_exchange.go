package bench

import (
	"context"

	"github.com/coherer/coherer/bench/endpoints"
	"github.com/coherer/coherer/bench/measure"
	"github.com/coherer/coherer/bench/stage"
	"github.com/coherer/coherer/rpcenv"
)

// exchange is a trial of tells or asks: an endpoint sends for each pair, of fan-out one for all.
func exchange(ctx context.Context, s *stage.Stage, t *measure.Trial) error {
	p, err := meet(s, t)
	if err != nil {
		return err
	}
	senders := t.Spec.Senders()
	// With room for the one call of each Over, which must not wait: Run may have gone by ctx.
	over := make(chan error, senders)
	for i := range senders {
		pairs := span{i, i + 1}
		if senders < t.Spec.Pairs {
			pairs = span{0, t.Spec.Pairs}
		}
		source := sender(t, p, pairs, func(err error) { over <- err })
		if _, err := p.env(i).Register(endpoints.SourceOf(t.Spec, i), source); err != nil {
			return err
		}
	}
	defer t.Pace(ctx, ticker(t.Spec, p))()
	return waitAll(ctx, over, senders)
}

// span is the pairs from the first to before the end.
type span struct{ first, end int }

func sender(t *measure.Trial, p *parties, pairs span, over func(error)) rpcenv.Endpoint {
	if t.Spec.Case.Ask() {
		return &endpoints.Asker{To: p.to[pairs.first], Ask: t.Asks[pairs.first], Over: over}
	}
	return &endpoints.Teller{To: p.to[pairs.first:pairs.end], Tells: t.Tells[pairs.first:pairs.end], Pair: pairs.first, Over: over}
}

// ticker reminds the sender of a pair.
func ticker(spec *measure.Spec, p *parties) func(pair int) {
	ticks := make([]*endpoints.Tick, spec.Pairs) // made once: a message may be sent again
	for pair := range ticks {
		ticks[pair] = &endpoints.Tick{Pair: pair}
	}
	return func(pair int) {
		_ = p.env(pair).Send(p.source(spec, pair), ticks[pair]) // fails only for what is no message
	}
}

// waitAll waits for the end of n parts of a trial, or for the first that fails.
func waitAll(ctx context.Context, over <-chan error, n int) error {
	for range n {
		select {
		case err := <-over:
			if err != nil {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}
