package node

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/coherer/coherer/actors/hadoop/rmproxy"
	"github.com/coherer/coherer/actors/nodemanager"
	"github.com/coherer/coherer/actors/nodemanager/launch"
	"github.com/coherer/coherer/cluster/container"
	"github.com/coherer/coherer/cluster/known"
	"github.com/coherer/coherer/cluster/process"
	"github.com/coherer/coherer/cluster/web"
	"github.com/coherer/coherer/cluster/web/hadoop"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
)

// NodeManagerOptions are those of a NodeManager. Settings yarn.nodemanager.* stand in for zero values.
type NodeManagerOptions struct { //nolint:revive // the role is called NodeManager
	Options
	// ResourceManager is the ResourceManager's address; zero: that of yarn.resourcemanager.address.
	ResourceManager rpcenv.Address
	// Membership says that the ResourceManager is whichever membership finds, and no setting counts: Join names members.
	Membership bool
	// MemoryMB and VCores are what the node offers; else 8192 MiB and 8 cores.
	MemoryMB int64
	VCores   int
	// Rack is where the node is; empty: /default-rack.
	Rack string
	// LocalDirs are where containers and resources lie, LogDirs where the output of containers stays; else below the system's
	// directory for temporary files.
	LocalDirs, LogDirs []string
}

// What a node offers without a setting, as in Hadoop.
const (
	nodeMemoryMB = 8192
	nodeVCores   = 8
)

// shell runs the scripts of containers.
const shell = "/bin/bash"

// RunNodeManager runs a NodeManager until ctx ends, or it ends itself: then the error is an *ExitError. The containers that it
// started end with it, also when it is killed.
func RunNodeManager(ctx context.Context, opts NodeManagerOptions) (err error) {
	cfg, err := opts.config()
	if err != nil {
		return err
	}
	disks, err := container.NewDisks(opts.LocalDirs, opts.LogDirs, container.DiskLimits{
		MostUsed: known.NodeManagerMaxDiskUtilization.Get(opts.Conf), LeastGood: known.NodeManagerMinHealthyDisks.Get(opts.Conf),
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, disks.Close()) }() // last: until then containers may write
	cfg.Localizer = container.NewCache(disks)
	cfg.Containers = container.NewDirectories(disks, known.NodeManagerEnvWhitelist.Get(opts.Conf), os.LookupEnv)
	cfg.Logs = container.NewLogs(disks)
	cfg.Machine = container.Machine{Volumes: disks}
	outputs, err := opts.shuffleOutputs()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, outputs.Close()) }() // after the containers have ended
	if outputs != nil {                                        // a nil pointer is no nil interface
		cfg.ShuffleOutputs = outputs
	}
	// Closed after the daemon: the Starter ends the containers that the endpoint has left.
	starter := process.NewStarter()
	defer starter.Close()
	d, err := newDaemon(opts.Options, containerLauncher{starter}.start)
	if err != nil {
		return err
	}
	d.yarn = true
	defer func() { err = errors.Join(err, d.close()) }()
	pages, err := d.bindWebapp("NodeManager", known.NodeManagerWebapp)
	if err != nil {
		return err
	}
	cfg.HTTPPort = web.Port(pages)
	if err := d.listen(func(env rpcenv.Config) (*Node, error) {
		env.Conf = samePort(env.Conf) // the port is half of the node's id
		return NodeManager(d.process.Host, env, cfg)
	}); err != nil {
		return err
	}
	d.serve(pages, hadoop.NodeManagerPages(d.site(), opts.LogDirs))
	d.vitals = vitalsOf(d, &yarn.RequestNodeManagerState{}, nodeManagerVitals)
	var seek []rpcenv.Address
	if !cfg.Membership {
		seek = []rpcenv.Address{cfg.ResourceManager}
	}
	if err := d.join(ctx, false, seek...); err != nil {
		return d.because(err)
	}
	if err := d.ready(); err != nil {
		return err
	}
	if err := d.wait(ctx); err != nil {
		return err
	}
	// ctx has ended. The containers get a SIGTERM and some time before the deferred calls kill the rest.
	ending, cancel := context.WithTimeout(context.Background(), shutdownTime)
	defer cancel()
	b := d.node.Env.Blocking(ending)
	defer b.Close()
	if _, err := rpcenv.AskWait(b, d.node.Ref, nodemanager.Shutdown{}); err != nil {
		opts.Log.Warnf("not all containers have ended by themselves: %v", err)
	}
	return nil
}

// shuffleOutputs are what the node's shuffle service serves; nil without one.
func (o *NodeManagerOptions) shuffleOutputs() (*shuffleOutputs, error) {
	if !nodemanager.RunsShuffleService(o.Conf) {
		return nil, nil
	}
	return o.serveShuffle(o.LocalDirs)
}

// config fills in the settings' values.
func (o *NodeManagerOptions) config() (nodemanager.Config, error) {
	fill(&o.MemoryMB, int64(known.NodeManagerMemoryMB.Get(o.Conf)), nodeMemoryMB)
	fill(&o.VCores, known.NodeManagerVCores.Get(o.Conf), nodeVCores)
	if len(o.LocalDirs) == 0 {
		o.LocalDirs = known.NodeManagerLocalDirs.Get(o.Conf)
	}
	if len(o.LogDirs) == 0 {
		o.LogDirs = known.NodeManagerLogDirs.Get(o.Conf)
	}
	base := filepath.Join(os.TempDir(), "coherer-"+strconv.Itoa(os.Getuid()))
	if len(o.LocalDirs) == 0 {
		o.LocalDirs = []string{filepath.Join(base, "nm-local-dir")}
	}
	if len(o.LogDirs) == 0 {
		o.LogDirs = []string{filepath.Join(base, "userlogs")}
	}
	cfg := nodemanager.Config{ResourceManager: o.ResourceManager, Membership: o.Membership, MemoryMB: o.MemoryMB, VCores: o.VCores, Rack: o.Rack}
	if o.Membership {
		return cfg, cfg.Validate()
	}
	if text := rmproxy.ResourceManagerAddress.Get(o.Conf); cfg.ResourceManager.IsZero() && text != "" {
		var err error
		if cfg.ResourceManager, err = rpcenv.ParseAddress(text); err != nil {
			return cfg, fmt.Errorf("%s: %w", rmproxy.ResourceManagerAddress.Key(), err)
		}
	}
	return cfg, cfg.Validate()
}

// fill sets a number that is not given: to a setting's value, else to its default.
func fill[N int | int64](to *N, setting, otherwise N) {
	switch {
	case *to > 0:
	case setting > 0:
		*to = setting
	default:
		*to = otherwise
	}
}

// containerLauncher starts containers: a shell runs the script in the container's directory.
type containerLauncher struct{ starter *process.Starter }

func (l containerLauncher) start(cmd rpcenv.Command, onExit func(rpcenv.Exit)) (rpcenv.Process, error) {
	if cmd.Class != nodemanager.ContainerClass {
		return nil, fmt.Errorf("this NodeManager cannot start class %q: it starts %s", cmd.Class, nodemanager.ContainerClass)
	}
	return l.starter.Start(process.Spec{Path: shell, Args: []string{filepath.Join(cmd.Dir, launch.ScriptFile)}, Dir: cmd.Dir}, onExit)
}
