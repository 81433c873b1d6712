package node

import (
	"context"
	"errors"
	"math"

	"github.com/coherer/coherer/actors/master"
	"github.com/coherer/coherer/actors/membership"
	"github.com/coherer/coherer/cluster/gossip"
	"github.com/coherer/coherer/rpcenv"
)

// join makes the daemon a member of its cluster, and its endpoint, if it wants to, hears of the others. leads says that it is a Master that leads, or a
// ResourceManager. seek are daemons of the cluster, which it asks for their gossip if --join names nobody's.
func (d *daemon) join(ctx context.Context, leads bool, seek ...rpcenv.Address) error {
	cfg := gossip.Of(d.opts.Conf, gossip.Meta{Role: d.opts.Role, UI: d.faces.url, Leads: leads})
	cfg.Bind, cfg.Join = d.opts.Gossip, d.opts.Join
	var err error
	d.member, err = d.node.Enter(ctx, cfg, seek...)
	return err
}

// Enter makes the daemon a member of its cluster by gossip, as Join does by another Discovery: gossip.Enter says how.
func (n *Node) Enter(ctx context.Context, cfg gossip.Config, seek ...rpcenv.Address) (*gossip.Member, error) {
	return gossip.Enter(ctx, n.Env, cfg, n.membership(nil, seek))
}

// leadsLater notifies the members when this Master, one of several, is elected, which may never happen.
func (d *daemon) leadsLater() {
	job := d.node.Env.Go("leads", func(b *rpcenv.Blocking) error {
		_, err := rpcenv.AskWait(b, d.node.Ref, master.AwaitLeadership{}, rpcenv.Timeout("nothing", math.MaxInt64))
		return err
	})
	job.OnDone(func(err error) {
		if err != nil { // the Master ends without having led
			return
		}
		d.later.Go(func() {
			ctx, cancel := context.WithTimeout(context.Background(), shutdownTime)
			defer cancel()
			if err := d.member.Lead(ctx); err != nil && !errors.Is(err, gossip.ErrClosed) {
				d.opts.Log.Warnf("the members may not know that this Master leads: %v", err)
			}
		})
	})
}

// Join makes the daemon's endpoint hear of the other members of its cluster. As long as none of the daemons at seek is among these, the
// endpoint Membership asks them for their gossip.
func (n *Node) Join(d membership.Discovery, seek []rpcenv.Address) error {
	_, err := n.Env.Register(membership.Name, membership.New(n.membership(d, seek)))
	return err
}

func (n *Node) membership(d membership.Discovery, seek []rpcenv.Address) membership.Config {
	cfg := membership.Config{Discovery: d, Seek: seek}
	if !n.hears.IsZero() {
		cfg.Notify = []rpcenv.Ref{n.hears}
	}
	return cfg
}
