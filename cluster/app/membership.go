package app

import (
	"context"

	"github.com/coherer/coherer/actors/hadoop/rmproxy"
	"github.com/coherer/coherer/actors/membership"
	"github.com/coherer/coherer/cluster/gossip"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
)

// enter makes this process a member of the cluster of the daemons at seek, in a role, with an id if it is known, and with its gossip at a
// host. The others hear of it; its own endpoints hear of none.
func enter(ctx context.Context, env *rpcenv.Env, role, id, host string, seek []rpcenv.Address) (*gossip.Member, error) {
	cfg := gossip.Of(env.Conf(), gossip.Meta{Role: role, ID: id})
	cfg.Bind.Host = host
	return gossip.Enter(ctx, env, cfg, membership.Config{Seek: seek})
}

// resourceManagerOf is the ResourceManager in the settings of an application on YARN; none if the settings are wrong, which the application
// reports when it registers.
func resourceManagerOf(c *conf.Conf) []rpcenv.Address {
	at, err := rmproxy.Address(c)
	if err != nil {
		return nil
	}
	return []rpcenv.Address{at}
}
