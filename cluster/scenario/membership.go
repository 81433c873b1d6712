package scenario

import (
	"fmt"

	"github.com/coherer/coherer/actors/membership"
	"github.com/coherer/coherer/rpcenv/rpctest/script/syntax"
)

// join makes a daemon that was started with membership=true a member of the script's gossip.
func (r *Runner) join(n *node) error {
	if n.began.Option("membership", "") != "true" {
		return nil
	}
	r.joined++
	n.member = membership.Member{Name: fmt.Sprintf("%s/%d", n.name, r.joined), Role: n.began.Args[0], RPC: n.Env.Address()}
	if name := n.began.Option("master", "none"); name != "none" { // as a real one that is given a URL
		seek, err := r.masters(name)
		if err != nil {
			return err
		}
		return n.Join(r.ring.Apart(n.member), seek)
	}
	return n.Join(r.ring.Join(n.member), nil)
}

// leave says goodbye for a member.
func (r *Runner) leave(n *node) {
	if n.member.Name != "" {
		r.ring.Leave(n.member)
	}
}

// suspect lets the other members hear that one does not answer.
func (r *Runner) suspect(c syntax.Command) error {
	n, err := r.only(c)
	if err != nil {
		return err
	}
	if n.member.Name == "" {
		return fmt.Errorf("%s is no member: start it with membership=true", n.name)
	}
	r.ring.Suspect(n.member)
	return r.world.Settle(patience)
}
