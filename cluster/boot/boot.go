package boot

import (
	"errors"
	"time"

	"github.com/sirupsen/logrus"

	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/metrics/debug"
	"github.com/coherer/coherer/rpcenv/metrics/reader"
	"github.com/coherer/coherer/rpcenv/parent"
	"github.com/coherer/coherer/rpcenv/trace/record"
	"github.com/coherer/coherer/rpcenv/tracer"
	"github.com/coherer/coherer/rpcenv/transport"
)

// Options say what kind of process this is. The zero value is a command that records nothing.
type Options struct {
	// Recorder takes the trace; nil: the process records nothing. The Process closes it.
	Recorder *record.Recorder
	// Warn hears why the trace lacks records, on a full disk, say: the process has not failed. A Recorder without a file has nothing
	// to say, and needs no Warn.
	Warn func(why ...any)
	// Child: the process ends with the one that started it, by Exit with [ExitParentGone]. A command is no child: it may run below a
	// process of a cluster whose pipe it did not inherit.
	Child bool
	// Exit ends the process at once. nil: the code waits in Exits, and the owner ends the process in good order.
	Exit func(code int)
	// Start starts other processes; nil: it cannot.
	Start func(rpcenv.Command, func(rpcenv.Exit)) (rpcenv.Process, error)
	// ConnectTimeout is transport.Options.ConnectTimeout.
	ConnectTimeout time.Duration
	// IdleTimeout is transport.Options.IdleTimeout, which Open takes from spark.network.timeout.
	IdleTimeout time.Duration
}

// ExitParentGone is the exit code of a process whose parent ended: that of SIGKILL, which reaches it on Linux.
const ExitParentGone = 128 + 9

// Process is what this process stands on: recorder, watch of the parent, Host, Env, server of metrics.
type Process struct {
	Host *transport.Host
	// Env is nil between New and Serve.
	Env *rpcenv.Env

	opts    Options
	exits   chan int // room for two: the end of the parent, and the process's own
	unwatch func()
	debug   *debug.Server
}

// New makes the Host: for a role that makes the Env.
func New(opts Options) (*Process, error) {
	p := &Process{opts: opts, exits: make(chan int, 2), unwatch: func() {}}
	exit := opts.Exit
	if exit == nil {
		exit = p.exit
	}
	if opts.Child {
		var err error
		if p.unwatch, err = parent.Watch(func() { exit(ExitParentGone) }); err != nil {
			return nil, errors.Join(err, opts.Recorder.Close())
		}
	}
	p.Host = transport.New(transport.Options{
		Recorder: opts.Recorder, Start: opts.Start, ExitFunc: exit, ConnectTimeout: opts.ConnectTimeout,
		IdleTimeout: opts.IdleTimeout,
	})
	return p, nil
}

// exit is called by actors, which must not wait: a code that finds no room is a later one, and the first counts.
func (p *Process) exit(code int) {
	select {
	case p.exits <- code:
	default:
	}
}

// Exits gets the exit code that an endpoint chose (rpcenv.Context.Exit), or that the parent's end means.
func (p *Process) Exits() <-chan int { return p.exits }

// Open is New with an Env.
func Open(opts Options, cfg rpcenv.Config) (*Process, error) {
	opts.IdleTimeout = rpcenv.NetworkTimeout.Get(cfg.Conf)
	p, err := New(opts)
	if err != nil {
		return nil, err
	}
	if p.Env, err = rpcenv.New(p.Host, cfg); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

// Serve lets others look at the process by its Env: the endpoints Tracer and Metrics, and over HTTP /metrics and profiles, if
// debugAt (--debug-addr) or else coherer.debug.addr says where. A role that made env on Host hands it over by this call.
func (p *Process) Serve(env *rpcenv.Env, debugAt string) error {
	p.Env = env // also when the rest fails: Close ends it
	if err := errors.Join(tracer.Register(env), reader.Register(env)); err != nil {
		return err
	}
	setting := "--debug-addr"
	if debugAt == "" {
		debugAt, setting = rpcenv.DebugAddr.Get(env.Conf()), rpcenv.DebugAddr.Key()
	}
	if debugAt == "" {
		return nil
	}
	log := env.Log()
	var err error
	if p.debug, err = debug.Serve(debugAt, setting, log, env); err != nil {
		return err
	}
	level := logrus.InfoLevel
	if !log.Logger.IsLevelEnabled(level) { // a driver logs warnings only, and with port 0 nothing else says where to look
		level = logrus.WarnLevel
	}
	log.Logf(level, "metrics and profiles at http://%s/metrics and /debug/pprof/", p.DebugAddr())
	return nil
}

// DebugAddr is where /metrics is served, HOST:PORT; empty: nowhere.
func (p *Process) DebugAddr() string { return p.debug.Addr() }

// Close ends the process's parts, each before what it stands on.
func (p *Process) Close() error {
	served := p.debug.Close() // its handlers ask the Env
	if p.Env != nil {
		p.Env.Close() // its endpoints take leave of their peers, and that is recorded
	}
	// Before the Host, which waits up to 5 s for bodies that do not end: the trace is whole if whoever started this process
	// loses patience and kills it meanwhile. What the Host's end cuts off then is not recorded.
	p.CloseTrace()
	closed := p.Host.Close()
	// Last: a driver whose end takes long still ends with its parent.
	p.unwatch()
	return errors.Join(served, closed)
}

// CloseTrace closes the trace alone. A process that ends at once, by os.Exit with its Env as it is, calls it instead of Close.
func (p *Process) CloseTrace() {
	if err := p.opts.Recorder.Close(); err != nil {
		p.opts.Warn(err)
	}
}
