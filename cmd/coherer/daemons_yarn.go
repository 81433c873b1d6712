package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/coherer/coherer/actors/hadoop/rmproxy"
	"github.com/coherer/coherer/cluster/node"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
)

// onYARN are the options of a daemon of YARN.
func (d *daemonOptions) onYARN(role string) (node.Options, error) {
	all, err := d.read()
	if err != nil {
		return node.Options{}, err
	}
	site, err := hadoopSettings(variables(), role)
	if err != nil {
		return node.Options{}, err
	}
	// Last, and only what is missing: yarn-site.xml is the cluster's, --conf and --properties-file are this daemon's.
	all.SetMissing(site...)
	return d.options(role, 0, all)
}

type resourceManagerOptions struct{ daemonOptions }

func resourceManagerCommand(s streams) *cobra.Command {
	return newCommand(s, &resourceManagerOptions{}, &cobra.Command{
		Use: "resourcemanager", GroupID: "daemons", Short: "Run a ResourceManager of YARN",
		Long: "Run a ResourceManager until SIGTERM or Ctrl-C. It listens at one port, Hadoop's for clients, for NodeManagers and\n" +
			"application masters too: --host and --port, else yarn.resourcemanager.address. Its pages and its REST server are at\n" +
			"yarn.resourcemanager.webapp.address, port 8088 unless it is set. Settings are those of --conf and --properties-file, and of\n" +
			"yarn-site.xml in YARN_CONF_DIR or HADOOP_CONF_DIR.",
		Example: "  coherer resourcemanager\n  coherer resourcemanager --port 0 --conf yarn.scheduler.minimum-allocation-mb=512",
		Args:    arguments(0, 0),
	})
}

func (o *resourceManagerOptions) flags(f *pflag.FlagSet) {
	o.common(f, rmproxy.ResourceManagerPort, "", "")
}

func (o *resourceManagerOptions) run(ctx context.Context, _ streams, _ []string) error {
	opts, err := o.onYARN(resourceManager)
	if err == nil {
		opts.Listen, err = o.listenAt(opts)
	}
	if err != nil {
		return usage(err)
	}
	return node.RunResourceManager(ctx, opts)
}

// listenAt is the address of a ResourceManager: that of the flags if one was given, else that of its settings.
func (o *resourceManagerOptions) listenAt(opts node.Options) (rpcenv.Address, error) {
	if _, set := rmproxy.ResourceManagerAddress.Find(opts.Conf); !set || o.given.Changed("host") || o.given.Changed("port") {
		return opts.Listen, nil
	}
	return rmproxy.Address(opts.Conf)
}

type nodeManagerOptions struct {
	daemonOptions
	memory, rack       string
	cores              int
	localDirs, logDirs []string
}

func nodeManagerCommand(s streams) *cobra.Command {
	return newCommand(s, &nodeManagerOptions{}, &cobra.Command{
		Use: "nodemanager [yarn://HOST:PORT | gossip://HOST:PORT]", GroupID: "daemons", Short: "Run a NodeManager of YARN",
		Long: "Run a NodeManager until SIGTERM or Ctrl-C, with the containers that it started. yarn://HOST:PORT is its ResourceManager, else\n" +
			"yarn.resourcemanager.address. With gossip://HOST:PORT of any member, or with --join and no address of a ResourceManager, it is\n" +
			"whichever the members know, also one that comes later or is started again elsewhere. What a flag does not say, settings\n" +
			"yarn.nodemanager.* do: those of --conf and --properties-file, and of yarn-site.xml in YARN_CONF_DIR or HADOOP_CONF_DIR. Its\n" +
			"pages and the logs of containers are at yarn.nodemanager.webapp.address, port 8042 unless it is set.\n\n" +
			"With --conf yarn.nodemanager.aux-services=spark_shuffle it serves the map outputs of executors at spark.shuffle.service.port,\n" +
			"7337 unless it is set, to applications with spark.shuffle.service.enabled=true: executors that end take no map outputs with them.",
		Example: "  coherer nodemanager yarn://127.0.0.1:8032\n  coherer nodemanager yarn://127.0.0.1:8032 --memory 4g --cores 2 --local-dirs /tmp/nm1 --log-dirs /tmp/nm1-logs\n" +
			"  coherer nodemanager gossip://127.0.0.1:7946",
		Args: arguments(0, 1),
	})
}

func (o *nodeManagerOptions) flags(f *pflag.FlagSet) {
	o.common(f, 0, "", "")
	f.IntVar(&o.cores, "cores", 0, "virtual cores to offer; 0: as yarn.nodemanager.resource.cpu-vcores says, else 8")
	f.StringVar(&o.memory, "memory", "", "memory to offer, such as 4g; else as yarn.nodemanager.resource.memory-mb says, else 8g")
	f.StringVar(&o.rack, "rack", "", "the node's `RACK`; else /default-rack")
	f.StringSliceVar(&o.localDirs, "local-dirs", nil, "`DIRECTORIES` of containers and their resources; else as yarn.nodemanager.local-dirs says")
	f.StringSliceVar(&o.logDirs, "log-dirs", nil, "`DIRECTORIES` of the output of containers; else as yarn.nodemanager.log-dirs says")
}

func (o *nodeManagerOptions) run(ctx context.Context, _ streams, args []string) error {
	opts, err := o.nodeManager(args)
	if err != nil {
		return usage(err)
	}
	return node.RunNodeManager(ctx, opts)
}

// nodeManager is the NodeManager that the options describe.
func (o *nodeManagerOptions) nodeManager(args []string) (opts node.NodeManagerOptions, err error) {
	args, byGossip := o.joinURL(args)
	if opts.Options, err = o.onYARN(nodeManager); err != nil {
		return opts, err
	}
	opts.VCores, opts.Rack = o.cores, o.rack
	if opts.LocalDirs, err = conf.ParsePaths(strings.Join(o.localDirs, ",")); err != nil {
		return opts, fmt.Errorf("--local-dirs: %w", err)
	}
	if opts.LogDirs, err = conf.ParsePaths(strings.Join(o.logDirs, ",")); err != nil {
		return opts, fmt.Errorf("--log-dirs: %w", err)
	}
	_, set := rmproxy.ResourceManagerAddress.Find(opts.Conf)
	switch {
	case byGossip && len(opts.Join) == 0:
		err = errNoGossipAddress
	case len(args) == 1:
		opts.ResourceManager, err = rpcenv.ParseYARNURL(args[0])
	case byGossip, o.join != "" && !set:
		opts.Membership = true
	default:
		opts.ResourceManager, err = rmproxy.Address(opts.Conf)
	}
	if err != nil {
		return opts, err
	}
	if err := checkCores("--cores", o.cores, 0); err != nil { // 0 leaves it to the settings
		return opts, err
	}
	if o.memory == "" {
		return opts, nil
	}
	mb, err := conf.ParseMemoryMB(o.memory)
	if err != nil {
		return opts, fmt.Errorf("--memory: %w", err)
	}
	opts.MemoryMB = int64(mb)
	return opts, nil
}
