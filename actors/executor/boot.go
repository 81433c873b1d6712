package executor

import (
	"errors"
	"fmt"

	"github.com/sirupsen/logrus"

	"github.com/coherer/coherer/actors/compat"
	"github.com/coherer/coherer/actors/membership"
	"github.com/coherer/coherer/actors/shuffleservice"
	"github.com/coherer/coherer/actors/storage"
	"github.com/coherer/coherer/actors/storage/memory"
	"github.com/coherer/coherer/actors/submit"
	"github.com/coherer/coherer/actors/worker"
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
	"github.com/coherer/coherer/rpcenv/trace"
)

// The Envs of an executor's process are called by these and its id.
const executorEnv, fetcherEnv = "Exec", "Fetcher"

// Family names the executors of an application after its driver, in traces that have several.
var Family = trace.Family{Head: "Driver", Members: []string{executorEnv, fetcherEnv}}

// Boot is what an executor's process is made of.
type Boot struct {
	Args Args
	IO   IO
	// LocalDirs and NodeManager are as in Config.
	LocalDirs   []string
	NodeManager rpcenv.Address
	// Resources are what the Worker gave beside cores and memory. LogURLs and Attributes are what its environment says.
	Resources           []*deploy.ResourceInformation
	LogURLs, Attributes []*app.Property
	// Settings are the driver's, if the process was given them; nil: the fetcher asks.
	Settings map[string]string
	Log      *logrus.Entry
	// Made is called with the executor's Env once it is made; its error ends the start. nil: nothing is called.
	Made func(*rpcenv.Env) error
}

// Run makes the process: the fetcher's Env, unless the process was given the settings, then the executor's. It does not wait. A
// failure ends the process with exit code 1, or [ExitUnreachable] (rpcenv.Host.Exit).
func (x Boot) Run(h rpcenv.Host) error {
	if x.Settings != nil {
		return x.start(h, x.Settings)
	}
	return x.Fetch(h, func(settings map[string]string, err error) {
		if err == nil {
			err = x.start(h, settings)
		}
		if err != nil {
			x.fail(h, err)
		}
	})
}

// Fetch asks the driver for its settings in an Env of its own, and calls then after that Env's end.
func (x Boot) Fetch(h rpcenv.Host, then func(map[string]string, error)) error {
	env, err := rpcenv.New(h, rpcenv.Config{Name: fetcherEnv + x.Args.ExecutorID, Log: x.Log})
	if err != nil {
		return err
	}
	var settings map[string]string
	env.Go("driverPropsFetcher", func(b *rpcenv.Blocking) error {
		var err error
		settings, err = FetchConfig(b, x.Args)
		return err
	}).OnDone(func(err error) {
		// The executor's Env is made only after the end of this one, as in Spark.
		env.OnDone(func() { then(settings, err) })
		env.Shutdown()
	})
	return nil
}

// start makes the executor's Env, which is in client mode, and its endpoints.
func (x Boot) start(h rpcenv.Host, settings map[string]string) error {
	c, err := conf.New(settings, Settings, rpcenv.Settings, compat.Settings, membership.Settings, shuffleservice.Settings, storage.Settings, memory.Settings,
		submit.Settings)
	if err != nil {
		return fmt.Errorf("the driver's settings: %w", err)
	}
	env, err := rpcenv.New(h, rpcenv.Config{Name: executorEnv + x.Args.ExecutorID, Conf: c, Log: x.Log})
	if err != nil {
		return err
	}
	if x.Made != nil {
		if err := x.Made(env); err != nil {
			env.Shutdown()
			return err
		}
	}
	env.Go("sparkExecutor", func(b *rpcenv.Blocking) error {
		if err := lookUp(b, x.Args.DriverURL); err != nil {
			return err
		}
		cfg := Config{
			Args: x.Args, IO: x.IO, LocalDirs: x.LocalDirs, NodeManager: x.NodeManager,
			Resources: x.Resources, LogURLs: x.LogURLs, Attributes: x.Attributes,
		}
		if err := worker.Watch(env, x.Args.WorkerURL); err != nil {
			return err
		}
		_, err := env.Register(Name, New(cfg))
		return err
	}).OnDone(func(err error) {
		if err != nil {
			x.fail(h, err)
		}
	})
	return nil
}

func (x Boot) fail(h rpcenv.Host, err error) {
	if x.Log != nil {
		x.Log.Errorf("executor %s: %v", x.Args.ExecutorID, err)
	}
	if errors.Is(err, ErrUnreachable) {
		h.Exit(ExitUnreachable)
		return
	}
	h.Exit(1)
}
