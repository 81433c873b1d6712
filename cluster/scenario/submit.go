package scenario

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/coherer/coherer/actors/driver"
	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/cluster/app"
	"github.com/coherer/coherer/cluster/builtin"
	"github.com/coherer/coherer/cluster/local"
	clusternode "github.com/coherer/coherer/cluster/node"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
	"github.com/coherer/coherer/rpcenv/rpctest/script/syntax"
)

// program is an application that a script submitted.
type program struct {
	mu    sync.Mutex
	start func() // lets the program begin, if the script holds it
	done  chan struct{}
	out   strings.Builder
	err   error
}

// submit starts a driver with a built-in program: NAME PROGRAM [ARG ...] master=NAME [hold=true] [K=V ...].
func (r *Runner) submit(c syntax.Command) error {
	if len(c.Args) < 2 {
		return errors.New("want: submit NAME PROGRAM [ARG ...] master=NAME [K=V ...]")
	}
	name := c.Args[0]
	if err := ids.Check("process", name); err != nil {
		return err
	}
	if c.Option("deploy-mode", "client") == "cluster" {
		return r.submitToCluster(c)
	}
	run, ok := builtin.Programs[c.Args[1]]
	if !ok {
		run, ok = builtin.Studies[c.Args[1]]
	}
	if !ok {
		return fmt.Errorf("no program is called %s", c.Args[1])
	}
	cfg, settings, err := r.client(c)
	if err != nil {
		return err
	}
	h, env, err := r.process(name, settings)
	if err != nil {
		return err
	}
	if r.everybody {
		if err := r.enter(env, cfg); err != nil {
			return err
		}
	}
	cfg.Blocks = r.world.Blocks(env)
	p := &program{done: make(chan struct{})}
	hold := c.Option("hold", "") == "true"
	d, err := local.RunDriver(env, cfg, func(b *rpcenv.Blocking, a *app.App) error {
		if hold {
			err := b.Wait(func(wake func()) {
				p.mu.Lock()
				defer p.mu.Unlock()
				p.start = wake
			})
			if err != nil {
				return err
			}
		}
		return run(context.Background(), a, c.Args[2:], &p.out)
	}, func(err error) {
		p.err = err
		close(p.done)
		r.world.Wake()
	})
	if err != nil {
		return err
	}
	r.nodes[name] = &node{name: name, Node: &clusternode.Node{Env: env}}
	r.programs[name] = p
	r.observer.Driver(name, h, d)
	return nil
}

// client is a driver in client mode, and its settings.
func (r *Runner) client(c syntax.Command) (driver.Config, *conf.Conf, error) {
	cfg := driver.Config{AppName: c.Args[0], Transfer: r.world.Transfer(), FS: r.world.Files()}
	if rm := c.Option("master", "M"); r.managers[rm] {
		n, err := r.find(rm)
		if err != nil {
			return cfg, nil, err
		}
		cfg.YARN = &driver.YARN{ResourceManager: n.Env.Address(), Submission: r.onYARN().ClientMode(c.Args[0], c.Args[1])}
		settings, err := r.yarnSettings(c, n)
		return cfg, settings, err
	}
	var err error
	if cfg.Masters, err = r.masters(c.Option("master", "M")); err != nil {
		return cfg, nil, err
	}
	all, err := r.conf.With(settingsIn(c))
	return cfg, all, err
}

// settingsIn are the settings among the options of a submission.
func settingsIn(c syntax.Command) map[string]string {
	settings := map[string]string{}
	for _, o := range c.Options {
		if strings.HasPrefix(o.Key, "spark.") {
			settings[o.Key] = o.Value
		}
	}
	return settings
}

// release lets a program begin that was submitted with hold=true.
func (r *Runner) release(c syntax.Command) error {
	if err := c.Need(1, "NAME"); err != nil {
		return err
	}
	p := r.programs[c.Args[0]]
	if p == nil {
		return fmt.Errorf("the script submitted no %s", c.Args[0])
	}
	var start func()
	// The program's body may not have come to its wait yet.
	if err := r.world.Run(func() bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		start = p.start
		return start != nil
	}, patience); err != nil {
		return fmt.Errorf("%s was not submitted with hold=true: %w", c.Args[0], err)
	}
	start()
	return nil
}

// result prints what a program wrote, and how it ended.
func (r *Runner) result(c syntax.Command) error {
	if err := c.Need(1, "NAME"); err != nil {
		return err
	}
	p := r.programs[c.Args[0]]
	switch {
	case p == nil:
		return fmt.Errorf("the script submitted no %s", c.Args[0])
	case !closed(p.done):
		fmt.Fprintf(&r.out, "%s runs\n", c.Args[0])
		return nil
	}
	r.out.WriteString(p.out.String())
	if p.err != nil {
		fmt.Fprintf(&r.out, "%s failed: %v\n", c.Args[0], p.err)
	}
	return nil
}
