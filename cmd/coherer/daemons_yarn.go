package main

import (
	"fmt"
	"strings"

	"github.com/sirupsen/logrus"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/coherer/coherer/cluster/app"
	"github.com/coherer/coherer/cluster/node"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
)

// yarnOptions are those of a daemon of YARN: --conf and --properties-file win over yarn-site.xml.
func (d *daemonFlags) yarnOptions(role string) (node.Options, error) {
	log := app.NewLog(logrus.InfoLevel)
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
	c, err := all.Conf()
	if err != nil {
		return node.Options{}, err
	}
	for _, w := range c.Warnings() {
		log.Warn(w)
	}
	if err := d.check(); err != nil {
		return node.Options{}, err
	}
	gossip := 0
	if p, set := conf.GossipPort.Find(c); set {
		gossip = p
	}
	return node.Options{
		Role: role, Listen: rpcenv.Address{Host: d.host, Port: d.port}, Conf: c, Log: log, ReadyFD: d.readyFD, Debug: d.debug,
		Gossip: rpcenv.Address{Host: d.host, Port: gossip},
	}, nil
}

func resourceManagerCommand() *cobra.Command {
	var d daemonFlags
	cmd := &cobra.Command{
		Use: "resourcemanager", GroupID: "daemons", Short: "Run a ResourceManager of YARN",
		Long: "Run a ResourceManager until SIGTERM or Ctrl-C. It listens at one port, Hadoop's for clients, for NodeManagers and\n" +
			"application masters too: --host and --port, else yarn.resourcemanager.address. Its pages and its REST server are at\n" +
			"yarn.resourcemanager.webapp.address, port 8088 unless it is set. Settings are those of --conf and --properties-file, and of\n" +
			"yarn-site.xml in YARN_CONF_DIR or HADOOP_CONF_DIR.",
		Example: "  coherer resourcemanager\n  coherer resourcemanager --port 0 --conf yarn.scheduler.minimum-allocation-mb=512",
		Args:    arguments(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			opts, err := d.yarnOptions(resourceManager)
			if err != nil {
				return usage(cmd, err)
			}
			if opts.Listen, err = listenAt(cmd.Flags(), opts); err != nil {
				return usage(cmd, err)
			}
			return node.RunResourceManager(cmd.Context(), opts)
		},
	}
	d.withoutPages(cmd.Flags(), conf.ResourceManagerPort)
	return cmd
}

// listenAt is the address of a ResourceManager: that of the flags if one was given, else that of its settings.
func listenAt(f *pflag.FlagSet, opts node.Options) (rpcenv.Address, error) {
	if _, set := conf.ResourceManagerAddress.Find(opts.Conf); !set || f.Changed("host") || f.Changed("port") {
		return opts.Listen, nil
	}
	return app.ResourceManager(opts.Conf)
}

func nodeManagerCommand() *cobra.Command {
	var d daemonFlags
	var memory, rack string
	var cores int
	var localDirs, logDirs []string
	cmd := &cobra.Command{
		Use: "nodemanager [yarn://HOST:PORT]", GroupID: "daemons", Short: "Run a NodeManager of YARN",
		Long: "Run a NodeManager until SIGTERM or Ctrl-C, with the containers that it started. yarn://HOST:PORT is its ResourceManager, else\n" +
			"yarn.resourcemanager.address. What a flag does not say, settings yarn.nodemanager.* do: those of --conf and\n" +
			"--properties-file, and of yarn-site.xml in YARN_CONF_DIR or HADOOP_CONF_DIR. Its pages and the logs of containers are at\n" +
			"yarn.nodemanager.webapp.address, port 8042 unless it is set.",
		Example: "  coherer nodemanager yarn://127.0.0.1:8032\n  coherer nodemanager yarn://127.0.0.1:8032 --memory 4g --cores 2 --local-dirs /tmp/nm1 --log-dirs /tmp/nm1-logs",
		Args:    arguments(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			own, err := d.yarnOptions(nodeManager)
			if err != nil {
				return usage(cmd, err)
			}
			opts := node.NodeManagerOptions{Options: own, VCores: cores, Rack: rack}
			if opts.LocalDirs, err = conf.ParsePaths(strings.Join(localDirs, ",")); err != nil {
				return usage(cmd, fmt.Errorf("--local-dirs: %w", err))
			}
			if opts.LogDirs, err = conf.ParsePaths(strings.Join(logDirs, ",")); err != nil {
				return usage(cmd, fmt.Errorf("--log-dirs: %w", err))
			}
			if len(args) == 1 {
				if opts.ResourceManager, err = rpcenv.ParseYARNURL(args[0]); err != nil {
					return usage(cmd, err)
				}
			} else if opts.ResourceManager, err = app.ResourceManager(own.Conf); err != nil {
				return usage(cmd, err)
			}
			if err := checkCores("--cores", cores, 0); err != nil { // 0 leaves it to the settings
				return usage(cmd, err)
			}
			if memory != "" {
				mb, err := conf.ParseMemoryMB(memory)
				if err != nil {
					return usage(cmd, fmt.Errorf("--memory: %w", err))
				}
				opts.MemoryMB = int64(mb)
			}
			return node.RunNodeManager(cmd.Context(), opts)
		},
	}
	f := cmd.Flags()
	d.withoutPages(f, 0)
	f.IntVar(&cores, "cores", 0, "virtual cores to offer; 0: as yarn.nodemanager.resource.cpu-vcores says, else 8")
	f.StringVar(&memory, "memory", "", "memory to offer, such as 4g; else as yarn.nodemanager.resource.memory-mb says, else 8g")
	f.StringVar(&rack, "rack", "", "the node's `RACK`; else /default-rack")
	f.StringSliceVar(&localDirs, "local-dirs", nil, "`DIRECTORIES` of containers and their resources; else as yarn.nodemanager.local-dirs says")
	f.StringSliceVar(&logDirs, "log-dirs", nil, "`DIRECTORIES` of the output of containers; else as yarn.nodemanager.log-dirs says")
	return cmd
}
