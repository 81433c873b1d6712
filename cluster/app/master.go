package app

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/sirupsen/logrus"

	"github.com/coherer/coherer/actors/applicationmaster"
	"github.com/coherer/coherer/actors/storage/broadcast"
	"github.com/coherer/coherer/cluster/boot"
	"github.com/coherer/coherer/cluster/gossip"
	"github.com/coherer/coherer/cluster/known"
	"github.com/coherer/coherer/rpcenv"
)

// runMaster runs an ApplicationMaster in this process. In cluster mode the driver is inside, and find returns its program by the
// class; in client mode the driver is elsewhere. runMaster returns the exit code, or why it could not begin. It mirrors
// org.apache.spark.deploy.yarn.ApplicationMaster and ExecutorLauncher.
func runMaster(clusterMode bool, args []string, find func(class string) (Program, error)) (code int, err error) {
	a, err := applicationmaster.ParseArgs(args)
	if err != nil {
		return 0, err
	}
	var program Program
	if clusterMode {
		if program, err = find(a.Class); err != nil {
			return 0, err
		}
	}
	log := NewLog(logrus.InfoLevel)
	x, err := findMaster(clusterMode, a, log)
	if err != nil {
		return 0, err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	trace := ""
	if dir := rpcenv.TraceDir.Get(x.Env.Conf); dir != "" {
		trace = filepath.Join(dir, "am-"+x.Attempt.String()+".trace")
	}
	rec, err := recorderOrRing(trace, x.Env.Conf, log)
	if err != nil {
		return 0, err
	}
	p, err := boot.New(boot.Options{Recorder: rec, Warn: log.Warn, Child: true, IdleTimeout: rpcenv.NetworkTimeout.Get(x.Env.Conf)})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	var member *gossip.Member
	defer func() { member.Part() }()
	x.Made = func(env *rpcenv.Env) error {
		var err error
		if member, err = enter(ctx, env, "applicationmaster", x.Attempt.App.String(), x.Env.Listen.Host, resourceManagerOf(env.Conf())); err != nil {
			return err
		}
		if err := p.Serve(env, ""); err != nil || !clusterMode {
			return err
		}
		warnDriver(env, x.Env.Listen.Host, log)
		return serveSelf(p.Host, env.Address())
	}
	var broadcasts *DriverBlocks
	x.Blocks = func(env *rpcenv.Env) broadcast.Server {
		broadcasts = NewDriverBlocks(env, x.Env.Listen.Host, log)
		return broadcasts
	}
	defer func() {
		if broadcasts != nil {
			err = errors.Join(err, broadcasts.Close())
		}
	}()
	r, err := x.Run(p.Host)
	if err != nil {
		return 0, rpcenv.ListenAdvice(err, known.DriverBindAddress.Source(x.Env.Conf), known.DriverPort.Key())
	}
	running, cancel := context.WithCancel(context.Background())
	defer cancel()
	if clusterMode {
		// A goroutine, not a body of Env.Go: a program that does not end must not hold up the end of the process.
		go func() {
			b := r.Env.Blocking(running)
			defer b.Close()
			r.Attend(b, func() error { return program(running, &App{driver: r.Driver, blocking: r.Env.Blocking}, a.Args) })
		}()
	}
	select {
	case code := <-p.Exits():
		return code, nil
	case <-ctx.Done():
	}
	b := r.Env.Blocking(running)
	defer b.Close()
	if err := b.Send(r.Env.Ref(r.Env.Address(), applicationmaster.Name), applicationmaster.Terminated{}); err != nil {
		log.Warnf("the ApplicationMaster does not know that it is to end: %v", err)
		return applicationmaster.ExitEarly, nil
	}
	// After it has unregistered, or left the application to another attempt.
	return <-p.Exits(), nil
}
