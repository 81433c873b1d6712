package node

import (
	"context"
	"fmt"

	"github.com/coherer/coherer/actors/master"
	"github.com/coherer/coherer/cluster/recovery"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
)

// openRecords opens what spark.deploy.recoveryMode names: where a Master keeps its records; nil for mode NONE. close gives
// it up, after the Master's end.
func openRecords(c *conf.Conf) (store master.Store, close func() error, err error) {
	switch mode := conf.RecoveryMode.Get(c); mode {
	case "NONE":
		return nil, func() error { return nil }, nil
	case "FILESYSTEM":
		d, err := recovery.Open(conf.RecoveryDirectory.Get(c))
		if err != nil {
			return nil, nil, err
		}
		return d, d.Close, nil
	default:
		return nil, nil, fmt.Errorf("%s=%s is not here: want NONE or FILESYSTEM", conf.RecoveryMode.Key(), mode)
	}
}

// leads waits until a Master has read its records, so that who is told that it is ready can register.
func (d *daemon) leads(ctx context.Context) error {
	answered := make(chan error, 1)
	job := d.node.Env.Go("leads", func(b *rpcenv.Blocking) error {
		_, err := rpcenv.AskWait(b, d.node.Ref, master.AwaitLeadership{})
		return err
	})
	job.OnDone(func(err error) { answered <- err })
	select {
	case err := <-answered:
		return err
	case code := <-d.exits: // it could not read them; it has said why
		return &ExitError{code}
	case <-ctx.Done():
		return nil
	}
}
