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
	var cfg master.Config
	serve, err := d.bindMaster(&cfg)
	if err != nil {
		return err
	}
	if err := d.listen(func(env rpcenv.Config) (*Node, error) { return kept.start(d.host, env, cfg) }); err != nil {
		return err
	}
	serve()
	if !kept.elected {
		if err := d.leads(ctx); err != nil {
			return err
		}
	}
	if err := d.join(ctx); err != nil {
		return d.because(err)
	}
	if err := d.ready(); err != nil {
		return err
	}
	return d.wait(ctx)
}
