package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/coherer/coherer/actors/submit"
	"github.com/coherer/coherer/cluster/app"
	"github.com/coherer/coherer/cluster/known"
	"github.com/coherer/coherer/cluster/runner"
	"github.com/coherer/coherer/rpcenv/conf"
	"github.com/coherer/coherer/rpcenv/program"
)

// submitOptions leaves the command line to spark-submit's rules, which are not those of flags.
type submitOptions struct{ help, usage func() error }

func submitCommand(s streams) *cobra.Command {
	o := &submitOptions{}
	cmd := newCommand(s, o, &cobra.Command{
		Use: "submit --master URL [options] APP [ARG...]", GroupID: "run", Short: "Run an application on a cluster that runs already",
		Long: "Run an application on a cluster, with the options and the rules of spark-submit. In client mode the driver runs here,\n" +
			"and APP is as for run. In cluster mode it runs on a Worker of the standalone cluster, and APP is a path that every\n" +
			"Worker sees or an http(s) address: nothing is copied.\n\n" +
			"With --master yarn the ResourceManager is that of yarn-site.xml in YARN_CONF_DIR or HADOOP_CONF_DIR, or of --conf\n" +
			"spark.hadoop.yarn.resourcemanager.address=HOST:PORT, for which --master yarn://HOST:PORT is short. APP is as for run, its\n" +
			"program is copied to the cluster; in cluster mode the driver runs in the application master. --kill and --status then\n" +
			"want an id such as application_1767225600000_0001.\n\n" +
			"Without --master it is local[*]: driver and executor in one process, with a core for each of this machine's. local[N,F] has N\n" +
			"cores and lets a task fail F times; local-cluster[WORKERS,CORES,MEMORY] starts a cluster of its own, as run does.\n\n" +
			"An option wins over --conf, that over properties files, these over spark-defaults.conf in SPARK_CONF_DIR or\n" +
			"SPARK_HOME/conf, and that over the variables MASTER, DEPLOY_MODE, SPARK_DRIVER_MEMORY, SPARK_EXECUTOR_MEMORY and\n" +
			"SPARK_EXECUTOR_CORES. --dry-run shows the result of all that, also for jars, Python, R and Kubernetes.",
		Example: "  coherer submit --master spark://127.0.0.1:7077 pi 8\n" +
			"  coherer submit --master 'local[4]' wordcount README.md\n" +
			"  coherer submit --master spark://127.0.0.1:7077 --deploy-mode cluster --supervise /shared/bin/prog 1\n" +
			"  coherer submit --master spark://127.0.0.1:7077 --status driver-20261128083340-0000\n" +
			"  coherer submit --master yarn://127.0.0.1:8032 --deploy-mode cluster pi 8\n" +
			"  HADOOP_CONF_DIR=/etc/hadoop coherer submit --dry-run --master yarn --deploy-mode cluster --class org.Main --jars a.jar,b.jar app.jar 10",
		DisableFlagParsing: true,
	})
	o.help, o.usage = cmd.Help, func() error {
		cmd.SetOut(s.err) // as spark-submit: the usage is part of an error
		return cmd.Usage()
	}
	return cmd
}

// flags are for the help alone.
func (o *submitOptions) flags(f *pflag.FlagSet) {
	f.SortFlags = false
	for _, o := range submit.Options() {
		name, short := strings.TrimPrefix(o.Name, "--"), strings.TrimPrefix(o.Short, "-")
		if o.Value == "" {
			f.BoolP(name, short, false, optionDoc(o.Name))
			continue
		}
		f.VarP(helpValue(o.Value), name, short, optionDoc(o.Name))
	}
}

// helpValue is the value of an option in the help, by the name that the option gives it.
type helpValue string

func (helpValue) String() string   { return "" }
func (helpValue) Set(string) error { return nil }
func (v helpValue) Type() string   { return string(v) }

// optionDoc is what an option of spark-submit does.
func optionDoc(name string) string {
	o, _ := submit.Find(name)
	return o.Doc
}

// submission is a command line with all that was read and decided for it.
type submission struct {
	args     *submit.Arguments
	in       submit.Input
	decision *submit.Decision
}

func (o *submitOptions) run(ctx context.Context, s streams, args []string) error {
	line, err := submit.Parse(args)
	if err != nil {
		return usage(err)
	}
	switch line.Action {
	case submit.Help:
		return o.help()
	case submit.Usage:
		if len(args) > 0 {
			err = o.usage()
		}
		return usage(errors.Join(err, wantsApp(nil, nil)))
	case submit.PrintVersion:
		return (&versionOptions{}).run(ctx, s, nil)
	}
	if err := masterByGossip(ctx, line); err != nil {
		return err
	}
	in, err := submitInput(line)
	if err != nil {
		return usage(err)
	}
	a, err := submit.Resolve(line, in)
	if err != nil {
		if line.Action == submit.Submit && line.Resource == "" {
			err = errors.Join(err, wantsApp(nil, nil))
		}
		return err // with exit code 1, as spark-submit
	}
	if line.Action == submit.Kill || line.Action == submit.RequestStatus {
		s.warn(a.Warnings)
		if _, err := a.Settings.Conf(known.All()); err != nil {
			return usage(err)
		}
		if a.Master() == "yarn" {
			return aboutYARN(ctx, s, a)
		}
		return aboutDriver(ctx, s, a)
	}
	d, err := submit.Decide(a, in)
	if err != nil {
		return err
	}
	s.warn(d.Warnings)
	// Before NotRun: a dry run also shows submissions that only Spark can run.
	if line.Has("--dry-run") {
		return showDecision(s, line, d)
	}
	if line.Has("--verbose") {
		if err := d.Write(s.err); err != nil {
			return err
		}
	}
	if d.NotRun != nil {
		return usage(d.NotRun)
	}
	c, err := d.Properties.Conf(known.All())
	if err != nil {
		return usage(err)
	}
	s.warn(c.Warnings())
	if d.Manager == submit.YARN {
		if err := staged(c); err != nil {
			return usage(err)
		}
	}
	sub := submission{a, in, d}
	if d.Mode == submit.Cluster && d.Manager == submit.YARN {
		return submitToYARN(ctx, s, sub)
	}
	if d.Mode == submit.Cluster {
		return inCluster(ctx, s, sub)
	}
	return submitHere(ctx, s, sub)
}

// showDecision prints what a submission would do.
func showDecision(s streams, line *submit.CommandLine, d *submit.Decision) error {
	if _, err := d.Properties.Conf(known.All()); err != nil {
		fmt.Fprintln(s.err, "Warning: the submission would fail:", err)
	}
	if form, _ := line.Value("--output"); form == "json" {
		return s.json(d.Plain())
	}
	return d.Write(s.out)
}

// submitHere runs the driver as a process of this machine: client mode.
func submitHere(ctx context.Context, s streams, sub submission) error {
	application, err := findApplication(append([]string{sub.args.CommandLine.Resource}, sub.decision.ChildArgs...))
	if err == nil {
		err = application.readable()
	}
	if err != nil {
		return usage(err)
	}
	values := sub.decision.Properties.Values()
	// Warned: runSubmit has printed the warnings of the settings, and the driver writes to the same stderr.
	own := app.Submission{Name: called(values, application), Conf: values, Progress: true, Warned: true}
	if own.ConfDir, err = sparkConfDir(); err != nil {
		return usage(err)
	}
	m, err := submit.ParseMaster(sub.decision.Master)
	if err != nil {
		return usage(fmt.Errorf("--master: %w", err))
	}
	if m.Workers > 0 {
		return localCluster(ctx, s, m, own, application)
	}
	if sub.decision.Manager == submit.YARN {
		// Coherer is the application master.
		if _, own.Library, err = program.Self(); err != nil {
			return err
		}
	}
	return runner.Submit(ctx, application.program, application.main, own, s.out, s.err)
}

// localCluster runs an application on a cluster of its own, as master local-cluster[WORKERS,CORES,MEMORY] asks. It mirrors LocalSparkCluster.
func localCluster(ctx context.Context, s streams, m submit.Master, own app.Submission, a application) error {
	c, err := conf.New(own.Conf, known.All())
	if err != nil {
		return usage(err)
	}
	if memory := submit.ExecutorMemory.Get(c); memory > int64(m.MemoryMB) {
		return usage(fmt.Errorf("Asked to launch cluster with %d MiB/worker but requested %d MiB/executor", m.MemoryMB, memory))
	}
	if err := fits(c, m.MemoryMB, m.Cores); err != nil {
		return usage(err)
	}
	return runner.Run(ctx, runner.Config{
		Name: own.Name, Program: a.program, Main: a.main, Workers: m.Workers, WorkerCores: m.Cores, WorkerMemoryMB: m.MemoryMB,
		Conf: own.Conf, ConfDir: own.ConfDir, Stdout: s.out, Stderr: s.err,
	})
}

// submitInput reads what a submission looks at beside its command line.
func submitInput(line *submit.CommandLine) (submit.Input, error) {
	in := submit.Input{Env: variables(), Submitted: time.Now().UnixMilli()}
	for name := range programs() {
		in.BuiltIn = append(in.BuiltIn, name)
	}
	var err error
	if in.Dir, err = os.Getwd(); err != nil {
		return in, err
	}
	if path, given := line.Value("--properties-file"); given {
		if in.Properties, err = readProperties(path); err != nil {
			return in, fmt.Errorf("--properties-file: %w", err)
		}
	}
	for _, path := range line.ExtraFiles {
		list, err := readProperties(path)
		if err != nil {
			return in, fmt.Errorf("--extra-properties-file: %w", err)
		}
		in.Extra = append(in.Extra, list)
	}
	if line.WantsDefaults() {
		path, err := defaultsFile()
		if err != nil {
			return in, err
		}
		if in.Defaults, err = readProperties(path); err != nil {
			return in, err
		}
	}
	in.Hadoop, err = hadoopSettings(in.Env, clientOfYARN)
	if err != nil && !(line.Has("--dry-run") && errors.Is(err, fs.ErrNotExist)) { // a dry run may be for another machine
		return in, err
	}
	if path, local := submit.FilePath(line.Resource); local && submit.KindOf(line.Resource) == submit.Jar && !line.Has("--class") {
		in.JarClass, in.JarErr = jarMainClass(path)
	}
	return in, nil
}
