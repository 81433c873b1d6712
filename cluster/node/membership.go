package node

import (
	"context"
	"errors"
	"math"

	"github.com/coherer/coherer/actors/election"
	"github.com/coherer/coherer/actors/master"
	"github.com/coherer/coherer/actors/membership"
	"github.com/coherer/coherer/cluster/gossip"
	"github.com/coherer/coherer/rpcenv"
)

// join makes the daemon a member of its cluster, and its endpoint, if it wants to, hears of the others. leads says that it is a Master
// that leads, or a ResourceManager. seek are daemons of the cluster, which it asks for their gossip if --join names nobody's.
func (d *daemon) join(ctx context.Context, leads bool, seek ...rpcenv.Address) error {
	cfg := gossip.Of(d.opts.Conf, gossip.Meta{Role: d.opts.Role, UI: d.faces.url, Leads: leads, Group: d.group})
	switch {
	case d.group.Formed:
		cfg.Meta.Cluster = d.group.Digest
	case leads:
		cfg.Meta.Cluster = election.Digest([]rpcenv.Address{d.node.Env.Address()})
	}
	cfg.Bind, cfg.Join = d.opts.Gossip, d.opts.Join
	cfg.Vitals = d.vitals
	cfg.Patient = d.group.Expect > 0 // several Masters start in any order, and join each other
	var err error
	d.member, err = d.node.Enter(ctx, cfg, seek...)
	d.shown.Store(d.member)
	return err
}

// standings are the members as the pages show them; none as long as the daemon is no member.
func (d *daemon) standings() []gossip.Standing {
	m := d.shown.Load()
	if m == nil {
		return nil
	}
	return m.Standings()
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

// form finds the Masters of the group among the members, and then calls elect, beside what the daemon does. If that fails the daemon ends.
func (d *daemon) form(ctx context.Context, elect func(*Node, []rpcenv.Address) error) {
	env := d.node.Env
	f := newFormation(d.member.Name(), env.Address(), d.group.Expect, env.Host().Now().UnixMilli(), d.opts.Log)
	d.later.Go(func() {
		peers, err := d.findGroup(ctx, f)
		if err == nil {
			if err = elect(d.node, peers); err == nil {
				err = d.revise(ctx, gossip.Group{Expect: f.expect, Digest: election.Digest(peers), Formed: true})
			}
		}
		if err != nil && ctx.Err() == nil { // otherwise the daemon is ending, and that caused err
			d.failed <- err
		}
	})
}

// findGroup publishes what f proposes until f has the group.
func (d *daemon) findGroup(ctx context.Context, f *formation) ([]rpcenv.Address, error) {
	for {
		var s step
		if err := d.member.WaitFor(ctx, func(all []gossip.Info) bool {
			s = f.look(all)
			return s.publish || s.group != nil || s.err != nil
		}); err != nil || s.group != nil || s.err != nil {
			return s.group, errors.Join(err, s.err)
		}
		if err := d.revise(ctx, f.own); err != nil {
			return nil, err
		}
	}
}

// revise publishes what the ring is to know of the group. That the news are slow is no error: they are on their way.
func (d *daemon) revise(ctx context.Context, g gossip.Group) error {
	err := d.member.Revise(ctx, func(own *gossip.Meta) {
		own.Group = g
		if own.Cluster == 0 && g.Formed {
			own.Cluster = g.Digest
		}
	})
	if err != nil && !errors.Is(err, gossip.ErrClosed) {
		d.opts.Log.Debugf("the members may hear late of the group of this Master: %v", err)
		return nil
	}
	return err
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
