package node

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/coherer/coherer/actors/election"
	"github.com/coherer/coherer/actors/master"
	"github.com/coherer/coherer/actors/records"
	"github.com/coherer/coherer/cluster/gossip"
	"github.com/coherer/coherer/cluster/known"
	"github.com/coherer/coherer/cluster/recovery"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
)

// kept are where a Master keeps its records.
type kept struct {
	// start starts the Master on them; their store is put into its Config.
	start func(rpcenv.Host, rpcenv.Config, master.Config) (*Node, error)
	// close gives them up, after the Master's end.
	close func() error
	// elected says that this is one of several Masters, of which one leads; others are where the others listen.
	elected bool
	others  []rpcenv.Address
	// group is what the ring hears of these Masters. elect starts the election among them when they are found; nil: they are known, and it
	// has begun.
	group gossip.Group
	elect func(n *Node, peers []rpcenv.Address) error
}

// openRecords opens the records of the mode spark.deploy.recoveryMode.
func openRecords(opts Options) (kept, error) {
	on := func(store records.Store) func(rpcenv.Host, rpcenv.Config, master.Config) (*Node, error) {
		return func(h rpcenv.Host, env rpcenv.Config, cfg master.Config) (*Node, error) {
			cfg.Store = store
			return Master(h, env, cfg)
		}
	}
	switch mode := master.RecoveryMode.Get(opts.Conf); mode {
	case "NONE":
		return kept{start: on(nil), close: func() error { return nil }}, nil
	case "FILESYSTEM":
		d, err := recovery.Open(known.RecoveryDirectory.Get(opts.Conf), recovery.Owner{Role: "Master", Setting: known.RecoveryDirectory.Key()})
		if err != nil {
			return kept{}, err
		}
		return kept{start: on(d), close: d.Close}, nil
	case "RAFT":
		among, close, err := openElection(opts)
		if err != nil {
			return kept{}, err
		}
		k := kept{close: close, elected: true, group: gossip.Group{Expect: len(among.Peers), Digest: election.Digest(among.Peers), Formed: true}}
		k.start = func(h rpcenv.Host, env rpcenv.Config, cfg master.Config) (*Node, error) {
			return ElectedMaster(h, env, cfg, among)
		}
		k.others = slices.DeleteFunc(slices.Clone(among.Peers), func(a rpcenv.Address) bool { return a == opts.Listen })
		if len(among.Peers) == 0 {
			k.group = gossip.Group{Expect: known.RaftExpect.Get(opts.Conf)}
			k.start = standbyMaster
			k.elect = func(n *Node, peers []rpcenv.Address) error {
				among.Peers = peers
				return n.elect(among)
			}
		}
		return k, nil
	default:
		return kept{}, fmt.Errorf("%s=%s is not here: want NONE, FILESYSTEM or RAFT", master.RecoveryMode.Key(), mode)
	}
}

// leads waits until a Master has read its records: after the ready line it takes registrations.
func (d *daemon) leads(ctx context.Context) error { return d.serves(ctx, master.AwaitLeadership{}) }

// serves waits until the daemon's endpoint answers q, which it does when it has read its records.
func (d *daemon) serves(ctx context.Context, q rpcenv.Asks[*rpc.Bool]) error {
	answered := make(chan error, 1)
	job := d.node.Env.Go("serves", func(b *rpcenv.Blocking) error {
		_, err := rpcenv.AskWaitAs[*rpc.Bool](b, d.node.Ref, q)
		return err
	})
	job.OnDone(func(err error) { answered <- err })
	var err error
	select {
	case err = <-answered:
		if !errors.Is(err, rpcenv.ErrStopped) && !errors.Is(err, rpcenv.ErrRefusedStopped) { // else it ends, and the code follows
			return err
		}
	case code := <-d.process.Exits(): // it could not read them, and has logged why
		return &ExitError{code}
	case <-ctx.Done():
		return nil
	}
	select {
	case code := <-d.process.Exits():
		return &ExitError{code}
	case <-ctx.Done():
		return err
	}
}
