package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/coherer/coherer/cluster/gossip"
	"github.com/coherer/coherer/cluster/known"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
)

// gossipScheme begins the gossip addresses of any members of a cluster where its Masters or its ResourceManager are wanted:
// gossip://HOST:PORT[,HOST:PORT...].
const gossipScheme = "gossip://"

// byGossip is url or, if that names members of a cluster by their gossip, the URL of the Masters that these know, or else of the
// ResourceManager. The settings c are those of gossip.
func byGossip(ctx context.Context, url string, c *conf.Conf) (string, error) {
	join, found := strings.CutPrefix(url, gossipScheme)
	if !found {
		return url, nil
	}
	if join == "" {
		return "", usage(errors.New("gossip://: want gossip://HOST:PORT[,HOST:PORT...] of members of the cluster"))
	}
	all, err := (&members{join: join}).look(ctx, c)
	if err != nil {
		return "", err
	}
	var masters []string
	for _, m := range all {
		if m.Role == gossip.RoleMaster {
			masters = append(masters, m.RPC.String())
		}
	}
	if len(masters) > 0 {
		return "spark://" + strings.Join(masters, ","), nil
	}
	for _, m := range all {
		if m.Role == resourceManager {
			return m.RPC.YARNURL(), nil
		}
	}
	return "", fmt.Errorf("none of the %d members that %s knows is a Master or a ResourceManager: start one with coherer master --join %s",
		len(all), url, join)
}

// byGossipAlone is byGossip for commands without settings: the cluster has the usual name and no keys.
func byGossipAlone(ctx context.Context, url string) (string, error) {
	c, err := conf.New(nil, known.All())
	if err != nil {
		return "", err
	}
	return byGossip(ctx, url, c)
}

// isProcessURL reports whether s names processes of a cluster, well or badly, by their addresses or by gossip.
func isProcessURL(s string) bool { return rpcenv.IsProcessURL(s) || strings.HasPrefix(s, gossipScheme) }

// processesAt are the addresses in a URL of processes.
func processesAt(ctx context.Context, url string) ([]rpcenv.Address, error) {
	url, err := byGossipAlone(ctx, url)
	if err != nil {
		return nil, err
	}
	return rpcenv.ParseProcessURL(url)
}

// addressed are arguments in which gossip:// was resolved.
func addressed(ctx context.Context, args []string) ([]string, error) {
	out := slices.Clone(args)
	for i, arg := range out {
		var err error
		if out[i], err = byGossipAlone(ctx, arg); err != nil {
			return nil, err
		}
	}
	return out, nil
}
