package main

import (
	"fmt"

	"github.com/spf13/pflag"

	"github.com/coherer/coherer/actors/master"
	"github.com/coherer/coherer/actors/submit"
	"github.com/coherer/coherer/cluster/runner"
	"github.com/coherer/coherer/rpcenv/conf"
)

// yarnFlags are those of a run on YARN.
type yarnFlags struct {
	nodes, cores int
	memory, mode string
}

// yarnFlagNames mean nothing without --yarn, standaloneFlagNames nothing with it.
var (
	yarnFlagNames       = []string{"nodes", "node-cores", "node-memory", "deploy-mode"}
	standaloneFlagNames = []string{"workers", "worker-cores", "worker-memory", "total-executor-cores"}
)

func (y *yarnFlags) flags(f *pflag.FlagSet) {
	f.IntVar(&y.nodes, "nodes", 3, "with --yarn: how many NodeManagers")
	f.IntVar(&y.cores, "node-cores", 8, "virtual cores of each")
	f.StringVar(&y.memory, "node-memory", "8g", "memory of each")
	f.StringVar(&y.mode, "deploy-mode", "cluster", "with --yarn: where the driver runs: cluster, in the application master, or client, here")
}

// unused returns an error when one of the flags was given without --yarn.
func (y *yarnFlags) unused(f *pflag.FlagSet) error {
	for _, name := range yarnFlagNames {
		if f.Changed(name) {
			return fmt.Errorf("--%s is for a cluster of YARN: add --yarn", name)
		}
	}
	return nil
}

// cluster is the cluster that the flags ask for.
func (y *yarnFlags) cluster(f *pflag.FlagSet, a application, args []string) (*runner.YARN, error) {
	for _, name := range standaloneFlagNames {
		if f.Changed(name) {
			return nil, fmt.Errorf("--%s is for a cluster of Workers: leave it out with --yarn", name)
		}
	}
	if y.nodes < 1 {
		return nil, fmt.Errorf("--nodes %d: want at least one NodeManager", y.nodes)
	}
	if err := checkCores("--node-cores", y.cores, 1); err != nil {
		return nil, err
	}
	out := &runner.YARN{Nodes: y.nodes, NodeCores: y.cores, Class: a.name, Args: a.args, BuiltIn: programs()[args[0]] != nil}
	var err error
	if out.NodeMemoryMB, err = conf.ParseMemoryMB(y.memory); err != nil {
		return nil, fmt.Errorf("--node-memory: %w", err)
	}
	switch y.mode {
	case "cluster":
		out.Mode = submit.Cluster
	case "client":
		out.Mode = submit.Client
	default:
		return nil, fmt.Errorf("--deploy-mode %s: want cluster or client", y.mode)
	}
	return out, nil
}

// fitsNode returns an error when a container of the application fits no node, or a task no executor: it would wait for ever.
func fitsNode(c *conf.Conf, y *runner.YARN) error {
	for _, x := range []struct {
		what string
		size submit.Container
	}{{"the application master", submit.AMContainer(c, y.Mode)}, {"an executor", submit.ExecutorContainer(c, false)}} {
		if size := x.size; size.MemoryMB() > int64(y.NodeMemoryMB) || size.Cores > y.NodeCores {
			return fmt.Errorf("%s wants %d MiB, %d of them beside its memory, and %s, and a node has %d MiB and %s: raise --node-memory and --node-cores, or ask for less",
				x.what, size.MemoryMB(), size.OverheadMB, master.Cores(size.Cores), y.NodeMemoryMB, master.Cores(y.NodeCores))
		}
	}
	return submit.CheckTasks(c, submit.YARN)
}
