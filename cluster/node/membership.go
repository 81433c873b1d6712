package node

import (
	"context"
	"errors"
	"math"
	"os"
	"sync"

	"github.com/coherer/coherer/actors/master"
	"github.com/coherer/coherer/actors/membership"
	"github.com/coherer/coherer/cluster/gossip"
	"github.com/coherer/coherer/cluster/known"
	"github.com/coherer/coherer/rpcenv"
)

// join makes the daemon a member of its cluster, and lets its endpoint hear of the others by the endpoint Membership. leads: it is a
// Master that leads, or a ResourceManager. seek are daemons of the cluster, in case that no gossip of any was named.
func (d *daemon) join(ctx context.Context, leads bool, seek ...rpcenv.Address) error {
	heard := &discovery{}
	cfg := gossip.Config{
		Bind: d.opts.Gossip, Retries: rpcenv.PortMaxRetries.Get(d.opts.Conf), Join: d.opts.Join, Label: known.GossipLabel.Get(d.opts.Conf),
		Log: d.opts.Log, OnChange: heard.event,
		Meta: gossip.Meta{
			Role: d.opts.Role, RPC: d.node.Env.Address(), PID: os.Getpid(), UI: d.faces.url, Leads: leads, Since: d.process.Host.Now().Unix(),
		},
		Incarnation: d.process.Host.Entropy("gossip"),
	}
	if file, ok := known.GossipKeyFile.Find(d.opts.Conf); ok {
		cfg.Keys = gossip.KeysOf(file)
	}
	var err error
	if d.member, err = gossip.Join(ctx, cfg); err != nil {
		return err
	}
	heard.member = d.member
	d.warnGossip(cfg)
	if len(d.opts.Join) > 0 {
		seek = nil // it knows members by their gossip
	}
	return d.node.Join(heard, seek)
}

// leadsLater lets the members hear of the day when this Master, one of several, leads; it may never come.
func (d *daemon) leadsLater() {
	job := d.node.Env.Go("leads", func(b *rpcenv.Blocking) error {
		_, err := rpcenv.AskWait(b, d.node.Ref, master.AwaitLeadership{}, rpcenv.Timeout("nothing", math.MaxInt64))
		return err
	})
	job.OnDone(func(err error) {
		if err != nil { // it ends, and has never led
			return
		}
		d.later.Go(func() {
			ctx, cancel := context.WithTimeout(context.Background(), leaveTime)
			defer cancel()
			if err := d.member.Lead(ctx); err != nil && !errors.Is(err, gossip.ErrClosed) {
				d.opts.Log.Warnf("the members may not know that this Master leads: %v", err)
			}
		})
	})
}

// Join lets the daemon's endpoint hear of its cluster's other members. As long as none of the daemons at seek is among them, it asks
// these for their gossip.
func (n *Node) Join(d membership.Discovery, seek []rpcenv.Address) error {
	cfg := membership.Config{Discovery: d, Seek: seek}
	if n.hears {
		cfg.Notify = []rpcenv.Ref{n.Ref}
	}
	_, err := n.Env.Register(membership.Name, membership.New(cfg))
	return err
}

// discovery is a gossip.Member as membership.Discovery: events before Watch are kept for its watcher.
type discovery struct {
	member *gossip.Member

	mu      sync.Mutex
	waiting []rpcenv.Message
	notify  func(rpcenv.Message) // nil: nobody watches yet
}

func (d *discovery) event(e gossip.Event) {
	m := membership.Member{Name: e.Info.Name, Role: e.Info.Role, RPC: e.Info.RPC}
	var news rpcenv.Message
	switch e.Kind {
	case gossip.MemberJoined:
		news = membership.MemberJoined{Member: m}
	case gossip.MemberLeft:
		news = membership.MemberLeft{Member: m}
	case gossip.MemberFailed:
		news = membership.MemberSuspected{Member: m}
	case gossip.MemberUpdated: // that it leads, which its Workers hear from itself
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.notify == nil {
		d.waiting = append(d.waiting, news)
		return
	}
	d.notify(news)
}

// Watch is for one watcher, once.
func (d *discovery) Watch(notify func(rpcenv.Message)) (stop func()) {
	// notify is called under the lock, here and in event, so that an event that comes now follows those that waited.
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, news := range d.waiting {
		notify(news)
	}
	d.waiting, d.notify = nil, notify
	return func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.notify = func(rpcenv.Message) {} // not nil, or events would pile up
	}
}

// At is where the member listens.
func (d *discovery) At() string { return d.member.Addr().String() }

// Meet begins to join.
func (d *discovery) Meet(at string) { d.member.Meet(at) }
