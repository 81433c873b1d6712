package scenario

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/coherer/coherer/actors/app"
	"github.com/coherer/coherer/actors/driver"
	"github.com/coherer/coherer/cluster/builtin"
	"github.com/coherer/coherer/cluster/local"
	clusternode "github.com/coherer/coherer/cluster/node"
	"github.com/coherer/coherer/rpcenv"
)

// program is an application that a script submitted.
type program struct {
	done chan struct{}
	out  strings.Builder
	err  error
}

// submit starts a driver with a built-in program: NAME PROGRAM [ARG ...] master=NAME [K=V ...].
func (r *Runner) submit(c command) error {
	if len(c.args) < 2 {
		return errors.New("want: submit NAME PROGRAM [ARG ...] master=NAME [K=V ...]")
	}
	name := c.args[0]
	run, ok := builtin.Programs[c.args[1]]
	if !ok {
		return fmt.Errorf("no program is called %s", c.args[1])
	}
	m, err := r.find(c.option("master", "M"))
	if err != nil {
		return err
	}
	settings := map[string]string{}
	for _, o := range c.options {
		if strings.HasPrefix(o.key, "spark.") {
			settings[o.key] = o.value
		}
	}
	conf, err := r.conf.With(settings)
	if err != nil {
		return err
	}
	h, ip := r.world.Process(name)
	env, err := rpcenv.New(h, rpcenv.Config{Name: name, Listen: rpcenv.Address{Host: ip}, Conf: conf})
	if err != nil {
		return err
	}
	d, err := driver.Start(env, driver.Config{AppName: name, Masters: []rpcenv.Address{m.Env.Address()}, FS: app.Files{}})
	if err != nil {
		return err
	}
	p := &program{done: make(chan struct{})}
	r.nodes[name] = &node{name, &clusternode.Node{Env: env}}
	r.programs[name] = p
	local.RunDriver(env, d, func(_ *rpcenv.Blocking, a *app.App) error {
		return run(context.Background(), a, c.args[2:], &p.out)
	}, func(err error) {
		p.err = err
		close(p.done)
		r.world.Wake()
	})
	return nil
}

// result prints what a program wrote, and how it ended.
func (r *Runner) result(c command) error {
	if err := c.need(1, "NAME"); err != nil {
		return err
	}
	p := r.programs[c.args[0]]
	switch {
	case p == nil:
		return fmt.Errorf("the script submitted no %s", c.args[0])
	case !closed(p.done):
		fmt.Fprintf(&r.out, "%s runs\n", c.args[0])
		return nil
	}
	r.out.WriteString(p.out.String())
	if p.err != nil {
		fmt.Fprintf(&r.out, "%s failed: %v\n", c.args[0], p.err)
	}
	return nil
}
