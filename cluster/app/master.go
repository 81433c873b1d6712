package app

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/sirupsen/logrus"

	"github.com/coherer/coherer/actors/applicationmaster"
	"github.com/coherer/coherer/actors/driver"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
	"github.com/coherer/coherer/rpcenv/program"
	"github.com/coherer/coherer/rpcenv/tracer"
	"github.com/coherer/coherer/rpcenv/transport"
)

// ApplicationMaster runs the ApplicationMaster of an application in cluster mode in this process, with the driver inside: find
// returns the program of a class. It returns the exit code, or why it could not begin. It mirrors
// org.apache.spark.deploy.yarn.ApplicationMaster.
func ApplicationMaster(args []string, find func(class string) (Program, error)) (code int, err error) {
	a, err := parseMasterArgs(args)
	if err != nil {
		return 0, err
	}
	program, err := find(a.class)
	if err != nil {
		return 0, err
	}
	m, err := newMaster(a, "Driver")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, m.close()) }()
	m.cfg.ClusterMode = true
	if err := m.listen(); err != nil {
		return 0, err
	}
	// Before the driver: the endpoint YarnAM must be there when the program is ready.
	if err := m.register(); err != nil {
		return 0, err
	}
	if err := serveSelf(m.host, m.env.Address()); err != nil {
		return 0, err
	}
	d, err := driver.Start(m.env, driver.Config{
		AppName: conf.AppName.Get(m.conf), FS: Files{}, YARN: &driver.YARN{AppID: m.cfg.Attempt.App.String()},
	})
	if err != nil {
		return 0, err
	}
	return m.run(func(ctx context.Context) {
		b := m.env.Blocking(ctx)
		defer b.Close()
		applicationmaster.Attend(b, d, func() error { return program(ctx, &App{driver: d, blocking: m.env.Blocking}, a.args) })
	}), nil
}

// ExecutorLauncher runs the ApplicationMaster of an application in client mode in this process: its driver is elsewhere. It
// mirrors org.apache.spark.deploy.yarn.ExecutorLauncher.
func ExecutorLauncher(args []string) (code int, err error) {
	a, err := parseMasterArgs(args)
	if err != nil {
		return 0, err
	}
	if len(a.args) == 0 {
		return 0, errors.New("an ExecutorLauncher needs --arg HOST:PORT, where the driver listens")
	}
	m, err := newMaster(a, "AM")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, m.close()) }()
	if m.cfg.Driver, err = rpcenv.ParseAddress(a.args[0]); err != nil {
		return 0, fmt.Errorf("--arg: %w", err)
	}
	// It does not listen: the driver speaks over the connection that this Env opens.
	if m.env, err = rpcenv.New(m.host, rpcenv.Config{Name: m.name, Conf: m.conf, Log: m.log}); err != nil {
		return 0, err
	}
	if err := m.register(); err != nil {
		return 0, err
	}
	return m.run(nil), nil
}

// master is the process of an ApplicationMaster.
type master struct {
	cfg   applicationmaster.Config
	conf  *conf.Conf
	log   *logrus.Entry
	name  string
	host  *transport.Host
	env   *rpcenv.Env
	ended chan int // the exit code
	close func() error
	ctx   context.Context
}

// newMaster reads the settings and the environment of the container, and makes everything but the Env.
func newMaster(a masterArgs, name string) (*master, error) {
	settings, err := readProperties(a.properties)
	if err != nil {
		return nil, err
	}
	digest, path, err := program.Self()
	if err != nil {
		return nil, err
	}
	attempt, err := thisAttempt()
	if err != nil {
		return nil, err
	}
	settings[conf.AppID.Key()] = attempt.App.String()
	settings[conf.AppBinary.Key()] = digest
	if settings[conf.AppName.Key()] == "" {
		settings[conf.AppName.Key()] = filepath.Base(path)
	}
	c, err := conf.New(settings)
	if err != nil {
		return nil, err
	}
	if err := poolsFile(c); err != nil {
		return nil, err
	}
	if made, err := withTraceDir(c); err == nil { // else recorderOrRing warns
		c = made
	}
	m := &master{conf: c, log: NewLog(logrus.InfoLevel), ended: make(chan int, 1), name: nameOr(c, name)}
	for _, w := range c.Warnings() {
		m.log.Warn(w)
	}
	if m.cfg, err = masterConfig(a, c, attempt); err != nil {
		return nil, err
	}
	ctx, stop, err := withSignals()
	if err != nil {
		return nil, err
	}
	m.ctx = ctx
	trace := ""
	if dir := conf.TraceDir.Get(c); dir != "" {
		trace = filepath.Join(dir, "am-"+m.cfg.Attempt.String()+".trace")
	}
	rec, err := recorderOrRing(trace, c, m.log)
	if err != nil {
		stop()
		return nil, err
	}
	m.host = transport.New(transport.Options{Recorder: rec, ExitFunc: func(code int) { m.ended <- code }})
	m.close = func() error {
		stop()
		closeRecorder(rec, m.log)
		return m.host.Close()
	}
	return m, nil
}

// listen makes the Env of a driver.
func (m *master) listen() (err error) {
	bind := conf.DriverBindAddress.Get(m.conf)
	if bind == "" {
		// Not the loopback address: executors run on other nodes.
		bind = m.cfg.Host
	}
	m.env, err = rpcenv.New(m.host, rpcenv.Config{
		Name: m.name, Listen: rpcenv.Address{Host: bind, Port: conf.DriverPort.Get(m.conf)}, Conf: m.conf, Log: m.log,
	})
	if err != nil {
		return rpcenv.ListenAdvice(err, conf.DriverBindAddress.Source(m.conf), conf.DriverPort.Key())
	}
	warnDriver(m.env, bind, m.log)
	return nil
}

// register makes the endpoint, and those that serve the trace and the counters.
func (m *master) register() error {
	am, err := applicationmaster.New(m.cfg)
	if err != nil {
		return err
	}
	if err := tracer.Register(m.env); err != nil {
		return err
	}
	if _, err := serveMetrics(m.env, m.conf, m.log); err != nil { // as long as the process
		return err
	}
	_, err = m.env.Register(applicationmaster.Name, am)
	return err
}

// run waits for the end of the ApplicationMaster. user, if not nil, runs meanwhile. A signal ends both.
func (m *master) run(user func(context.Context)) int {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if user != nil {
		go user(ctx)
	}
	select {
	case code := <-m.ended:
		return code
	case <-m.ctx.Done():
	}
	b := m.env.Blocking(ctx)
	defer b.Close()
	if err := b.Send(m.env.Ref(m.env.Address(), applicationmaster.Name), applicationmaster.Terminated{}); err != nil {
		m.log.Warnf("the ApplicationMaster does not know that it is to end: %v", err)
		return applicationmaster.ExitEarly
	}
	// After it has unregistered, or left the application to another attempt.
	return <-m.ended
}
