package main

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/coherer/coherer/actors/master"
	"github.com/coherer/coherer/actors/submit"
	"github.com/coherer/coherer/cluster/known"
	"github.com/coherer/coherer/cluster/runner"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
)

type runOptions struct {
	settings
	name, executorMemory string
	executorCores, total int
	workers, cores       int
	memory, debug        string
	sparkEnv, keep       bool
	yarn                 yarnOptions
	given                *pflag.FlagSet
}

func runCommand(s streams) *cobra.Command {
	return newCommand(s, &runOptions{}, &cobra.Command{
		Use: "run [flags] APP [ARG...]", GroupID: "run", Short: "Run an application on a cluster of its own and show its messages",
		Long: "Start a Master and Workers as processes on this machine, run an application on them, and take everything down.\n" +
			"With --yarn it is a ResourceManager and NodeManagers, and the driver is in the application master.\n" +
			"APP is wordcount, pi or sleep; or, with a path separator, a Go program or a folder with a main package.\n" +
			"The run directory has the trace and the diagrams; SPARK_* variables and spark-defaults.conf are ignored without --spark-env.",
		Example: "  coherer run wordcount README.md\n  coherer run --workers 3 sleep --tasks 6 --task-time 200ms\n  coherer run --yarn --nodes 3 wordcount README.md\n  coherer run ./examples/wordcount README.md",
		Args:    wantsApp,
	})
}

func (o *runOptions) flags(f *pflag.FlagSet) {
	o.given = f
	o.settings.flags(f)
	o.yarn.flags(f)
	f.StringVar(&o.name, "name", "", optionDoc("--name"))
	f.StringVar(&o.executorMemory, "executor-memory", "", optionDoc("--executor-memory"))
	f.IntVar(&o.executorCores, "executor-cores", 0, optionDoc("--executor-cores"))
	f.IntVar(&o.total, "total-executor-cores", 0, optionDoc("--total-executor-cores"))
	f.IntVar(&o.workers, "workers", 2, "how many Workers")
	f.IntVar(&o.cores, "worker-cores", 1, "cores of each")
	f.StringVar(&o.memory, "worker-memory", "1g", "memory of each")
	f.BoolVar(&o.sparkEnv, "spark-env", false, "read spark-defaults.conf and Spark's variables of the environment, as submit does")
	f.StringVar(&o.debug, "debug-addr", "", "`HOST:0` for every process to serve /metrics and /debug/pprof at a free port; details.json names those of the daemons")
	f.BoolVar(&o.keep, "keep", false, "keep the run directory; of others the last 20 are kept, and a run says which one it removes")
	f.SetInterspersed(false) // flags behind APP are the application's
}

func (o *runOptions) run(ctx context.Context, s streams, args []string) error {
	if o.workers < 1 {
		return usage(fmt.Errorf("--workers %d: want at least one Worker", o.workers))
	}
	if err := checkCores("--worker-cores", o.cores, 1); err != nil {
		return usage(err)
	}
	memoryMB, err := conf.ParseMemoryMB(o.memory)
	if err != nil {
		return usage(fmt.Errorf("--worker-memory: %w", err))
	}
	application, err := findApplication(args)
	if err == nil {
		err = application.readable()
	}
	if err != nil {
		return usage(err)
	}
	all, err := o.read()
	if err != nil {
		return usage(err)
	}
	// Before the settings are parsed: what spark-submit refuses ends with its words and its exit code 1, not with ours and 2.
	if err := refuse(all, o.yarn.wanted); err != nil {
		return err
	}
	c, err := all.Conf(known.All())
	if err != nil {
		return usage(err)
	}
	s.warn(c.Warnings())
	values := all.Values()
	// All processes of the run get the same address, on one machine: with a fixed port only the first could serve.
	debug := cmp.Or(o.debug, values[rpcenv.DebugAddr.Key()])
	if debug != "" && !strings.HasSuffix(debug, ":0") {
		return usage(fmt.Errorf("--debug-addr %s: the processes of a run cannot share a port: want HOST:0; details.json says where each daemon serves", debug))
	}
	own := runner.Config{
		Name: called(values, application), Program: application.program, Main: application.main,
		Workers: o.workers, WorkerCores: o.cores, WorkerMemoryMB: memoryMB, Debug: debug, Conf: values, Keep: o.keep, Stdout: s.out, Stderr: s.err,
	}
	if o.sparkEnv {
		if own.ConfDir, err = sparkConfDir(); err != nil {
			return usage(err)
		}
	}
	// Checked before anything starts: an application that fits nowhere would wait for ever in a cluster of its own.
	if own.YARN, err = o.yarn.cluster(o.given, application, args); err == nil && own.YARN != nil {
		err = fitsNode(c, own.YARN)
	} else if err == nil {
		err = fits(c, memoryMB, o.cores)
	}
	if err != nil {
		return usage(err)
	}
	return runner.Run(ctx, own)
}

// read reads the settings; the flags win over all of them.
func (o *runOptions) read() (*conf.Settings, error) {
	var err error
	if o.sparkEnv {
		if o.environment, err = environmentOf("submit"); err != nil {
			return nil, err
		}
	}
	all, err := o.settings.read()
	if err != nil {
		return nil, err
	}
	for _, flag := range []string{"name", "executor-memory", "executor-cores", "total-executor-cores"} {
		if option, _ := submit.Find("--" + flag); o.given.Changed(flag) {
			all.Set(conf.Setting{Pair: conf.Pair{Key: option.Key, Value: o.given.Lookup(flag).Value.String()}, From: conf.Origin{Place: option.Name}})
		}
	}
	return all, nil
}

// called is the application's name: --name, spark.app.name, or its own.
func called(values map[string]string, a application) string {
	if name := values[submit.AppName.Key()]; name != "" {
		return name
	}
	return a.name
}

// refuse returns spark-submit's error about the settings, with its exit code 1, else an error of usage about what a run cannot do.
func refuse(all *conf.Settings, onYARN bool) error {
	get := func(option string) (conf.Setting, bool) {
		o, _ := submit.Find(option)
		return all.Get(o.Key)
	}
	dynamic, _ := all.Get(submit.DynamicAllocation.Key())
	// Without usage: the exit code is spark-submit's.
	if err := submit.CheckAmounts(get, strings.EqualFold(dynamic.Value, "true")); err != nil {
		return err
	}
	manager := submit.Standalone
	if onYARN {
		manager = submit.YARN
		for _, list := range [][2]string{
			{submit.Files.Key(), submit.YARNDistFiles.Key()}, {submit.Jars.Key(), submit.YARNDistJars.Key()}, {submit.Archives.Key(), submit.YARNDistArchives.Key()},
		} {
			// Also from a file: the application would miss what the settings promise it.
			if s, set := all.Get(list[0]); set {
				return usage(fmt.Errorf("%s %s: nothing acts on it in a run on YARN: set %s", s.From, list[0], list[1]))
			}
		}
	}
	return usage(submit.CheckUnread(get, manager, submit.Client|submit.Cluster))
}

// fits returns an error when no executor fits a Worker, or no task an executor: the application would wait for ever.
func fits(c *conf.Conf, memoryMB, cores int) error {
	if wants := submit.ExecutorMemory.Get(c); wants > int64(memoryMB) {
		return fmt.Errorf("an executor wants %d MiB (spark.executor.memory) and a Worker has %d: raise --worker-memory or lower --executor-memory", wants, memoryMB)
	}
	wants, set := submit.ExecutorCores.Find(c)
	if set && wants > cores {
		return fmt.Errorf("an executor wants %s (spark.executor.cores) and a Worker has %d: raise --worker-cores or lower --executor-cores", master.Cores(wants), cores)
	}
	// Without spark.executor.cores an executor has all cores of its Worker; with it CheckTasks compares.
	if cpus := submit.TaskCPUs.Get(c); !set && cpus > cores {
		return fmt.Errorf("a task wants %s (spark.task.cpus) and a Worker has %d: raise --worker-cores or lower spark.task.cpus", master.Cores(cpus), cores)
	}
	return submit.CheckTasks(c, submit.Standalone)
}
