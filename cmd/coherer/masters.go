package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/coherer/coherer/cluster/gossip"
	"github.com/coherer/coherer/cluster/known"
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

// masters are the Masters that the members know. It joins their gossip for as long as it asks.
func (m *members) masters(ctx context.Context, c *conf.Conf) ([]rpcenv.Address, error) {
	names, err := addresses("--join", m.join)
	if err != nil {
		return nil, usage(err)
	}
	cfg := gossip.Config{Join: names, Label: known.GossipLabel.Get(c), Meta: gossip.Meta{Role: "status", PID: os.Getpid()}}
	if file, ok := known.GossipKeyFile.Find(c); ok {
		cfg.Keys = gossip.KeysOf(file)
	}
	member, err := gossip.Join(ctx, cfg)
	if err != nil {
		return nil, fmt.Errorf("--join: %w", err)
	}
	defer member.Close()
	var out []rpcenv.Address
	for _, i := range member.Masters() {
		out = append(out, i.RPC)
	}
	leaving, cancel := context.WithTimeout(ctx, 200*time.Millisecond)
	defer cancel()
	_ = member.Leave(leaving) // a courtesy: without it the members detect the end themselves
	if len(out) == 0 {
		return nil, fmt.Errorf("the cluster of %s has no Master: start one with coherer master --join %s", strings.Join(names, ", "), names[0])
	}
	return out, nil
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
