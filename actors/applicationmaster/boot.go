package applicationmaster

import (
	"errors"
	"fmt"

	"github.com/coherer/coherer/actors/driver"
	"github.com/coherer/coherer/actors/driver/bus"
	"github.com/coherer/coherer/actors/hadoop/rmproxy"
	"github.com/coherer/coherer/actors/hadoop/token"
	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/actors/storage"
	"github.com/coherer/coherer/actors/storage/broadcast"
	"github.com/coherer/coherer/actors/submit"
	"github.com/coherer/coherer/actors/yarnclient/distcache"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
)

// Boot is what an ApplicationMaster's process finds in its container, and what it is made of.
type Boot struct {
	// ClusterMode: the driver lives in the same process. The word of the command says so.
	ClusterMode bool
	Args        Args
	// Attempt is the attempt that owns the container, Host the node's name.
	Attempt ids.Attempt
	Host    string
	// Tokens are the container's credentials; nil: it has none.
	Tokens []byte
	// DistCache are the settings that list what the client staged for executors; nil: nothing.
	DistCache map[string]string
	// Environment is what executors get of this process's variables.
	Environment []*yarn.StringStringMap
	// ProxyBase is the path of the application at the ResourceManager's proxy; "" without a proxy.
	ProxyBase string
	// Staging is what the client left for the application; nil when it is kept.
	Staging Staging
	// Env is the process's, with its settings. It listens in cluster mode, for executors.
	Env rpcenv.Config
	// FS and Transfer are the driver's.
	FS       rdd.FS
	Transfer storage.Transfer
	// Blocks are the driver's, in cluster mode; nil: it has no broadcasts.
	Blocks func(*rpcenv.Env) broadcast.Server
	// User, EventLog and Process are the driver's, in cluster mode.
	User     string
	EventLog bus.Log
	Process  bus.Process
	// Made is called with the Env once it is made, before it has an endpoint; its error ends the start. nil: nothing is called.
	Made func(*rpcenv.Env) error
}

// Running is a process that [Boot] made.
type Running struct {
	Env    *rpcenv.Env
	Master *ApplicationMaster
	// Driver is the driver in cluster mode; else nil.
	Driver *driver.Driver
}

// Config is that of the process's endpoint.
func (x Boot) Config() (Config, error) {
	cfg := Config{
		Attempt: x.Attempt, ClusterMode: x.ClusterMode, Host: x.Host, ProxyBase: x.ProxyBase, Environment: x.Environment, Staging: x.Staging,
	}
	var err error
	if !x.ClusterMode {
		if len(x.Args.Args) == 0 {
			return cfg, errors.New("an ExecutorLauncher needs --arg HOST:PORT, where the driver listens")
		}
		if cfg.Driver, err = rpcenv.ParseAddress(x.Args.Args[0]); err != nil {
			return cfg, fmt.Errorf("--arg: %w", err)
		}
	}
	if cfg.ResourceManager, err = rmproxy.Address(x.Env.Conf); err != nil {
		return cfg, err
	}
	if x.Tokens != nil {
		if cfg.Token, err = token.Find(x.Tokens, token.AMRM); err != nil {
			return cfg, fmt.Errorf("the container's credentials: %w", err)
		}
	}
	entries, err := distcache.Entries(x.DistCache)
	if err == nil {
		cfg.LocalResources, err = distcache.Resources(entries)
	}
	if err != nil {
		return cfg, fmt.Errorf("%s: %w", x.Args.DistCache, err)
	}
	return cfg, nil
}

// Run makes the process: its Env, the endpoint and, in cluster mode, the driver. It does not wait.
func (x Boot) Run(h rpcenv.Host) (*Running, error) {
	cfg, err := x.Config()
	if err != nil {
		return nil, err
	}
	am, err := New(cfg)
	if err != nil {
		return nil, err
	}
	env, err := rpcenv.New(h, x.Env)
	if err != nil {
		return nil, err
	}
	r := &Running{Env: env, Master: am}
	if err := r.start(x); err != nil {
		env.Shutdown()
		return nil, err
	}
	return r, nil
}

func (r *Running) start(x Boot) error {
	if x.Made != nil {
		if err := x.Made(r.Env); err != nil {
			return err
		}
	}
	// Before the driver: YarnAM must be there when the program is ready.
	_, err := r.Env.Register(Name, r.Master)
	if err != nil || !x.ClusterMode {
		return err
	}
	var served broadcast.Server
	if x.Blocks != nil {
		served = x.Blocks(r.Env)
	}
	r.Driver, err = driver.Start(r.Env, driver.Config{
		Blocks:  served,
		AppName: submit.AppName.Get(x.Env.Conf), User: x.User, FS: x.FS, Transfer: x.Transfer, YARN: &driver.YARN{AppID: x.Attempt.App.String()},
		EventLog: x.EventLog, Process: x.Process,
	})
	return err
}
