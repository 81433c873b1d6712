package local

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/coherer/coherer/actors/applicationmaster"
	"github.com/coherer/coherer/actors/hadoop/rmproxy"
	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/nodemanager/launch"
	"github.com/coherer/coherer/actors/submit"
	"github.com/coherer/coherer/actors/yarnclient"
	"github.com/coherer/coherer/cluster/app"
	"github.com/coherer/coherer/cluster/known"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
)

// master is what an application master finds in its container: the files that its client staged.
func (y *YARN) master(cmd rpcenv.Command) (applicationmaster.Boot, error) {
	x := applicationmaster.Boot{ClusterMode: roleOf(cmd) == submit.ApplicationMasterWord, FS: y.world.Files(), Transfer: y.world.Transfer(), Blocks: y.world.Blocks}
	found, err := y.files.container(cmd.Dir)
	if err != nil {
		return x, err
	}
	id, err := ids.ParseContainer(found.ID)
	if err != nil {
		return x, err
	}
	x.Attempt, x.Host, x.Tokens, x.Staging = id.Attempt, found.Host, found.Tokens, stagingOf{y.files, found.Env}
	if x.Args, err = applicationmaster.ParseArgs(cmd.Args[2:]); err != nil {
		return x, err
	}
	archive, err := y.files.linked(found, "__spark_conf__")
	if err != nil {
		return x, err
	}
	settings := map[string]string{}
	for _, e := range archive.entries {
		values, err := conf.ParseProperties(strings.NewReader(e.Content))
		if err != nil {
			return x, fmt.Errorf("%s: %w", e.Name, err)
		}
		if e.Name == "__spark_dist_cache__.properties" { // apart from the settings, as Spark keeps them from the driver's
			x.DistCache = values
			continue
		}
		settings = values
	}
	x.Env.Log = rpcenv.NoLog()
	x.Env.Conf, err = conf.New(settings, known.All())
	return x, err
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

// startMaster is an application master, in cluster mode with its driver: the program runs when the allocator is there.
func (y *YARN) startMaster(h rpcenv.Host, cmd rpcenv.Command) error {
	x, err := y.master(cmd)
	if err != nil {
		return err
	}
	x.Env.Name = y.nameOf(cmd)
	rm, err := rmproxy.Address(x.Env.Conf)
	if err != nil {
		return err
	}
	x.Made = func(env *rpcenv.Env) error { return y.Ring.Enter(env, "applicationmaster", rm) }
	if !x.ClusterMode {
		_, err := x.Run(h)
		return err
	}
	program := y.programs[x.Args.Class]
	if program == nil {
		return fmt.Errorf("no program is called %s", x.Args.Class)
	}
	x.Env.Listen.Host = x.Host
	r, err := x.Run(h)
	if err != nil {
		return err
	}
	y.observer.Driver(x.Env.Name, h, r.Driver)
	r.Env.Go("Driver", func(b *rpcenv.Blocking) error {
		r.Attend(b, func() error { return program(context.Background(), app.On(r.Driver, b), x.Args.Args, io.Discard) })
		return nil
	})
	return nil
}
