package node

import (
	"context"
	"errors"
	"time"

	"github.com/coherer/coherer/actors/master"
	"github.com/coherer/coherer/rpcenv"
)

// leaveTime is how long a daemon takes to say goodbye to its cluster.
const leaveTime = 200 * time.Millisecond

// RunMaster runs a Master until ctx ends, or it ends itself: then the error is an *ExitError.
func RunMaster(ctx context.Context, opts Options) (err error) {
	store, closeStore, err := openRecords(opts.Conf)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeStore()) }()
	d, err := newDaemon(opts, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.close()) }()
	cfg := master.Config{Store: store}
	if err := d.listen(func(env rpcenv.Config) (*Node, error) { return Master(d.host, env, cfg) }); err != nil {
		return err
	}
	if err := d.leads(ctx); err != nil {
		return err
	}
	if err := d.join(ctx); err != nil {
		return err
	}
	if err := d.ready(); err != nil {
		return err
	}
	return d.wait(ctx)
}
