package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"os"
	"strconv"
	"strings"

	"github.com/sirupsen/logrus"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/coherer/coherer/actors/worker"
	"github.com/coherer/coherer/cluster/app"
	"github.com/coherer/coherer/cluster/known"
	"github.com/coherer/coherer/cluster/machine"
	"github.com/coherer/coherer/cluster/node"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
)

// The default ports of Spark and Coherer.
const (
	masterPort   = 7077
	gossipPort   = 7946
	masterUIPort = 8080
	workerUIPort = 8081
)

// daemonOptions are what daemons have in common.
type daemonOptions struct {
	settings
	members
	host    string
	port    int
	webUI   int
	debug   string
	readyFD int
	given   *pflag.FlagSet
}

// pages are the flags of a Master or Worker, with the names of Spark's start scripts: there -h is the host, not the help.
func (d *daemonOptions) pages(f *pflag.FlagSet, port, webUI int) {
	d.common(f, port, "h", "p")
	f.FuncP("ip", "i", "`HOST`, as --host; of both the later one holds", func(host string) error { return f.Set("host", host) })
	f.IntVar(&d.webUI, "webui-port", webUI, "`PORT` of the pages, /json and /metrics over HTTP; 0: any free one")
	f.Bool("help", false, "print this")
}

// common are the flags of all daemons. Where a daemon of YARN has its pages is a setting.
func (d *daemonOptions) common(f *pflag.FlagSet, port int, shortHost, shortPort string) {
	d.given = f
	d.settings.flags(f)
	d.members.flags(f)
	f.StringVarP(&d.host, "host", shortHost, "127.0.0.1", "where to listen")
	f.IntVarP(&d.port, "port", shortPort, port, "RPC port; 0: any free one")
	f.StringVar(&d.debug, "debug-addr", "", "`HOST:PORT` to serve /metrics and /debug/pprof at, over HTTP, to all that reach it; port 0: any free one")
	f.IntVar(&d.readyFD, "ready-fd", 0, "descriptor that gets one line of JSON when the daemon can be used")
}

// env takes the flags that the command line lacks from Spark's variables, and reads the variables that hold settings.
func (d *daemonOptions) env(variables []variable, opts string) error {
	e, err := readEnvironment(variables, opts)
	d.environment = e
	return errors.Join(err, standIn(d.given, variables), limitMemory())
}

// check reports an address at which no daemon can listen.
func (d *daemonOptions) check() error {
	if strings.TrimSpace(d.host) == "" {
		return fmt.Errorf("--host %q: want an address of this machine, such as 127.0.0.1; 0.0.0.0 is all of them", d.host)
	}
	if d.port < 0 || d.port > 1<<16-1 {
		return fmt.Errorf("--port %d: want a port from 0 to 65535", d.port)
	}
	if d.debug != "" {
		if _, _, err := net.SplitHostPort(d.debug); err != nil {
			return fmt.Errorf("--debug-addr %q: want HOST:PORT, such as 127.0.0.1:0: %w", d.debug, err)
		}
	}
	return nil
}

// options are the daemon's, with gossip at a port unless coherer.gossip.port says another.
func (d *daemonOptions) options(role string, gossip int, all *conf.Settings) (node.Options, error) {
	c, err := all.Conf(known.All())
	join, wrong := addresses("--join", d.join)
	if err := errors.Join(err, d.check(), wrong); err != nil {
		return node.Options{}, err
	}
	log := app.NewLog(logrus.InfoLevel)
	for _, w := range c.Warnings() {
		log.Warn(w)
	}
	if p, set := known.GossipPort.Find(c); set {
		gossip = p
	}
	return node.Options{
		Role: role, Listen: rpcenv.Address{Host: d.host, Port: d.port}, Conf: c, Log: log, ReadyFD: d.readyFD, Debug: d.debug,
		Gossip: rpcenv.Address{Host: d.host, Port: gossip}, Join: join,
	}, nil
}

// standalone are the options of a Master or Worker, with pages at the port of ui.
func (d *daemonOptions) standalone(role string, gossip int, ui *conf.Entry[int]) (node.Options, error) {
	all, err := d.read()
	if err != nil {
		return node.Options{}, err
	}
	// Only a flag that was given becomes a setting: settings win over its default port below.
	if d.given.Changed("webui-port") {
		all.Set(conf.Setting{Pair: conf.Pair{Key: ui.Key(), Value: strconv.Itoa(d.webUI)}, From: conf.Origin{Place: "--webui-port"}})
	}
	opts, err := d.options(role, gossip, all)
	if err != nil {
		return opts, err
	}
	if len(d.environment.ignored) > 0 {
		opts.Log.Warnf("options of a JVM mean nothing here: %s", strings.Join(d.environment.ignored, " "))
	}
	opts.Pages, opts.PublicName = rpcenv.Address{Host: d.host, Port: d.webUI}, os.Getenv("SPARK_PUBLIC_DNS")
	if p, set := ui.Find(opts.Conf); set {
		opts.Pages.Port = p
	}
	return opts, nil
}

type masterOptions struct {
	daemonOptions
	several severalMasters
}

func masterCommand(s streams) *cobra.Command {
	return newCommand(s, &masterOptions{}, &cobra.Command{
		Use: "master", GroupID: "daemons", Short: "Run a Master",
		Long: "Run a Master until SIGTERM or Ctrl-C. Its pages are at --webui-port, with /json and /metrics; with\n" +
			"spark.master.rest.enabled it takes submissions by HTTP at spark.master.rest.port.\n" +
			"SPARK_MASTER_HOST, else SPARK_LOCAL_HOSTNAME or SPARK_LOCAL_IP, and SPARK_MASTER_PORT stand in for --host and --port,\n" +
			"SPARK_MASTER_WEBUI_PORT for spark.master.ui.port; SPARK_PUBLIC_DNS is the name by which others find the pages. The -Dkey=value of\n" +
			"SPARK_MASTER_OPTS and SPARK_DAEMON_JAVA_OPTS are settings, SPARK_DAEMON_MEMORY is a soft limit of the memory used.\n" +
			"Without --properties-file, spark-defaults.conf in SPARK_CONF_DIR or SPARK_HOME/conf is read.\n\n" +
			"With --peers it is one of several Masters, of which one leads: spark.deploy.recoveryMode=RAFT. All of them get the same\n" +
			"list and agree on what must not be forgotten; while more than half of them run, another takes over from one that ends.\n" +
			"Their records are kept in spark.deploy.recoveryDirectory, by default the folder recovery in the current directory.\n\n" +
			"With --expect N they need no list: each waits until N Masters with that flag are members of one gossip (--join), and these are the\n" +
			"group from then on. Its records name them, so it is the same when one is started again, at its port; one more is refused.",
		Example: "  coherer master\n  curl http://127.0.0.1:8080/json/\n  coherer master --webui-port 0 --conf spark.master.rest.enabled=true\n  coherer master --port 0 --conf spark.worker.timeout=120\n  coherer master --debug-addr 127.0.0.1:9077\n" +
			"  coherer master --port 7077 --peers 127.0.0.1:7077,127.0.0.1:7177,127.0.0.1:7277\n" +
			"  coherer master --port 7177 --expect 3 --join 127.0.0.1:7946",
		Args: arguments(0, 0),
	})
}

func (o *masterOptions) flags(f *pflag.FlagSet) {
	o.pages(f, masterPort, masterUIPort)
	o.several.flags(f)
}

func (o *masterOptions) run(ctx context.Context, _ streams, _ []string) error {
	opts, err := o.master()
	if err != nil {
		return usage(err)
	}
	return node.RunMaster(ctx, opts)
}

// master is the Master that the options describe.
func (o *masterOptions) master() (node.Options, error) {
	if err := o.env(masterVariables, "SPARK_MASTER_OPTS"); err != nil {
		return node.Options{}, err
	}
	if err := o.several.check(o.port); err != nil {
		return node.Options{}, err
	}
	opts, err := o.standalone("master", gossipPort, known.MasterUIPort)
	if err != nil {
		return opts, err
	}
	opts.Conf, err = o.several.settings(opts.Conf)
	return opts, err
}

type workerOptions struct {
	daemonOptions
	memory, workDir string
	cores           int
}

func workerCommand(s streams) *cobra.Command {
	return newCommand(s, &workerOptions{}, &cobra.Command{
		Use: "worker [spark://HOST:PORT[,HOST:PORT...] | gossip://HOST:PORT]", GroupID: "daemons", Short: "Run a Worker",
		Long: "Run a Worker until SIGTERM or Ctrl-C. It finds its Master by the URL, which it asks for the cluster's gossip too, or by --join.\n" +
			"SPARK_WORKER_HOST (else SPARK_LOCAL_HOSTNAME or SPARK_LOCAL_IP), SPARK_WORKER_PORT, SPARK_WORKER_CORES,\n" +
			"SPARK_WORKER_MEMORY and SPARK_WORKER_DIR stand in for the flags, SPARK_WORKER_WEBUI_PORT for spark.worker.ui.port;\n" +
			"SPARK_PUBLIC_DNS is the name by which others find the pages; SPARK_LOCAL_DIRS stands before spark.local.dir. The -Dkey=value of SPARK_WORKER_OPTS and SPARK_DAEMON_JAVA_OPTS are\n" +
			"settings, SPARK_DAEMON_MEMORY is a soft limit of the memory used. Without --properties-file, spark-defaults.conf in\n" +
			"SPARK_CONF_DIR or SPARK_HOME/conf is read.\n\n" +
			"With --conf spark.shuffle.service.enabled=true it serves the map outputs of its executors at spark.shuffle.service.port, 7337\n" +
			"unless it is set: executors that end take no map outputs with them. Applications want the setting too. Several Workers of a\n" +
			"machine need a port each, or 0 for any free one.",
		Example: "  coherer worker spark://127.0.0.1:7077 --cores 2 --memory 2g\n  coherer worker --join 127.0.0.1:7946",
		Args:    arguments(0, 1),
	})
}

func (o *workerOptions) flags(f *pflag.FlagSet) {
	o.pages(f, 0, workerUIPort)
	f.IntVarP(&o.cores, "cores", "c", machine.Cores(), "cores to offer")
	f.StringVarP(&o.memory, "memory", "m", fmt.Sprintf("%dm", machine.MemoryMB()), "memory to offer, such as 2g")
	f.StringVarP(&o.workDir, "work-dir", "d", "work", "`DIRECTORY` of the executors")
}

func (o *workerOptions) run(ctx context.Context, _ streams, args []string) error {
	opts, err := o.worker(args)
	if err != nil {
		return usage(err)
	}
	return node.RunWorker(ctx, opts)
}

// worker is the Worker that the options describe.
func (o *workerOptions) worker(args []string) (opts node.WorkerOptions, err error) {
	// First: Spark's variables stand in for the flags that the checks below read.
	if err := o.env(workerVariables, "SPARK_WORKER_OPTS"); err != nil {
		return opts, err
	}
	if err := checkCores("--cores", o.cores, 1); err != nil {
		return opts, err
	}
	args, _ = o.joinURL(args)
	if len(args) == 0 && o.join == "" {
		return opts, errors.New("name a Master, spark://HOST:PORT, or a member of the cluster with --join HOST:GOSSIPPORT")
	}
	opts.Cores = o.cores
	if opts.WorkDir, err = conf.ParsePath(o.workDir); err != nil {
		return opts, fmt.Errorf("--work-dir: %w", err)
	}
	if opts.LocalDirs, err = conf.ParsePaths(os.Getenv("SPARK_LOCAL_DIRS")); err != nil {
		return opts, fmt.Errorf("SPARK_LOCAL_DIRS: %w", err)
	}
	if opts.Options, err = o.standalone("worker", 0, known.WorkerUIPort); err != nil {
		return opts, err
	}
	if len(args) == 1 {
		if opts.Masters, err = rpcenv.ParseMasterURL(args[0]); err != nil {
			return opts, err
		}
	}
	if opts.MemoryMB, err = conf.ParseMemoryMB(o.memory); err != nil {
		return opts, fmt.Errorf("--memory: %w", err)
	}
	opts.Decommission, err = app.DecommissionSignals(opts.Conf, worker.WorkerDecommissionSignal)
	return opts, err
}

// checkCores returns an error when n does not fit the 32 bits that messages have for cores.
func checkCores(flag string, n, least int) error {
	if n < least || n > math.MaxInt32 {
		return fmt.Errorf("%s %d: want %d to %d", flag, n, least, math.MaxInt32)
	}
	return nil
}

// executorOptions are none: the flags of an executor are the Worker's affair.
type executorOptions struct{ noFlags }

func executorCommand(s streams) *cobra.Command {
	return newCommand(s, executorOptions{}, &cobra.Command{
		Use: "executor", Hidden: true, DisableFlagParsing: true, Short: "Become an executor; Workers start it",
	})
}

func (executorOptions) run(ctx context.Context, _ streams, args []string) error {
	return node.Launch(ctx, args)
}
