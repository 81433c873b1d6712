package flows

import (
	"context"
	"errors"

	"github.com/coherer/coherer/bench/measure"
	"github.com/coherer/coherer/bench/stage"
	"github.com/coherer/coherer/rpcenv"
)

// drive is the process of the peers.
type drive struct {
	*turns
	spec  *measure.Spec
	pace  func(context.Context, func(pair int)) (stop func()) // of the trial
	stage *stage.Stage
	role  rpcenv.Address
}

// Run drives the peers of a trial until it is over.
func Run(ctx context.Context, t *measure.Trial) (err error) {
	f := flows[t.Spec.Case]
	if err := checkFiles(f.population(t.Spec), f.peers, f.files); err != nil {
		return err
	}
	d, err := newDrive(t, f.population(t.Spec))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.stage.Close()) }()
	return f.run(ctx, d)
}

func newDrive(t *measure.Trial, population int) (d *drive, err error) {
	d = &drive{turns: newTurns(t.Ops, population), spec: t.Spec, pace: t.Pace}
	if d.role, err = rpcenv.ParseAddress(t.Address); err != nil {
		return nil, err
	}
	if d.stage, err = stage.New(t.Spec, "Sender"); err != nil {
		return nil, err
	}
	d.stage.Quiet()
	return d, nil
}

// trialOf is a trial of peers that are all ready.
func (d *drive) trialOf(ctx context.Context, peers int) error {
	for i := range peers {
		d.ready(i)
	}
	return d.trial(ctx)
}

// trial begins the operations and waits for their end.
func (d *drive) trial(ctx context.Context) error {
	defer d.pace(ctx, func(int) { d.wake() })()
	d.start()
	select {
	case err := <-d.over:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// await waits for the next of peers; its error says why the trial ended meanwhile.
func (d *drive) await(ctx context.Context, peers <-chan int) (int, error) {
	select {
	case i := <-peers:
		return i, nil
	case err := <-d.over:
		return 0, err
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}
