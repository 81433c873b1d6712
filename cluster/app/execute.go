package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"

	"github.com/sirupsen/logrus"

	"github.com/coherer/coherer/actors/executor"
	"github.com/coherer/coherer/actors/shuffleservice"
	"github.com/coherer/coherer/actors/storage"
	"github.com/coherer/coherer/actors/worker"
	"github.com/coherer/coherer/cluster/boot"
	"github.com/coherer/coherer/cluster/known"
	appmsg "github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
	"github.com/coherer/coherer/rpcenv/trace/record"
)

// exitTerminated is the exit code of a process that SIGTERM ended.
const exitTerminated = 128 + 15

// Execute runs an executor in this process. It returns only when that could not begin; otherwise the executor ends the
// process: by itself, or with 143 by SIGTERM, which is how a Worker kills it.
func Execute(given Execution) error {
	// Before the first directory is made, so that SIGTERM leaves none behind.
	terminated := make(chan os.Signal, 1)
	signal.Notify(terminated, syscall.SIGTERM, syscall.SIGINT)
	a, err := executor.ParseArgs(given.Args)
	if err != nil {
		return err
	}
	c, err := conf.New(given.Settings, known.All())
	if err != nil {
		return err
	}
	log := NewLog(logrus.InfoLevel)
	resources, err := readResources(a.ResourcesFile)
	if err != nil {
		return err
	}
	dirs, warnings, err := makeLocalDirs(executorDirs())
	for _, warning := range warnings {
		log.Warn(warning)
	}
	if err != nil {
		fail(err)
		os.Exit(exitDiskStoreFailed) // the code says that the application is not to blame
	}
	if dirs, err = absolute(dirs); err != nil { // a shuffle service works in another directory
		return err
	}
	if err := fetchForExecutor(c, a.DriverURL); err != nil {
		return err
	}
	decommission, err := DecommissionSignals(c, executor.ExecutorDecommissionSignal)
	if err != nil {
		return err
	}
	store, err := serveBlocks(c, dirs, orLoopback(a.Hostname), "the --host of the Worker or NodeManager", storage.BlockManagerPort)
	if err != nil {
		return err
	}
	store.ownedBy(a.AppID, a.ExecutorID)
	transfer := NewTransferOf(a.AppID)
	rpcenv.Door{
		Name: "the port of blocks", At: store.Address().String(), Lets: "read what this application's tasks have computed",
		Close: "run its Worker or NodeManager with --host 127.0.0.1, or let a firewall keep others out",
	}.Warn(log)
	rec, err := recorderOrRing(executorTrace(a, c, "exec"), c, log)
	if err != nil {
		return errors.Join(err, store.Close())
	}
	p, err := boot.New(boot.Options{Recorder: rec, Warn: log.Warn, Child: true, IdleTimeout: rpcenv.NetworkTimeout.Get(c)})
	if err != nil {
		return errors.Join(err, store.Close())
	}
	x := executor.Boot{
		Args: a, Settings: given.Settings, Log: log, Resources: resources,
		LogURLs: variables("SPARK_LOG_URL_", strings.ToLower), Attributes: variables("SPARK_EXECUTOR_ATTRIBUTE_", strings.ToUpper),
		IO:        executor.IO{FS: Files{}, Blocks: store, Transfer: transfer, Near: openNear(c, transfer, a.AppID), Measure: measureProcess},
		LocalDirs: dirs, NodeManager: nodeManager(),
		Made: func(env *rpcenv.Env) error {
			limitHeap(env.Conf())
			return p.Serve(env, "")
		},
	}
	if err := x.Run(p.Host); err != nil {
		p.CloseTrace()
		return err
	}
	code := exitTerminated
	for waiting := true; waiting; {
		select {
		case code = <-p.Exits():
			waiting = false
		case <-terminated:
			waiting = false
		case <-decommission: // nil, which never comes, unless a signal is configured
			decommissionExecutor(p.Env)
		}
	}
	// Not p.Close, which waits for tasks: they end with the process.
	p.CloseTrace()
	// With a shuffle service the map outputs stay, for others; the Worker or NodeManager removes them at the application's end.
	if !shuffleservice.ShuffleServiceEnabled.Get(c) {
		if err := removeLocalDirs(dirs); err != nil {
			fail(err)
		}
	}
	os.Exit(code)
	return nil
}

// ownMemory is what the process takes beside all that the limit counts, in bytes: the program's code, and what the collector overshoots by.
const ownMemory = 64 << 20

// limitHeap makes the garbage collector keep the process within spark.executor.memory, unless its environment has another limit.
func limitHeap(c *conf.Conf) {
	if os.Getenv("GOMEMLIMIT") == "" {
		limit := executor.Heap(c)
		debug.SetMemoryLimit(max(limit-ownMemory, limit/2))
	}
}

// decommissionExecutor reports a signal to the executor. The answer is of no interest: the log has what the executor does.
func decommissionExecutor(env *rpcenv.Env) {
	env.Go("decommission", func(b *rpcenv.Blocking) error {
		_, err := rpcenv.AskWait(b, env.Ref(env.Address(), executor.Name), executor.ExecutorDecommissionSigReceived{})
		return err
	})
}

// readResources reads the resources that a Worker gave the executor; "" is no file.
func readResources(path string) ([]*deploy.ResourceInformation, error) {
	if path == "" {
		return nil, nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("--resourcesFile: %w", err)
	}
	resources, err := worker.ParseResources(worker.ExecutorComponent, text)
	if err != nil {
		return nil, fmt.Errorf("--resourcesFile %s: %w", path, err)
	}
	return resources, nil
}

// variables are those of the environment that begin with prefix, by what follows it, in upper or lower case, sorted.
func variables(prefix string, letters func(string) string) []*appmsg.Property {
	var out []*appmsg.Property
	for _, entry := range os.Environ() {
		name, value, _ := strings.Cut(entry, "=")
		if rest, ok := strings.CutPrefix(name, prefix); ok && rest != "" {
			out = append(out, &appmsg.Property{Key: letters(rest), Value: value})
		}
	}
	slices.SortFunc(out, func(a, b *appmsg.Property) int { return strings.Compare(a.GetKey(), b.GetKey()) })
	return out
}

// FetchSettings asks the driver for the settings of an executor: what a launcher does before it knows which program to
// run. Its part of the trace goes to the file beside the executor's.
func FetchSettings(ctx context.Context, args []string) (settings map[string]string, err error) {
	a, err := executor.ParseArgs(args)
	if err != nil {
		return nil, err
	}
	rec := record.NewRecorder(0)
	p, err := boot.New(boot.Options{Recorder: rec})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	type answer struct {
		settings map[string]string
		err      error
	}
	answers := make(chan answer, 1)
	if err := (executor.Boot{Args: a, Log: NewLog(logrus.WarnLevel)}).Fetch(p.Host, func(s map[string]string, err error) {
		answers <- answer{s, err}
	}); err != nil {
		return nil, err
	}
	select {
	case got := <-answers:
		if got.err != nil {
			return nil, got.err
		}
		if err := saveFetched(a, got.settings, rec); err != nil {
			NewLog(logrus.WarnLevel).Warn(err) // the executor needs no trace
		}
		return got.settings, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// FetchProgram brings the program of digest from the driver that args name.
func FetchProgram(ctx context.Context, args []string, digest string, to *os.File) error {
	a, err := executor.ParseArgs(args)
	if err != nil {
		return err
	}
	at, _, err := rpcenv.ParseURI(a.DriverURL)
	if err != nil {
		return err
	}
	return fetchFile(ctx, at.SparkURL()+jarPrefix+digest, to)
}
