package app

import (
	"context"

	"github.com/coherer/coherer/actors/membership"
	"github.com/coherer/coherer/cluster/gossip"
	"github.com/coherer/coherer/rpcenv"
)

// enter makes this process, in a role and listening at a host, a member of the cluster of the daemons at seek. None of its endpoints hears of the others: the
// cluster hears of it.
func enter(ctx context.Context, env *rpcenv.Env, role, host string, seek []rpcenv.Address) (*gossip.Member, error) {
	cfg := gossip.Of(env.Conf(), gossip.Meta{Role: role})
	cfg.Bind.Host = host
	return gossip.Enter(ctx, env, cfg, membership.Config{Seek: seek})
}
