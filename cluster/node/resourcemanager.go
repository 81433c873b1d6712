package node

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"

	"github.com/coherer/coherer/actors/resourcemanager"
	"github.com/coherer/coherer/actors/resourcemanager/scheduler"
	"github.com/coherer/coherer/cluster/known"
	"github.com/coherer/coherer/cluster/recovery"
	"github.com/coherer/coherer/cluster/web/hadoop"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
)

// RunResourceManager runs a ResourceManager until ctx ends, or it ends itself: then the error is an *ExitError. As in Hadoop, and
// unlike Spark's daemons, it takes no other port than the one that is set: all the others look for it there.
func RunResourceManager(ctx context.Context, opts Options) (err error) {
	var cfg resourcemanager.Config
	closeStore, err := configure(&cfg, opts.Conf)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeStore()) }()
	d, err := newDaemon(opts, nil)
	if err != nil {
		return err
	}
	d.yarn = true
	defer func() { err = errors.Join(err, d.close()) }()
	pages, err := d.bindWebapp("ResourceManager", known.ResourceManagerWebapp)
	if err != nil {
		return err
	}
	cfg.WebUIURL = d.faces.url
	if err := d.listen(func(env rpcenv.Config) (*Node, error) {
		env.Conf = samePort(env.Conf)
		return ResourceManager(d.process.Host, env, cfg)
	}); err != nil {
		return err
	}
	d.serve(pages, hadoop.ResourceManagerPages(d.site()))
	// After the ready line applications can be submitted, so it waits until the records are read.
	if err := d.serves(ctx, resourcemanager.AwaitActive{}); err != nil {
		return err
	}
	d.vitals = vitalsOf(d, &yarn.RequestResourceManagerState{}, resourceManagerVitals)
	if err := d.join(ctx, true); err != nil {
		return d.because(err)
	}
	if err := d.ready(); err != nil {
		return err
	}
	return d.wait(ctx)
}

// configure gives a ResourceManager its keys and the files that the settings name. What it returns closes its records.
func configure(cfg *resourcemanager.Config, c *conf.Conf) (closeStore func() error, err error) {
	if cfg.Keys, err = resourcemanager.NewKeys(rand.Reader); err != nil {
		return nil, err
	}
	cfg.Groups = groupsOf
	if path := scheduler.FairAllocationFile.Get(c); path != "" {
		cfg.Allocations = allocationFile(path)
	}
	include, exclude := known.NodesIncludePath.Get(c), known.NodesExcludePath.Get(c)
	if include != "" || exclude != "" {
		cfg.Hosts = hostFiles{include, exclude}
	}
	if !known.ResourceManagerRecovery.Get(c) {
		return func() error { return nil }, nil
	}
	key := known.ResourceManagerStore.Key()
	store, err := recovery.Open(known.ResourceManagerStore.Get(c), recovery.Owner{Role: "ResourceManager", Setting: key})
	if err != nil {
		return nil, fmt.Errorf("%s is true: %w", known.ResourceManagerRecovery.Key(), err)
	}
	cfg.Store = store
	return store.Close, nil
}
