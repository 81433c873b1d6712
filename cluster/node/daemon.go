package node

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"

	"github.com/sirupsen/logrus"

	"github.com/coherer/coherer/cluster/boot"
	"github.com/coherer/coherer/cluster/gossip"
	"github.com/coherer/coherer/cluster/process"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
)

// Options are those of every daemon.
type Options struct {
	// Role is the daemon's sub-command.
	Role string
	// Listen is where its Env listens. A port that is taken is tried again with the next ones (spark.port.maxRetries),
	// unless it is 0, any free one, or others know it already: those of YARN's daemons and of one of several Masters.
	Listen rpcenv.Address
	// Conf are the settings.
	Conf *conf.Conf
	// Join names members of the cluster, HOST:PORT of their gossip.
	Join []string
	// Gossip is where membership listens.
	Gossip rpcenv.Address
	// Debug is where /metrics and /debug/pprof are served, HOST:PORT; empty: at coherer.debug.addr, else nowhere.
	Debug string
	// Pages is where the daemon's pages are served over HTTP; a port that is taken is tried again with the next ones. The zero
	// Address: nowhere.
	Pages rpcenv.Address
	// PublicName is the name by which others find the pages (SPARK_PUBLIC_DNS); empty: the address.
	PublicName string
	// ReadyFD is the descriptor that gets the ready line; 0: none.
	ReadyFD int
	// Log is the daemon's log.
	Log *logrus.Entry
}

// ExitError is the end of a daemon by its own decision, with an exit code.
type ExitError struct{ Code int }

func (e *ExitError) Error() string { return fmt.Sprintf("exit code %d", e.Code) }

// daemon is a daemon that runs: its process, its role and what it shows.
type daemon struct {
	opts    Options
	process *boot.Process
	node    *Node
	member  *gossip.Member
	shown   atomic.Pointer[gossip.Member]                // member, for the pages, which begin earlier
	vitals  func(context.Context) (gossip.Vitals, error) // what the members hear of it
	faces   faces
	yarn    bool           // the daemon is one of YARN
	group   gossip.Group   // of a Master that is one of several
	failed  chan error     // gets an error that ends the daemon
	later   sync.WaitGroup // what the end waits for
}

// newDaemon makes the process, whose Host starts others by start.
func newDaemon(opts Options, start func(rpcenv.Command, func(rpcenv.Exit)) (rpcenv.Process, error)) (*daemon, error) {
	d := &daemon{opts: opts, failed: make(chan error, 1)}
	rec, err := boot.RecordAs(d.name(), opts.Conf)
	if err != nil {
		return nil, err
	}
	d.process, err = boot.New(boot.Options{
		Recorder: rec, Warn: opts.Log.Warn, Child: true, Start: start, IdleTimeout: rpcenv.NetworkTimeout.Get(opts.Conf),
	})
	return d, err
}

func (d *daemon) name() string {
	if name := rpcenv.TraceName.Get(d.opts.Conf); name != "" {
		return name
	}
	return d.opts.Role + "-" + fmt.Sprint(os.Getpid())
}

// listen starts the role at the port asked for, or one of the next.
func (d *daemon) listen(start func(rpcenv.Config) (*Node, error)) error {
	var err error
	d.node, err = start(rpcenv.Config{Name: d.name(), Listen: d.opts.Listen, Conf: d.opts.Conf, Log: d.opts.Log})
	if err != nil {
		return rpcenv.ListenAdvice(err, "--host", "--port")
	}
	d.warnRPC()
	// The role runs already, and may end itself at any time: a Register that finds its Env stopped is no error of its own.
	err = d.process.Serve(d.node.Env, d.opts.Debug)
	if errors.Is(err, rpcenv.ErrStopped) { // the role has logged why it ended; its code follows
		return &ExitError{<-d.process.Exits()}
	}
	return err
}

// ready reports to the process that started the daemon that it can be used.
func (d *daemon) ready() error {
	url := d.node.Env.Address().SparkURL()
	if d.yarn {
		url = d.node.Env.Address().YARNURL()
	}
	d.opts.Log.Infof("%s at %s, its gossip at %s", d.opts.Role, url, d.member.Addr())
	if d.opts.ReadyFD == 0 {
		return nil
	}
	return process.ReportReady(d.opts.ReadyFD, process.Ready{
		Role: d.opts.Role, URL: url, PID: os.Getpid(), Debug: d.process.DebugAddr(), UI: d.faces.url, Gossip: d.member.Addr().String(),
	})
}

// wait waits for the end: ctx, which is no error, or the daemon's own exit.
func (d *daemon) wait(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return nil
	case err := <-d.failed:
		return err
	case code := <-d.process.Exits():
		if code == 0 {
			return nil
		}
		return &ExitError{code}
	}
}

// because is err, or the daemon's own exit, if that caused err: the daemon has logged what was wrong.
func (d *daemon) because(err error) error {
	select {
	case code := <-d.process.Exits():
		return &ExitError{code}
	default:
		return err
	}
}

// close ends the daemon: the cluster hears of it first.
func (d *daemon) close() error {
	d.member.Part()
	// The pages ask the Env, which ends with the process.
	err := errors.Join(d.faces.close(), d.process.Close())
	d.later.Wait() // after the Env's end, which begins nothing more
	return err
}
