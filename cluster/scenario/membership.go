package scenario

import (
	"fmt"

	"github.com/coherer/coherer/actors/driver"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest/script/syntax"
)

// join makes a daemon a member of the script's gossip, if it was started with membership=true or the script's first line has that.
func (r *Runner) join(n *node) error {
	if !r.everybody && n.began.Option("membership", "") != "true" {
		return nil
	}
	if r.ring == nil {
		return fmt.Errorf("membership=true %w", errWantsSim)
	}
	seek, err := r.seek(n)
	if err != nil {
		return err
	}
	n.member, err = r.ring.Join(n.Node, n.began.Args[0], seek)
	return err
}

// seek are the daemons that a daemon knows by their addresses, as a real one that is given a URL: a Master knows those that were started
// before it.
func (r *Runner) seek(n *node) ([]rpcenv.Address, error) {
	switch n.began.Args[0] {
	case "master":
		var others []rpcenv.Address
		for _, name := range r.started {
			if o := r.nodes[name]; o != n && o.began.Args[0] == "master" {
				others = append(others, o.Env.Address())
			}
		}
		return others, nil
	case "nodemanager":
		rm, err := r.find(n.began.Option("rm", "RM"))
		if err != nil {
			return nil, err
		}
		return []rpcenv.Address{rm.Env.Address()}, nil
	case "worker":
		if name := n.began.Option("master", "M"); name != "none" {
			return r.masters(name)
		}
	}
	return nil, nil
}

// enter makes a driver a member.
func (r *Runner) enter(env *rpcenv.Env, cfg driver.Config) error {
	seek := cfg.Masters
	if cfg.YARN != nil {
		seek = []rpcenv.Address{cfg.YARN.ResourceManager}
	}
	return r.ring.Enter(env, "driver", seek...)
}

// leave says goodbye for a member.
func (r *Runner) leave(n *node) {
	if n.member != nil {
		n.member.Leave()
	}
}

// suspect lets a member be accused falsely, by the oldest other one: it refutes.
func (r *Runner) suspect(c syntax.Command) error {
	n, err := r.only(c)
	if err != nil {
		return err
	}
	if n.member == nil {
		return fmt.Errorf("%s is no member: start it with membership=true", n.name)
	}
	if err := r.ring.Accuse(n.member); err != nil {
		return err
	}
	return r.world.Settle(patience)
}
