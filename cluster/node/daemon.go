package node

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/sirupsen/logrus"

	"github.com/coherer/coherer/cluster/gossip"
	"github.com/coherer/coherer/cluster/process"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
	"github.com/coherer/coherer/rpcenv/metrics/debug"
	"github.com/coherer/coherer/rpcenv/metrics/reader"
	"github.com/coherer/coherer/rpcenv/parent"
	"github.com/coherer/coherer/rpcenv/trace"
	"github.com/coherer/coherer/rpcenv/tracer"
	"github.com/coherer/coherer/rpcenv/transport"
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

// exitParentGone is the exit code of a daemon whose parent ended.
const exitParentGone = 128 + 9

// daemon is a daemon that runs: its Host, Env, membership and recorder.
type daemon struct {
	opts     Options
	host     *transport.Host
	recorder *trace.Recorder
	exits    chan int // room for two: the end of the parent, and the daemon's own
	node     *Node
	member   *gossip.Member
	debug    *debug.Server
	faces    faces
	unwatch  func()
	yarn     bool // the daemon is one of YARN
}

// newDaemon makes the Host, whose Start is start.
func newDaemon(opts Options, start func(rpcenv.Command, func(rpcenv.Exit)) (rpcenv.Process, error)) (*daemon, error) {
	d := &daemon{opts: opts, exits: make(chan int, 2)}
	var err error
	path := ""
	if dir := conf.TraceDir.Get(opts.Conf); dir != "" {
		if dir, err = trace.MakeDir(dir); err != nil {
			return nil, err
		}
		path = filepath.Join(dir, d.name()+".trace")
	}
	if d.recorder, err = trace.NewProcessRecorder(path, int(conf.TraceBodyLimit.Get(opts.Conf))); err != nil {
		return nil, err
	}
	if d.unwatch, err = parent.Watch(func() { d.exit(exitParentGone) }); err != nil {
		return nil, errors.Join(err, d.recorder.Close())
	}
	d.host = transport.New(transport.Options{Recorder: d.recorder, Start: start, ExitFunc: d.exit})
	return d, nil
}

func (d *daemon) name() string {
	if name := conf.TraceName.Get(d.opts.Conf); name != "" {
		return name
	}
	return d.opts.Role + "-" + fmt.Sprint(os.Getpid())
}

// exit ends the daemon with a code, once.
func (d *daemon) exit(code int) {
	// It is called by actors, which must not wait: a code that finds no room is a later one, and the first counts.
	select {
	case d.exits <- code:
	default:
	}
}

// env is the Env's configuration.
func (d *daemon) env() rpcenv.Config {
	return rpcenv.Config{Name: d.name(), Listen: d.opts.Listen, Conf: d.opts.Conf, Log: d.opts.Log}
}

// listen starts the role at the port asked for, or one of the next.
func (d *daemon) listen(start func(rpcenv.Config) (*Node, error)) error {
	var err error
	d.node, err = start(d.env())
	if err != nil {
		return rpcenv.ListenAdvice(err, "--host", "--port")
	}
	d.warnRPC()
	// The role runs already, and may end itself at any time: a Register that finds its Env stopped is no error of its own.
	err = errors.Join(tracer.Register(d.node.Env), d.serveMetrics())
	if errors.Is(err, rpcenv.ErrStopped) { // the role has logged why it ended; its code follows
		return &ExitError{<-d.exits}
	}
	return err
}

// serveMetrics lets others read the daemon's counters: over RPC always, over HTTP if it is asked for.
func (d *daemon) serveMetrics() error {
	err := reader.Register(d.node.Env)
	at, setting := d.opts.Debug, "--debug-addr"
	if at == "" {
		at, setting = conf.DebugAddr.Get(d.opts.Conf), conf.DebugAddr.Key()
	}
	if at == "" || err != nil {
		return err
	}
	d.debug, err = debug.Serve(at, setting, d.opts.Log, d.node.Env)
	if err == nil {
		d.opts.Log.Infof("metrics and profiles at http://%s/metrics and /debug/pprof/", d.debug.Addr())
	}
	return err
}

// ready reports to the process that started the daemon that it can be used.
func (d *daemon) ready() error {
	url := d.node.Env.Address().SparkURL()
	if d.yarn {
		url = d.node.Env.Address().YARNURL()
	}
	d.opts.Log.Infof("%s at %s", d.opts.Role, url)
	if d.opts.ReadyFD == 0 {
		return nil
	}
	r := process.Ready{Role: d.opts.Role, URL: url, PID: os.Getpid(), Debug: d.debug.Addr(), UI: d.faces.url}
	if d.member != nil {
		r.Gossip = d.member.Addr().String()
	}
	return process.ReportReady(d.opts.ReadyFD, r)
}

// wait waits for the end: ctx, which is no error, or the daemon's own exit.
func (d *daemon) wait(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return nil
	case code := <-d.exits:
		if code == 0 {
			return nil
		}
		return &ExitError{code}
	}
}

// because is err, or the daemon's own exit, if that caused err: the daemon has logged what was wrong.
func (d *daemon) because(err error) error {
	select {
	case code := <-d.exits:
		return &ExitError{code}
	default:
		return err
	}
}

// close ends the parts of the daemon, in good order.
func (d *daemon) close() error {
	if d.member != nil {
		leaving, cancel := context.WithTimeout(context.Background(), leaveTime)
		if err := d.member.Leave(leaving); err != nil {
			d.opts.Log.Debugf("nobody heard the goodbye; they will notice: %v", err)
		}
		cancel()
		d.member.Close()
	}
	// Pages ask the Env, so they end before it; the recorder, which the Env writes to, after it.
	served := errors.Join(d.debug.Close(), d.faces.close())
	if d.node != nil {
		d.node.Env.Close()
	}
	d.unwatch()
	if err := d.recorder.Close(); err != nil { // on a full disk, say: the daemon itself has not failed
		d.opts.Log.Warn(err)
	}
	return errors.Join(served, d.host.Close())
}
