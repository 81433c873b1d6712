package app

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"sync/atomic"

	"github.com/sirupsen/logrus"

	"github.com/coherer/coherer/actors/driver"
	"github.com/coherer/coherer/actors/executor"
	"github.com/coherer/coherer/actors/storage"
	"github.com/coherer/coherer/actors/submit"
	"github.com/coherer/coherer/cluster/known"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
	"github.com/coherer/coherer/rpcenv/transport"
)

// localHost runs a local application's executor beside its driver. The executor ends like a process of its own; where it ends
// in good order that ends nothing: the driver's program may still have something to do, and its exit code counts. Nor does it
// when the program has ended: an executor that is only starting then fails, as its driver stops.
type localHost struct {
	*transport.Host
	over *atomic.Bool
}

// Exit implements rpcenv.Host.
func (h localHost) Exit(code int) {
	if code != 0 && !h.over.Load() {
		h.Host.Exit(code)
	}
}

// localExecutor is the executor of a local application.
type localExecutor struct {
	dirs     []string
	store    *blocks
	transfer Transfer
	env      *rpcenv.Env
	log      *logrus.Entry
	over     atomic.Bool // the program has ended
}

// localMaster is what a master URL says of a local application; is is false for one that has a cluster.
func localMaster(c *conf.Conf) (m submit.Master, is bool, err error) {
	url, _ := submit.MasterURL.Find(c)
	if !submit.IsLocal(url) {
		return m, false, nil
	}
	if m, err = submit.ParseMaster(url); err != nil {
		return m, true, fmt.Errorf("spark.master: %w", err)
	}
	if m.Threads == 0 {
		m.Threads = runtime.NumCPU()
	}
	return m, true, nil
}

// startLocal starts the executor of a local application in this process, with as many cores as the master says. It takes the memory of
// the driver, whose process is its own.
func startLocal(host *transport.Host, d *driver.Driver, appID string, cores int) (*localExecutor, error) {
	c, log := d.Env().Conf(), NewLog(logrus.WarnLevel)
	x := &localExecutor{log: log}
	roots := known.LocalDir.Get(c)
	if len(roots) == 0 {
		roots = []string{os.TempDir()}
	}
	dirs, warnings, err := makeLocalDirs(roots)
	for _, warning := range warnings {
		log.Warn(warning)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: name a directory that can be written with %s", err, known.LocalDir.Key())
	}
	x.dirs = dirs
	at := d.Env().Address()
	if x.store, err = serveBlocks(c, dirs, at.Host, known.DriverBindAddress.Key(), storage.BlockManagerPort); err != nil {
		return nil, errors.Join(err, x.Close())
	}
	x.transfer = NewTransfer()
	settings := map[string]string{}
	for _, pair := range c.Pairs() {
		settings[pair.Key] = pair.Value
	}
	settings[submit.ExecutorMemory.Key()] = strconv.FormatInt(submit.DriverMemory.Get(c), 10) + "m"
	boot := executor.Boot{
		Args: executor.Args{
			DriverURL: d.Env().Ref(at, driver.Name).String(), ExecutorID: driver.LocalExecutorID, Hostname: at.Host, Cores: cores, AppID: appID,
		},
		IO:       executor.IO{FS: Files{}, Blocks: x.store, Transfer: x.transfer, Measure: measureProcess},
		Settings: settings, Log: log,
		Made: func(env *rpcenv.Env) error {
			x.env = env
			return nil
		},
	}
	if err := boot.Run(localHost{host, &x.over}); err != nil {
		return nil, errors.Join(err, x.Close())
	}
	return x, nil
}

// programEnded makes the executor's failures count for nothing, and say nothing. A nil one is no executor.
func (x *localExecutor) programEnded() {
	if x != nil {
		x.over.Store(true)
		x.log.Logger.SetLevel(logrus.PanicLevel)
	}
}

// endedBy is err, the error of the process's end, without that of tasks that nothing can cancel, as they wait on their own: the process
// ends, and they with it. In Spark, too, they run in daemon threads, and the exit code is the program's.
func (x *localExecutor) endedBy(err error) error {
	if x == nil || !errors.Is(err, transport.ErrStillRun) {
		return err
	}
	NewLog(logrus.WarnLevel).Warn("The program has ended, but tasks still run, and end with it: they wait for something that knows no context")
	return nil
}

// Close ends the executor, and removes its files. A nil one is no executor.
func (x *localExecutor) Close() error {
	if x == nil {
		return nil
	}
	x.programEnded() // when the program panics nobody else says so
	if x.env != nil {
		x.env.Close()
	}
	var err error
	if x.store != nil {
		err = errors.Join(x.store.Close(), x.transfer.Close())
	}
	return errors.Join(err, removeLocalDirs(x.dirs))
}
