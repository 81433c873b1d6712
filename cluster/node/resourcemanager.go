package node

import (
	"context"
	"crypto/rand"
	"errors"

	"github.com/coherer/coherer/actors/resourcemanager"
	"github.com/coherer/coherer/rpcenv"
)

// RunResourceManager runs a ResourceManager until ctx ends, or it ends itself: then the error is an *ExitError.
func RunResourceManager(ctx context.Context, opts Options) (err error) {
	d, err := newDaemon(opts, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.close()) }()
	var cfg resourcemanager.Config
	if cfg.Keys, err = resourcemanager.NewKeys(rand.Reader); err != nil {
		return err
	}
	if err := d.listen(func(env rpcenv.Config) (*Node, error) { return ResourceManager(d.host, env, cfg) }); err != nil {
		return err
	}
	if err := d.ready(); err != nil {
		return err
	}
	return d.wait(ctx)
}
