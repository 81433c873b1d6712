package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/coherer/coherer/actors/membership"
	"github.com/coherer/coherer/actors/submit"
	"github.com/coherer/coherer/cluster/known"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
)

// gossipScheme begins a URL that stands for the Masters or the ResourceManager of a cluster, and names the gossip of any of its members:
// gossip://HOST:PORT[,HOST:PORT...].
const gossipScheme = "gossip://"

var errNoGossipAddress = errors.New("gossip://: want gossip://HOST:PORT[,HOST:PORT...] of members of the cluster")

// byGossip turns a gossip:// URL into that of the Masters, or of the ResourceManager if there are none; with onYARN into that of the
// ResourceManager. Other URLs come back unchanged. c has the settings of the gossip: the cluster's name and keys.
func byGossip(ctx context.Context, url string, c *conf.Conf, kind kindOfCluster) (string, error) {
	join, found := strings.CutPrefix(url, gossipScheme)
	if !found {
		return url, nil
	}
	if join == "" {
		return "", usage(errNoGossipAddress)
	}
	all, failed, err := (&members{join: join}).look(ctx, c)
	if err != nil {
		return "", err
	}
	var masters []string
	for _, at := range mastersAmong(all) {
		masters = append(masters, at.String())
	}
	if len(masters) > 0 && kind == mastersFirst {
		return "spark://" + strings.Join(masters, ","), nil
	}
	for _, m := range all {
		if m.Role == resourceManager {
			return m.RPC.YARNURL(), nil
		}
	}
	if kind == onYARN {
		return "", noneIs("a ResourceManager", len(all), join, "resourcemanager", failed, resourceManager)
	}
	return "", noneIs("a Master or a ResourceManager", len(all), join, "master", failed, membership.RoleMaster, resourceManager)
}

// kindOfCluster says which daemons a command wants of a cluster that has both kinds.
type kindOfCluster int

const (
	mastersFirst kindOfCluster = iota
	onYARN
)

// byGossip is the function byGossip with these settings.
func (s *settings) byGossip(ctx context.Context, url string, kind kindOfCluster) (string, error) {
	_, c, err := s.check()
	if err != nil {
		return "", usage(err)
	}
	return byGossip(ctx, url, c, kind)
}

// masterByGossip replaces a --master of a submission that is a gossip:// URL. The settings of --conf say the cluster's name and keys.
func masterByGossip(ctx context.Context, line *submit.CommandLine) error {
	master, _ := line.Value("--master")
	if !strings.HasPrefix(master, gossipScheme) {
		return nil
	}
	all := &conf.Settings{}
	for _, s := range line.Conf {
		all.Set(s)
	}
	c, err := all.Conf(known.All())
	if err != nil {
		return usage(err)
	}
	if master, err = byGossip(ctx, master, c, mastersFirst); err != nil {
		return fmt.Errorf("--master: %w", err)
	}
	line.SetMaster(master)
	return nil
}

// joinURL makes a gossip:// URL, if it is the argument of a daemon, another form of --join; it returns the arguments that are left.
func (m *members) joinURL(args []string) (left []string, found bool) {
	if len(args) != 1 || !strings.HasPrefix(args[0], gossipScheme) {
		return args, false
	}
	list := []string{strings.TrimPrefix(args[0], gossipScheme)}
	if m.join != "" {
		list = append(list, m.join)
	}
	m.join = strings.Join(list, ",")
	return nil, true
}

// isProcessURL reports whether s names processes of a cluster, well or badly, by their addresses or by gossip.
func isProcessURL(s string) bool { return rpcenv.IsProcessURL(s) || strings.HasPrefix(s, gossipScheme) }

// processesAt returns the addresses that a URL of processes names, by gossip too.
func (s *settings) processesAt(ctx context.Context, url string) ([]rpcenv.Address, error) {
	url, err := s.byGossip(ctx, url, mastersFirst)
	if err != nil {
		return nil, err
	}
	return rpcenv.ParseProcessURL(url)
}

// addressed returns the arguments with byGossip applied to each.
func (s *settings) addressed(ctx context.Context, args []string) ([]string, error) {
	out := slices.Clone(args)
	for i, arg := range out {
		var err error
		if out[i], err = s.byGossip(ctx, arg, mastersFirst); err != nil {
			return nil, err
		}
	}
	return out, nil
}
