package gossip

import (
	"context"
	"fmt"
	"os"
	"sync"

	"github.com/coherer/coherer/actors/membership"
	"github.com/coherer/coherer/cluster/known"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
)

// Of is the Config of a process with these settings.
func Of(c *conf.Conf, meta Meta) Config {
	meta.PID = os.Getpid()
	cfg := Config{Label: known.GossipLabel.Get(c), Retries: rpcenv.PortMaxRetries.Get(c), Meta: meta}
	if file, ok := known.GossipKeyFile.Find(c); ok {
		cfg.Keys = KeysOf(file)
	}
	return cfg
}

// Enter makes the process of env a member of its cluster. It registers the endpoint Membership, made from m: by that the endpoints of
// m.Notify hear of the other members. Enter sets m.Discovery, and of c what env knows: the address, the incarnation, the log. If c.Join names
// members, of which one has to answer, nobody is asked for more: m.Seek does not count.
func Enter(ctx context.Context, env *rpcenv.Env, c Config, m membership.Config) (*Member, error) {
	heard := &discovery{}
	c.Meta.RPC, c.Meta.Since = env.Address(), env.Host().Now().Unix()
	c.Incarnation, c.Log, c.OnChange = env.Host().Entropy("gossip"), env.Log(), heard.event
	if len(c.Join) > 0 && !c.Patient {
		m.Seek = nil
	}
	c.follows = len(m.Seek) > 0
	member, err := Join(ctx, c)
	if err != nil {
		return nil, err
	}
	heard.member = member
	m.Discovery = heard
	if _, err := env.Register(membership.Name, membership.New(m)); err != nil {
		member.Close()
		return nil, fmt.Errorf("gossip: %w", err)
	}
	if c.Keys == nil {
		rpcenv.Door{
			Name: "gossip", At: rpcenv.Address{Host: c.Bind.Host, Port: member.Addr().Port}.String(),
			Lets:  "become a member, name Masters to Workers and declare members dead",
			Close: "encrypt it with " + known.GossipKeyFile.Key() + ", or listen at 127.0.0.1, or let a firewall keep others out",
		}.Warn(c.Log)
	}
	return member, nil
}

// discovery is a Member as membership.Discovery. It keeps the events before Watch for the watcher.
type discovery struct {
	member *Member // set before anybody watches

	mu      sync.Mutex
	waiting []rpcenv.Message
	notify  func(rpcenv.Message) // nil: nobody watches yet
}

func (d *discovery) event(e Event) {
	if e.Info.RPC.IsZero() { // it listens nowhere, as an ApplicationMaster in client mode: no endpoint can ask it
		return
	}
	m := membership.Member{Name: e.Info.Name, Role: e.Info.Role, RPC: e.Info.RPC}
	var news rpcenv.Message
	switch e.Kind {
	case MemberJoined:
		news = membership.MemberJoined{Member: m}
	case MemberLeft:
		news = membership.MemberLeft{Member: m}
	case MemberSuspected:
		news = membership.MemberSuspected{Member: m, By: e.By}
	case MemberRefuted:
		news = membership.MemberRefuted{Member: m}
	case MemberFailed:
		news = membership.MemberFailed{Member: m}
	case MemberUpdated: // load, id, group or leadership: no endpoint acts on these
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

// Watch is called once.
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

// Meet calls on the member at an address: see Member.Meet.
func (d *discovery) Meet(at string) { d.member.Meet(at) }
