package local

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/coherer/coherer/actors/applicationmaster"
	"github.com/coherer/coherer/actors/driver"
	"github.com/coherer/coherer/actors/executor"
	"github.com/coherer/coherer/actors/hadoop/token"
	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/nodemanager/launch"
	"github.com/coherer/coherer/actors/submit"
	"github.com/coherer/coherer/actors/yarnclient"
	"github.com/coherer/coherer/actors/yarnclient/distcache"
	"github.com/coherer/coherer/cluster/app"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
)

// masterContainer is a container of an application master, with its settings.
type masterContainer struct {
	launch.Container
	settings *conf.Conf
	cache    map[string]string // what executors get, as settings
	class    string            // of the program, in cluster mode
	args     []string          // of the application; in client mode the driver's address
}

// container reads the files that a client staged for an application master.
func (y *YARN) container(cmd rpcenv.Command) (masterContainer, error) {
	var m masterContainer
	var err error
	if m.Container, err = y.files.container(cmd.Dir); err != nil {
		return m, err
	}
	for i, arg := range cmd.Args {
		switch {
		case i+1 == len(cmd.Args):
		case arg == "--class":
			m.class = cmd.Args[i+1]
		case arg == "--arg":
			m.args = append(m.args, cmd.Args[i+1])
		}
	}
	archive, err := y.files.linked(m.Container, "__spark_conf__")
	if err != nil {
		return m, err
	}
	settings := map[string]string{}
	for _, e := range archive.entries {
		values, err := conf.ParseProperties(strings.NewReader(e.Content))
		if err != nil {
			return m, fmt.Errorf("%s: %w", e.Name, err)
		}
		if e.Name == "__spark_dist_cache__.properties" { // apart from the settings, as Spark keeps them from the driver's
			m.cache = values
			continue
		}
		settings = values
	}
	m.settings, err = conf.New(settings)
	return m, err
}

// config is the application master's.
func (y *YARN) config(m masterContainer, cluster bool) (applicationmaster.Config, error) {
	id, err := ids.ParseContainer(m.ID)
	if err != nil {
		return applicationmaster.Config{}, err
	}
	at, err := app.ResourceManager(m.settings)
	if err != nil {
		return applicationmaster.Config{}, err
	}
	proof, err := token.Find(m.Tokens, token.AMRM)
	if err != nil {
		return applicationmaster.Config{}, err
	}
	entries, err := distcache.Entries(m.cache)
	if err != nil {
		return applicationmaster.Config{}, err
	}
	resources, err := distcache.Resources(entries)
	if err != nil {
		return applicationmaster.Config{}, err
	}
	return applicationmaster.Config{
		Attempt: id.Attempt, ResourceManager: at, Token: proof, ClusterMode: cluster, Host: m.Host,
		LocalResources: resources, Staging: stagingOf{y.files, m.Env},
	}, nil
}

// stagingOf is the staging directory that an application master's environment names.
type stagingOf struct {
	files *yarnFiles
	env   []launch.Variable
}

func (s stagingOf) Remove(b *rpcenv.Blocking) error {
	for _, v := range s.env {
		if v.Name == yarnclient.StagingVar {
			return staging{s.files}.Remove(b, v.Value)
		}
	}
	return nil
}

// startMaster is an application master, in cluster mode with its driver.
func (y *YARN) startMaster(h rpcenv.Host, cmd rpcenv.Command) error {
	m, err := y.container(cmd)
	if err != nil {
		return err
	}
	cluster := roleOf(cmd) == submit.ApplicationMasterWord
	cfg, err := y.config(m, cluster)
	if err != nil {
		return err
	}
	own := rpcenv.Config{Name: y.nameOf(cmd), Conf: m.settings, Log: rpcenv.NoLog()}
	// With a driver in it its Env must listen, for executors; without one nobody calls it.
	if cluster {
		own.Listen.Host = m.Host
	} else if cfg.Driver, err = rpcenv.ParseAddress(strings.Join(m.args, " ")); err != nil {
		return err
	}
	env, err := rpcenv.New(h, own)
	if err != nil {
		return err
	}
	am, err := applicationmaster.New(cfg)
	if err != nil {
		return err
	}
	if _, err := env.Register(applicationmaster.Name, am); err != nil || !cluster {
		return err
	}
	return y.startDriver(h, env, m, cfg.Attempt.App)
}

// startDriver is the driver in its application master: the program runs when the allocator is there.
func (y *YARN) startDriver(h rpcenv.Host, env *rpcenv.Env, m masterContainer, id ids.Application) error {
	program := y.programs[m.class]
	if program == nil {
		return fmt.Errorf("no program is called %s", m.class)
	}
	d, err := driver.Start(env, driver.Config{AppName: env.Name(), FS: app.Files{}, YARN: &driver.YARN{AppID: id.String()}})
	if err != nil {
		return err
	}
	y.observer.Driver(env.Name(), h, d)
	env.Go("Driver", func(b *rpcenv.Blocking) error {
		applicationmaster.Attend(b, d, func() error { return program(context.Background(), app.On(d, b), m.args, io.Discard) })
		return nil
	})
	return nil
}

// startExecutor is an executor in a container.
func (y *YARN) startExecutor(h rpcenv.Host, args executor.Args) error {
	store := y.blocks.newStore(args.Hostname, func() bool { return hasEnded(h) })
	return executor.Boot{Args: args, Log: rpcenv.NoLog(), IO: executor.IO{FS: app.Files{}, Blocks: store, Transfer: y.blocks}}.Run(h)
}
