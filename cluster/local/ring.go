package local

import (
	"errors"
	"fmt"
	"slices"

	"github.com/coherer/coherer/actors/membership"
	"github.com/coherer/coherer/cluster/gossip"
	"github.com/coherer/coherer/cluster/gossip/swim"
	"github.com/coherer/coherer/cluster/invariant"
	"github.com/coherer/coherer/cluster/node"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/sim"
)

// Ring makes processes of a simulation members of one cluster, whose gossip is a model (package swim). For nil, which a cluster without
// gossip has, Enter does nothing.
type Ring struct {
	ring    *swim.Ring
	joined  int            // members so far
	members []*swim.Member // those that ran when last looked at, and younger ones
}

// NewRing makes a cluster without members.
func NewRing(w *sim.World) *Ring {
	return &Ring{ring: swim.New(w, gossip.Pace())}
}

// Join makes a daemon a member: its endpoint hears of the others. seek are daemons that it knows by their addresses; with none it knows the
// gossip of the oldest member that is there.
func (r *Ring) Join(n *node.Node, role string, seek []rpcenv.Address) (*swim.Member, error) {
	m := r.add(n.Env, role, seek)
	return m, n.Join(m, seek)
}

// Enter makes a process that is no daemon a member: a driver or an ApplicationMaster, which hears nothing of the others.
func (r *Ring) Enter(env *rpcenv.Env, role string, seek ...rpcenv.Address) error {
	if r == nil {
		return nil
	}
	_, err := env.Register(membership.Name, membership.New(membership.Config{Discovery: r.add(env, role, seek), Seek: seek}))
	return err
}

// look is who the members are that run.
func (r *Ring) look() (g invariant.Gossip) {
	if r == nil {
		return g
	}
	r.members = slices.DeleteFunc(r.members, func(m *swim.Member) bool { return !m.Runs() })
	for _, m := range r.members {
		g.Members = append(g.Members, invariant.Member{Name: m.Self().Name, Address: m.Self().RPC})
	}
	g.Agreement = swim.Agreement(gossip.Pace(), len(g.Members))
	return g
}

// Accuse lets the oldest other member that is there suspect this one, as if it had had no answer. Without any it is an error.
func (r *Ring) Accuse(m *swim.Member) error {
	i := slices.IndexFunc(r.members, func(x *swim.Member) bool { return x != m && x.Runs() })
	if i < 0 {
		return errors.New("there is no other member")
	}
	r.members[i].Accuse(m)
	return nil
}

func (r *Ring) add(env *rpcenv.Env, role string, seek []rpcenv.Address) *swim.Member {
	var calls []string
	if i := slices.IndexFunc(r.members, (*swim.Member).Runs); i >= 0 && len(seek) == 0 {
		calls = append(calls, r.members[i].At())
	}
	// Its run's number in the name: no other one was ever called so.
	r.joined++
	name := fmt.Sprintf("%s/%d", env.Name(), r.joined)
	m := r.ring.Join(env.Host().(*sim.Host), membership.Member{Name: name, Role: role, RPC: env.Address()}, calls...)
	r.members = append(r.members, m)
	env.OnDone(m.Leave) // what ends in good order has not failed
	return m
}
