package main

import (
	"errors"
	"fmt"

	"github.com/spf13/pflag"

	"github.com/coherer/coherer/actors/master"
	"github.com/coherer/coherer/actors/submit"
	"github.com/coherer/coherer/cluster/runner"
	"github.com/coherer/coherer/rpcenv/conf"
)

// yarnOptions are those of a run on YARN.
type yarnOptions struct {
	wanted       bool
	nodes, cores int
	memory, mode string
}

func (y *yarnOptions) flags(f *pflag.FlagSet) {
	f.BoolVar(&y.wanted, "yarn", false, "a ResourceManager and NodeManagers, instead of a Master and Workers")
	f.IntVar(&y.nodes, "nodes", 3, "with --yarn: how many NodeManagers")
	f.IntVar(&y.cores, "node-cores", 8, "virtual cores of each")
	f.StringVar(&y.memory, "node-memory", "8g", "memory of each")
	f.StringVar(&y.mode, "deploy-mode", "cluster", "with --yarn: where the driver runs: cluster, in the application master, or client, here")
}

// cluster is the cluster that the flags ask for, nil without --yarn. Flags of the other kind of cluster are an error.
func (y *yarnOptions) cluster(given *pflag.FlagSet, a application, args []string) (*runner.YARN, error) {
	others, advice := []string{"workers", "worker-cores", "worker-memory", "total-executor-cores"}, "for a cluster of Workers: leave it out with --yarn"
	if !y.wanted {
		others, advice = []string{"nodes", "node-cores", "node-memory", "deploy-mode"}, "for a cluster of YARN: add --yarn"
	}
	for _, name := range others {
		if given.Changed(name) {
			return nil, fmt.Errorf("--%s is %s", name, advice)
		}
	}
	if !y.wanted {
		return nil, nil
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

// fitsNode returns an error when a container of the application fits no node, or a task no executor: it would wait for ever; and
// when a file of it is missing.
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
	return errors.Join(submit.CheckTasks(c, submit.YARN), staged(c))
}
