package node

import (
	"context"
	"errors"

	"github.com/coherer/coherer/actors/master"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/rpcenv"
)

// RunMaster runs a Master until ctx ends, or it ends itself: then the error is an *ExitError.
func RunMaster(ctx context.Context, opts Options) (err error) {
	// Opened first and so closed last: the Master writes to its records until its Env has ended.
	kept, err := openRecords(opts)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, kept.close()) }()
	d, err := newDaemon(opts, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.close()) }()
	// The ports are bound before the Master starts, since its Config holds their addresses; they are served after it has
	// started, since their handlers ask it.
	var cfg master.Config
	serve, err := d.bindMaster(&cfg)
	if err != nil {
		return err
	}
	if err := d.listen(func(env rpcenv.Config) (*Node, error) { return kept.start(d.process.Host, env, cfg) }); err != nil {
		return err
	}
	serve()
	// One of several may be in STANDBY for ever, and is ready all the same.
	if !kept.elected {
		if err := d.leads(ctx); err != nil {
			return err
		}
	}
	// Only now: Workers that hear of this member register with it at once.
	d.group = kept.group
	d.vitals = vitalsOf(d, &deploy.RequestMasterState{}, masterVitals)
	if err := d.join(ctx, !kept.elected, kept.others...); err != nil {
		return d.because(err)
	}
	if kept.elected {
		d.leadsLater()
	}
	if err := d.ready(); err != nil {
		return err
	}
	if kept.elect != nil {
		d.form(ctx, kept.elect)
	}
	return d.wait(ctx)
}
