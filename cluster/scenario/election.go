package scenario

import (
	"errors"
	"slices"
	"strings"

	"github.com/coherer/coherer/cluster/local"
	clusternode "github.com/coherer/coherer/cluster/node"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest/script/syntax"
)

// startElected starts one of several Masters: NAME peers=NAME,NAME,NAME recovery=RAFT. Their logs outlive them.
func (r *Runner) startElected(name string, env rpcenv.Config, c syntax.Command) (rpcenv.Host, *clusternode.Node, error) {
	if r.group == nil {
		peers := c.Option("peers", "")
		if peers == "" {
			return nil, nil, errors.New("recovery=RAFT wants peers=NAME,NAME,NAME: all Masters, this one among them")
		}
		g, err := local.NewGroup(r.world, strings.Split(peers, ","))
		if err != nil {
			return nil, nil, err
		}
		r.group = g
	}
	return r.group.Start(name, env)
}

// masters are where the Masters of a list of names listen. Those of a group need not run.
func (r *Runner) masters(list string) (at []rpcenv.Address, err error) {
	for name := range strings.SplitSeq(list, ",") {
		if r.nodes[name] == nil && r.group != nil {
			if i := slices.Index(r.group.Names, name); i >= 0 {
				at = append(at, r.group.Addresses[i])
				continue
			}
		}
		n, err := r.find(name)
		if err != nil {
			return nil, err
		}
		at = append(at, n.Env.Address())
	}
	return at, nil
}
