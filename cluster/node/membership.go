package node

import (
	"context"
	"os"
	"sync"

	"github.com/coherer/coherer/actors/membership"
	"github.com/coherer/coherer/cluster/gossip"
	"github.com/coherer/coherer/cluster/known"
	"github.com/coherer/coherer/rpcenv"
)

// join makes the daemon a member of its cluster, and lets its endpoint hear of the others by the endpoint Membership.
func (d *daemon) join(ctx context.Context) error {
	heard := &discovery{}
	cfg := gossip.Config{
		Bind: d.opts.Gossip, Join: d.opts.Join, Label: known.GossipLabel.Get(d.opts.Conf), Log: d.opts.Log, OnChange: heard.event,
		Meta:        gossip.Meta{Role: d.opts.Role, RPC: d.node.Env.Address(), PID: os.Getpid(), UI: d.faces.url},
		Incarnation: d.process.Host.Entropy("gossip"),
	}
	if file, ok := known.GossipKeyFile.Find(d.opts.Conf); ok {
		cfg.Keys = gossip.KeysOf(file)
	}
	var err error
	if d.member, err = gossip.Join(ctx, cfg); err != nil {
		return err
	}
	d.warnGossip(cfg)
	return d.node.Join(heard)
}

// Join lets the daemon's endpoint hear of its cluster's other members.
func (n *Node) Join(d membership.Discovery) error {
	_, err := n.Env.Register(membership.Name, membership.New(membership.Config{Discovery: d, Notify: []rpcenv.Ref{n.Ref}}))
	return err
}

// discovery is a gossip.Member as membership.Discovery: events before Watch are kept for its watcher.
type discovery struct {
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
	case gossip.MemberUpdated: // its pages and its process, which nobody here looks at
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
