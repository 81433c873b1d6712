package main

import (
	"cmp"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/coherer/coherer/actors/master"
	"github.com/coherer/coherer/actors/submit"
	"github.com/coherer/coherer/cluster/runner"
	"github.com/coherer/coherer/rpcenv/conf"
)

// appFlags are those of spark-submit that say what an application wants.
type appFlags struct {
	settings
	name, executorMemory string
	executorCores, total int
}

func (a *appFlags) flags(f *pflag.FlagSet) {
	a.settings.flags(f)
	f.StringVar(&a.name, "name", "", optionDoc("--name"))
	f.StringVar(&a.executorMemory, "executor-memory", "", optionDoc("--executor-memory"))
	f.IntVar(&a.executorCores, "executor-cores", 0, optionDoc("--executor-cores"))
	f.IntVar(&a.total, "total-executor-cores", 0, optionDoc("--total-executor-cores"))
	f.SetInterspersed(false) // flags behind APP are the application's
}

// read reads the settings; the flags win over all of them.
func (a *appFlags) read(f *pflag.FlagSet) (*conf.Settings, error) {
	all, err := a.settings.read()
	if err != nil {
		return nil, err
	}
	for _, flag := range []string{"name", "executor-memory", "executor-cores", "total-executor-cores"} {
		if o, _ := submit.Find("--" + flag); f.Changed(flag) {
			all.Set(conf.Setting{Pair: conf.Pair{Key: o.Key, Value: f.Lookup(flag).Value.String()}, From: conf.Origin{Place: o.Name}})
		}
	}
	return all, nil
}

// called is the application's name: --name, spark.app.name, or its own.
func called(values map[string]string, a application) string {
	if name := values[conf.AppName.Key()]; name != "" {
		return name
	}
	return a.name
}

func runCommand() *cobra.Command {
	var a appFlags
	var workers, cores int
	var memory, debug string
	var sparks, onYARN, keep bool
	var y yarnFlags
	cmd := &cobra.Command{
		Use: "run [flags] APP [ARG...]", GroupID: "run", Short: "Run an application on a cluster of its own and show its messages",
		Long: "Start a Master and Workers as processes on this machine, run an application on them, and take everything down.\n" +
			"With --yarn it is a ResourceManager and NodeManagers, and the driver is in the application master.\n" +
			"APP is wordcount, pi or sleep; or, with a path separator, a Go program or a folder with a main package.\n" +
			"The run directory has the trace and the diagrams; SPARK_* variables and spark-defaults.conf are ignored without --spark-env.",
		Example: "  coherer run wordcount README.md\n  coherer run --workers 3 sleep --tasks 6 --task-time 200ms\n  coherer run --yarn --nodes 3 wordcount README.md\n  coherer run ./examples/wordcount README.md",
		Args:    usages(wantsApp),
		RunE: func(cmd *cobra.Command, args []string) error {
			if workers < 1 {
				return usage(cmd, fmt.Errorf("--workers %d: want at least one Worker", workers))
			}
			if err := checkCores("--worker-cores", cores, 1); err != nil {
				return usage(cmd, err)
			}
			memoryMB, err := conf.ParseMemoryMB(memory)
			if err != nil {
				return usage(cmd, fmt.Errorf("--worker-memory: %w", err))
			}
			application, err := findApplication(args)
			if err == nil {
				err = application.readable()
			}
			if err != nil {
				return usage(cmd, err)
			}
			if sparks {
				if a.environment, err = environmentOf("submit"); err != nil {
					return usage(cmd, err)
				}
			}
			all, err := a.read(cmd.Flags())
			if err != nil {
				return usage(cmd, err)
			}
			// Before the settings are parsed: what spark-submit refuses ends with its words and its exit code 1, not with ours and 2.
			if err := refuse(cmd, all, onYARN); err != nil {
				return err
			}
			c, err := all.Conf()
			if err != nil {
				return usage(cmd, err)
			}
			warn(c.Warnings())
			values := all.Values()
			// All processes of the run get the same address, on one machine: with a fixed port only the first could serve.
			if debug = cmp.Or(debug, values[conf.DebugAddr.Key()]); debug != "" && !strings.HasSuffix(debug, ":0") {
				return usage(cmd, fmt.Errorf("--debug-addr %s: the processes of a run cannot share a port: want HOST:0; details.json says where each daemon serves", debug))
			}
			own := runner.Config{
				Name: called(values, application), Program: application.program, Main: application.main,
				Workers: workers, WorkerCores: cores, WorkerMemoryMB: memoryMB, Debug: debug, Conf: values, Keep: keep, Stdout: os.Stdout, Stderr: os.Stderr,
			}
			// Checked before anything starts: an application that fits nowhere would wait for ever in a cluster of its own.
			if !onYARN {
				if err := y.unused(cmd.Flags()); err != nil {
					return usage(cmd, err)
				}
				if err := fits(c, memoryMB, cores); err != nil {
					return usage(cmd, err)
				}
				return runner.Run(cmd.Context(), own)
			}
			if own.YARN, err = y.cluster(cmd.Flags(), application, args); err != nil {
				return usage(cmd, err)
			}
			if err := fitsNode(c, own.YARN); err != nil {
				return usage(cmd, err)
			}
			return runner.Run(cmd.Context(), own)
		},
	}
	f := cmd.Flags()
	f.IntVar(&workers, "workers", 2, "how many Workers")
	f.IntVar(&cores, "worker-cores", 1, "cores of each")
	f.StringVar(&memory, "worker-memory", "1g", "memory of each")
	f.BoolVar(&sparks, "spark-env", false, "read spark-defaults.conf and Spark's variables of the environment, as submit does")
	f.StringVar(&debug, "debug-addr", "", "`HOST:0` for every process to serve /metrics and /debug/pprof at a free port; details.json names those of the daemons")
	f.BoolVar(&keep, "keep", false, "keep the run directory; of others the last 20 are kept, and a run says which one it removes")
	f.BoolVar(&onYARN, "yarn", false, "a ResourceManager and NodeManagers, instead of a Master and Workers")
	y.flags(f)
	a.flags(f)
	return cmd
}

// refuse returns spark-submit's error about the settings, with its exit code 1, else an error of usage about what a run cannot do.
func refuse(cmd *cobra.Command, all *conf.Settings, onYARN bool) error {
	get := func(option string) (conf.Setting, bool) {
		o, _ := submit.Find(option)
		return all.Get(o.Key)
	}
	dynamic, _ := all.Get(conf.DynamicAllocation.Key())
	// Without usage: the exit code is spark-submit's.
	if err := submit.CheckAmounts(get, strings.EqualFold(dynamic.Value, "true")); err != nil {
		return err
	}
	manager := submit.Standalone
	if onYARN {
		manager = submit.YARN
		for _, list := range [][2]string{
			{conf.Files.Key(), conf.YARNDistFiles.Key()}, {conf.Jars.Key(), conf.YARNDistJars.Key()}, {conf.Archives.Key(), conf.YARNDistArchives.Key()},
		} {
			if s, set := all.Get(list[0]); set && s.From.Place == "--conf" {
				return usage(cmd, fmt.Errorf("--conf %s: nothing acts on it in a run on YARN: set %s", list[0], list[1]))
			}
		}
	}
	return usage(cmd, submit.CheckUnread(get, manager, submit.Client|submit.Cluster))
}

// fits returns an error when no executor fits a Worker, or no task an executor: the application would wait for ever.
func fits(c *conf.Conf, memoryMB, cores int) error {
	if wants := conf.ExecutorMemory.Get(c); wants > int64(memoryMB) {
		return fmt.Errorf("an executor wants %d MiB (spark.executor.memory) and a Worker has %d: raise --worker-memory or lower --executor-memory", wants, memoryMB)
	}
	wants, set := conf.ExecutorCores.Find(c)
	if set && wants > cores {
		return fmt.Errorf("an executor wants %s (spark.executor.cores) and a Worker has %d: raise --worker-cores or lower --executor-cores", master.Cores(wants), cores)
	}
	// Without spark.executor.cores an executor has all cores of its Worker; with it CheckTasks compares.
	if cpus := conf.TaskCPUs.Get(c); !set && cpus > cores {
		return fmt.Errorf("a task wants %s (spark.task.cpus) and a Worker has %d: raise --worker-cores or lower spark.task.cpus", master.Cores(cpus), cores)
	}
	return submit.CheckTasks(c, submit.Standalone)
}
