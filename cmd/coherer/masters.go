package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/coherer/coherer/cluster/gossip"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
)

// masters are the Masters of --master, spark://HOST:PORT[,HOST:PORT...], or of the run that goes on when it is empty.
func (o *ofCluster) masters() ([]rpcenv.Address, error) {
	if o.master != "" {
		at, err := rpcenv.ParseMasterURL(o.master)
		if err != nil {
			return nil, usage(fmt.Errorf("--master: %w, or yarn://HOST:PORT of a ResourceManager", err))
		}
		return at, nil
	}
	w, err := findWatched(nil)
	switch {
	// The error knows of runs alone: add how to name a cluster that no run has started.
	case errors.Is(err, errNoRun):
		err = fmt.Errorf("%w, or name the Master of a cluster with --master spark://HOST:PORT", err)
	case err == nil && !w.rm.IsZero():
		err = fmt.Errorf("the run that goes on is on YARN and has no Master: its ResourceManager is at yarn://%s", w.rm)
	}
	return w.roots, err
}

// resourceManager is that of --master, yarn://HOST:PORT, or of the run that goes on when it is empty; false: neither is
// on YARN.
func (o *ofCluster) resourceManager() (at rpcenv.Address, found bool, err error) {
	if o.master == "" {
		w, err := findWatched(nil)
		return w.rm, err == nil && !w.rm.IsZero(), nil //nolint:nilerror // masters, which callers try next, meets it again and reports it
	}
	if !strings.HasPrefix(o.master, "yarn") {
		return at, false, nil
	}
	if at, err = rpcenv.ParseYARNURL(o.master); err != nil {
		return at, true, usage(fmt.Errorf("--master: %w", err))
	}
	return at, true, nil
}

// mastersAmong are where the Masters among members listen.
func mastersAmong(all []gossip.Info) (at []rpcenv.Address) {
	for _, i := range all {
		if i.Role == gossip.RoleMaster {
			at = append(at, i.RPC)
		}
	}
	return at
}

// masters are the Masters that the members know.
func (m *members) masters(ctx context.Context, c *conf.Conf) ([]rpcenv.Address, error) {
	all, failed, err := m.look(ctx, c)
	if err != nil {
		return nil, fmt.Errorf("--join: %w", err)
	}
	out := mastersAmong(all)
	if len(out) == 0 {
		return nil, noneIs("a Master", len(all), m.join, "master", failed, gossip.RoleMaster)
	}
	return out, nil
}

// look returns all members that are there, sorted by name, and those that have failed.
func (m *members) look(ctx context.Context, c *conf.Conf) (there []gossip.Info, failed []gossip.Standing, err error) {
	all, err := m.standings(ctx, c)
	for _, s := range all {
		switch s.State {
		case gossip.Alive, gossip.Suspect:
			there = append(there, s.Info)
		case gossip.Failed:
			failed = append(failed, s)
		}
	}
	return there, failed, err
}

// noneIs is the error of a cluster in which none of the members is what. Of the roles that are meant, those that have failed are named: such a
// process may only stand still.
func noneIs(what string, there int, at, start string, failed []gossip.Standing, roles ...string) error {
	for _, s := range failed {
		if slices.Contains(roles, s.Role) {
			return fmt.Errorf("none of the %d members that %s knows is %s: the %s at %s, process %d, has failed at %s: if it is there, see whether "+
				"it is stopped or cut off; if not, start it again", there, at, what, s.Role, s.RPC, s.PID, s.At.Local().Format(time.DateTime))
		}
	}
	return fmt.Errorf("none of the %d members that %s knows is %s: start one with coherer %s --join %s", there, at, what, start, at)
}

// standings returns what is believed of the members.
func (m *members) standings(ctx context.Context, c *conf.Conf) ([]gossip.Standing, error) {
	at, err := rpcenv.ParseAddresses(m.join)
	if err != nil {
		return nil, usage(err)
	}
	var names []string
	for _, a := range at {
		names = append(names, a.String())
	}
	cfg := gossip.Of(c, gossip.Meta{Role: gossip.RoleLook})
	cfg.Join, cfg.Incarnation = names, rand.Uint64() // a new name each time: memberlist refuses one that it knows at another address
	member, err := gossip.Join(ctx, cfg)
	if err != nil {
		return nil, err
	}
	defer member.Close() // to the members it is none, so that a goodbye would say nothing
	return member.Standings(), nil
}

// addresses are those that the value of a flag lists; an empty value has none.
func addresses(flag, value string) ([]string, error) {
	if value == "" {
		return nil, nil
	}
	all, err := rpcenv.ParseAddresses(value)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", flag, err)
	}
	var out []string
	for _, a := range all {
		out = append(out, a.String())
	}
	return out, nil
}
