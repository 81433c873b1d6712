package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"os/user"
	"path/filepath"
	"syscall"
	"time"

	"github.com/sirupsen/logrus"

	"github.com/coherer/coherer/actors/driver"
	"github.com/coherer/coherer/actors/driver/progress"
	"github.com/coherer/coherer/actors/submit"
	"github.com/coherer/coherer/actors/worker"
	"github.com/coherer/coherer/cluster/boot"
	"github.com/coherer/coherer/cluster/known"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
	"github.com/coherer/coherer/rpcenv/program"
	"github.com/coherer/coherer/rpcenv/transport"
)

// jarPrefix is where a driver serves programs: /jars/<sha256 of the file>.
const jarPrefix = "/jars/"

// drive runs a program as the driver of an application, and returns when all of it has ended.
func drive(s Submission, program Program, args []string) (err error) {
	// First: from here on a signal ends ctx and not the process, so that everything below is undone.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	c, masters, err := s.settings()
	if err != nil {
		return err
	}
	log := NewLog(logrus.WarnLevel)
	if !s.Warned {
		for _, w := range c.Warnings() {
			log.Warn(w)
		}
	}
	// Taken out of the environment, so that children of the program do not inherit it.
	workerURL := os.Getenv(WorkerVar)
	if err := os.Unsetenv(WorkerVar); err != nil {
		return err
	}
	bind, err := bindAddress(c, workerURL)
	if err != nil {
		return err
	}
	rec, err := boot.Record(s.Trace, c)
	if err != nil {
		return err
	}
	// It exits at once, since the program may not end when it is asked to.
	p, err := boot.Open(boot.Options{Recorder: rec, Warn: log.Warn, Child: true, Exit: os.Exit}, rpcenv.Config{
		Name: nameOr(c, "Driver"), Listen: rpcenv.Address{Host: bind, Port: known.DriverPort.Get(c)},
		Advertise: submit.DriverHost.Get(c), Conf: c, Log: log,
	})
	if err != nil {
		return rpcenv.ListenAdvice(err, known.DriverBindAddress.Source(c), known.DriverPort.Key())
	}
	var executor *localExecutor // nil: there is a cluster
	defer func() { err = errors.Join(err, executor.endedBy(p.Close())) }()
	env := p.Env
	warnDriver(env, bind, log)
	// A driver in cluster mode ends with its Worker, as DriverWrapper sees to; not any more when its program has ended.
	if err := worker.Watch(env, workerURL); err != nil {
		return err
	}
	defer env.Stop(worker.WatcherName)
	if err := p.Serve(env, ""); err != nil {
		return err
	}
	local, isLocal, err := localMaster(c)
	if err != nil {
		return err
	}
	if !isLocal { // else nobody is to hear of the driver or to fetch its program
		member, err := enter(ctx, env, "driver", "", bind, clusterOf(c, masters))
		if err != nil {
			return err
		}
		defer member.Part()
		// Before driver.Start: an executor may come as soon as the application is registered, and fetches the program.
		if err := serveSelf(p.Host, env.Address()); err != nil {
			return err
		}
	}
	removeFiles, err := shareFiles(ctx, c, p.Host, env.Address())
	defer func() { err = errors.Join(err, removeFiles()) }()
	if err != nil {
		return err
	}
	transfer := NewTransfer()
	defer func() { err = errors.Join(err, transfer.Close()) }()
	broadcasts := NewDriverBlocks(env, bind, log)
	defer func() { err = errors.Join(err, broadcasts.Close()) }()
	cfg, err := s.driverConfig(c, masters)
	if err != nil {
		return err
	}
	cfg.Transfer, cfg.Blocks = transfer, broadcasts
	if isLocal {
		cfg.Local = &driver.Local{AppID: fmt.Sprintf("local-%d", time.Now().UnixMilli()), MaxFailures: local.MaxFailures}
	}
	pages, err := listenPages(c, bind, &cfg, log)
	if err != nil {
		return err
	}
	closePages := servePages(pages, env, log)
	defer func() { err = errors.Join(err, closePages()) }()
	if s.Progress {
		if cfg.Listener, err = env.Register(progress.Name, progress.New(os.Stderr, clusterManager(c))); err != nil {
			return err
		}
	}
	d, err := driver.Start(env, cfg)
	if err != nil {
		return err
	}
	if isLocal {
		if executor, err = startLocal(p.Host, d, cfg.Local.AppID, local.Threads); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, executor.Close()) }()
	}
	return runProgram(ctx, d, executor, program, args)
}

// driverConfig is what the settings and the submission say of a driver.
func (s Submission) driverConfig(c *conf.Conf, masters []rpcenv.Address) (cfg driver.Config, err error) {
	cfg = driver.Config{
		Masters: masters, AppName: submit.AppName.Get(c), User: sparkUser(), FS: Files{}, ConfDir: s.ConfDir, Process: thisProcess(),
	}
	if cfg.EventLog, err = eventLog(c); err != nil {
		return cfg, err
	}
	if submit.MasterURL.Get(c) == YARNMaster {
		cfg.YARN, err = s.onYARN(c)
	}
	return cfg, err
}

// runProgram runs a program to its end, and then stops its driver. executor is that of a local application, else nil.
func runProgram(ctx context.Context, d *driver.Driver, executor *localExecutor, program Program, args []string) error {
	env := d.Env()
	err := program(ctx, &App{driver: d, blocking: env.Blocking}, args)
	executor.programEnded()
	// Whatever the program made of the signal: it has not failed.
	if ctx.Err() != nil {
		err = errInterrupted
	}
	// A context of its own: that of the program may have ended, and the cluster must still hear of the end.
	stopping, cancel := context.WithTimeout(context.Background(), stopPatience)
	defer cancel()
	b := env.Blocking(stopping)
	defer b.Close()
	return errors.Join(err, d.StopWith(b, exitCode(err)))
}

// clusterOf are the daemons that an application with these settings asks for executors.
func clusterOf(c *conf.Conf, masters []rpcenv.Address) []rpcenv.Address {
	if submit.MasterURL.Get(c) != YARNMaster {
		return masters
	}
	return resourceManagerOf(c)
}

// clusterManager names the daemon that an application asks for executors.
func clusterManager(c *conf.Conf) string {
	if submit.MasterURL.Get(c) == YARNMaster {
		return "ResourceManager"
	}
	return "Master"
}

// exitCode is the exit code of a program that ended with err. A program that a signal ended has not failed: in Spark the shutdown
// hook calls SparkContext.stop without a code.
func exitCode(err error) int {
	if errors.Is(err, errInterrupted) {
		return 0
	}
	return driver.ExitCode(err)
}

// sparkUser is the owner of the application: SPARK_USER, else the user of this process. It mirrors Utils.getCurrentUserName.
func sparkUser() string {
	if name := os.Getenv("SPARK_USER"); name != "" {
		return name
	}
	u, err := user.Current()
	if err != nil {
		return "<unknown>" // as in Spark
	}
	return u.Username
}

// stopPatience is how long the end of an application may take.
const stopPatience = 10 * time.Second

// settings are the configuration of the driver, with the digest of its program, and the Masters.
func (s Submission) settings() (*conf.Conf, []rpcenv.Address, error) {
	digest, path, err := program.Self()
	if err != nil {
		return nil, nil, err
	}
	c, err := conf.New(s.Conf, known.All())
	if err != nil {
		return nil, nil, err
	}
	if c, err = withTraceDir(c); err != nil {
		return nil, nil, err
	}
	var masters []rpcenv.Address
	if url := submit.MasterURL.Get(c); url != YARNMaster && !submit.IsLocal(url) {
		if masters, err = rpcenv.ParseMasterURL(url); err != nil {
			return nil, nil, fmt.Errorf("spark.master: %w", err)
		}
	}
	name := s.Name
	if own := submit.AppName.Get(c); name == "" && own != "" {
		name = own
	}
	if name == "" {
		name = filepath.Base(path)
	}
	c, err = c.With(map[string]string{submit.AppName.Key(): name, known.AppBinary.Key(): digest})
	return c, masters, err
}

// bindAddress is where a driver listens: at spark.driver.bindAddress, else in cluster mode where its Worker does, else at the
// loopback address.
func bindAddress(c *conf.Conf, workerURL string) (string, error) {
	bind := known.DriverBindAddress.Get(c)
	if bind != "" || workerURL == "" {
		return orLoopback(bind), nil
	}
	at, _, err := rpcenv.ParseURI(workerURL)
	return at.Host, err
}

func orLoopback(host string) string {
	if host == "" {
		return "127.0.0.1"
	}
	return host
}

func nameOr(c *conf.Conf, name string) string {
	if own := rpcenv.TraceName.Get(c); own != "" {
		return own
	}
	return name
}

// serveSelf serves this process's own program to executors.
func serveSelf(host *transport.Host, at rpcenv.Address) error {
	digest, path, err := program.Self()
	if err != nil {
		return err
	}
	files, err := host.FileServer(at)
	if err != nil {
		return err
	}
	_, err = files.AddJar(digest, path)
	return err
}
