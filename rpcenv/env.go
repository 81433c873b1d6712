package rpcenv

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/sirupsen/logrus"

	"github.com/coherer/coherer/rpcenv/codec"
	"github.com/coherer/coherer/rpcenv/conf"
	"github.com/coherer/coherer/rpcenv/metrics"
	"github.com/coherer/coherer/rpcenv/trace"
)

// Config is what an Env is made of.
type Config struct {
	// Name is how the trace and peers call this Env: "Master", "Worker1", "Driver", "Exec0".
	Name string
	// Listen is where to listen; port 0 is any free one. The zero Address is client mode: the Env has no address and no
	// endpoint-verifier, peers reach it over the connections that it opened.
	Listen Address
	// Advertise is the host of the Env's own Address, which peers dial; empty: Listen's.
	Advertise string
	// Conf are the settings; nil is all defaults.
	Conf *conf.Conf
	// Log is the Env's log; nil writes warnings and errors to stderr. NoLog drops everything.
	Log *logrus.Entry
}

// Env is a table of inboxes and outboxes over a Host: the endpoints of one process, or one of several in it. It mirrors
// org.apache.spark.rpc.RpcEnv. Its methods may be called from any goroutine.
type Env struct {
	host        Host
	hooks       Hooks // the host's
	cfg         Config
	log         *logrus.Entry
	table       *codec.Table
	recorder    *trace.Recorder
	metrics     metrics.Set
	num         uint32 // unique in the process
	switches    atomic.Pointer[switches]
	tag         trace.Name // its name in the ring
	incarnation uint64
	addr        Address
	listener    io.Closer
	asks        asks
	spawner     spawner
	local       atomic.Uint64 // ordinals of local items
	requests    atomic.Int64
	exiting     atomic.Bool

	mu        sync.Mutex // of all that follows; see the lock order in outbox.go
	endpoints map[string]*Inbox
	order     []*Inbox // in the order of registration, for connection events
	running   int      // endpoints that have not handled OnStop
	spawned   uint64
	outboxes  map[Address]*Outbox
	conns     map[uint64]*conn
	peers     map[Address][]*conn // those of conns whose peer listens
	links     map[*conn]struct{}  // all connections, those in their handshake too
	opened    uint64
	dials     uint64
	bodies    []*Blocking
	stopping  bool // Shutdown was called
	closing   bool // its endpoints have ended: connections end, none is made
	done      chan struct{}
	onDone    []func()

	noPIDs bool // the Env has ended; guarded by the lock of pids
}

// VerifierName is the endpoint that answers CheckExistence in each listening Env.
const VerifierName = "endpoint-verifier"

var envNumbers atomic.Uint32

// New makes an Env on a Host and, unless it is in client mode, begins to listen: at the port it was given or, while they
// are taken, at one of the next spark.port.maxRetries. Two messages with one number are an error that names both; when no
// port is free the error names the last one. After an error nothing is left of the Env. It mirrors RpcEnv.create.
func New(h Host, cfg Config) (*Env, error) {
	table, err := codec.Load()
	if err != nil {
		return nil, fmt.Errorf("rpcenv %s: %w", cfg.Name, err)
	}
	e := &Env{
		host: h, cfg: cfg, log: cfg.Log, table: table, recorder: h.Recorder(), num: envNumbers.Add(1),
		incarnation: h.Entropy("incarnation/" + cfg.Name),
		endpoints:   map[string]*Inbox{}, outboxes: map[Address]*Outbox{}, conns: map[uint64]*conn{},
		peers: map[Address][]*conn{}, links: map[*conn]struct{}{},
		done: make(chan struct{}),
	}
	e.asks.env = e
	// Both functions return the Inbox itself: it is the actor and the actor's mailbox.
	e.spawner.props = actor.PropsFromProducer(func() actor.Actor { return e.spawner.in },
		actor.WithMailbox(func() actor.Mailbox { return e.spawner.in }), actor.WithDispatcher(h.Dispatcher()))
	e.beginRecording()
	e.tag = e.recorder.Name(cfg.Name)
	if hooked, ok := h.(Hooked); ok {
		e.hooks = hooked.Hooks()
	}
	// Where the numbers of requests begin does not matter. The shift leaves room to count up: RequestID is signed.
	e.requests.Store(int64(h.Entropy("requests/"+cfg.Name) >> 2))
	if e.log == nil {
		e.log = defaultLog(cfg.Name)
	}
	if e.hooks.Adopt != nil {
		e.hooks.Adopt(e.discard)
	}
	if !cfg.Listen.IsZero() {
		if err := e.listen(); err != nil {
			return nil, fmt.Errorf("rpcenv %s: %w", cfg.Name, err)
		}
	}
	e.recordEnv()
	return e, nil
}

func (e *Env) listen() error {
	// The verifier must be there before the first connection, and the address before the verifier: a connection that comes as
	// soon as the port is bound waits for ready.
	ready := make(chan struct{})
	err := e.bind(func(l Link) Receiver {
		<-ready
		return e.accept(l)
	})
	if err != nil {
		close(ready) // no accept waits for ever
		return err
	}
	if e.cfg.Advertise != "" {
		e.addr.Host = unbracketed(e.cfg.Advertise)
	}
	_, err = e.Register(VerifierName, verifier{})
	close(ready)
	return err
}

// bind begins to listen.
func (e *Env) bind(accept func(Link) Receiver) error {
	at := e.cfg.Listen
	at.Host = unbracketed(at.Host)
	return NextPorts(at.Port, conf.PortMaxRetries.Get(e.cfg.Conf), func(port int) error {
		if port != e.cfg.Listen.Port {
			e.log.Warnf("Service '%s' could not bind on port %d. Attempting port %d.", e.cfg.Name, port-1, port)
		}
		at.Port = port
		var err error
		e.addr, e.listener, err = e.host.Listen(at, accept)
		return err
	})
}

// Address is where the Env listens; zero in client mode.
func (e *Env) Address() Address { return e.addr }

// Name is the Env's name.
func (e *Env) Name() string { return e.cfg.Name }

// Host is what the Env runs on.
func (e *Env) Host() Host { return e.host }

// Conf is the Env's settings.
func (e *Env) Conf() *conf.Conf { return e.cfg.Conf }

// Log is the Env's log.
func (e *Env) Log() *logrus.Entry { return e.log }

// Register makes an endpoint known under a name and starts it: OnStart is its first item. It is serial and traced, unless
// an Option says otherwise. The name must be free, else ErrNameTaken, and not empty: a Ref without a name is no endpoint. After
// Shutdown it is ErrStopped. It mirrors RpcEnv.setupEndpoint.
func (e *Env) Register(name string, ep Endpoint, opts ...Option) (Ref, error) {
	if name == "" {
		return Ref{}, fmt.Errorf("rpcenv %s: an endpoint needs a name", e.cfg.Name)
	}
	in := &Inbox{env: e, name: name, ep: ep}
	in.ctx.in, in.tag = in, e.recorder.Name(name)
	for _, o := range opts {
		o(in)
	}
	// OnStart is queued before the endpoint has its name: a message that finds the name comes after it.
	in.queue = in.queue.push(item{kind: itemStart, id: e.nextID(), name: "OnStart", sender: e.addr, received: e.traceTime()})
	e.mu.Lock()
	switch {
	case e.stopping:
		e.mu.Unlock()
		return Ref{}, fmt.Errorf("%w: RpcEnv has been stopped: cannot register %s", ErrStopped, name)
	case e.endpoints[name] != nil:
		e.mu.Unlock()
		return Ref{}, fmt.Errorf("%w: There is already an RpcEndpoint called %s", ErrNameTaken, name)
	}
	e.endpoints[name] = in
	e.order = append(e.order, in)
	e.running++
	e.spawned++ // the name may come again while the actor of the old inbox still drains: ids differ
	id := fmt.Sprintf("%d/%s#%d", e.num, name, e.spawned)
	e.busy(1) // the OnStart above
	e.mu.Unlock()

	// Env.mu is free: the spawn takes Inbox.mu. Items that others post before the actor is there are queued; Inbox.Start, which
	// protoactor calls at its end, asks for the first turn.
	pid, err := e.spawner.spawn(in, id)
	if err != nil { // ids are unique: not reached
		in.discard()
		e.forget(in)
		return Ref{}, fmt.Errorf("rpcenv %s: spawn %s: %w", e.cfg.Name, id, err)
	}
	in.setPID(pid)
	return Ref{Address: e.addr, Name: name}, nil
}

// Ref is a reference to an endpoint; nothing is asked.
func (e *Env) Ref(a Address, name string) Ref { return Ref{Address: a, Name: name} }

// forget takes out of the tables an endpoint whose actor could not be spawned.
func (e *Env) forget(in *Inbox) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.endpoints, in.name)
	e.order = without(e.order, in)
	e.running--
}

// lookup is the endpoint of that name, or nil.
func (e *Env) lookup(name string) *Inbox {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.endpoints[name]
}

// Stop stops an endpoint of this Env by name. It reports whether there was one.
func (e *Env) Stop(name string) bool {
	in := e.lookup(name)
	if in != nil {
		e.stop(in, trace.ID{})
	}
	return in != nil
}

func (e *Env) stop(in *Inbox, cause trace.ID) {
	e.mu.Lock()
	// The name goes first, so that it is free at once; it may belong to a successor already.
	if e.endpoints[in.name] == in {
		delete(e.endpoints, in.name)
	}
	e.mu.Unlock()
	in.stop(cause)
}

// ended is called after an endpoint's OnStop.
func (e *Env) ended(in *Inbox) {
	e.mu.Lock()
	e.order = without(e.order, in)
	e.running--
	last := e.stopping && e.running == 0
	e.mu.Unlock()
	// The connections outlive the endpoints: what an OnStop sends is still written out.
	if last {
		e.closeConnections()
	}
}

// Shutdown stops all endpoints, in the order of registration, writes out what was sent, and closes the connections and
// the listener. It does not wait; Done is closed at its end. It may be called again, and from inside a handler.
func (e *Env) Shutdown() {
	e.mu.Lock()
	if e.stopping {
		e.mu.Unlock()
		return
	}
	e.stopping = true
	all, bodies, none := slices.Clone(e.order), slices.Clone(e.bodies), e.running == 0
	e.mu.Unlock()
	// From here on Register fails and new bodies begin cancelled, so the copies are complete.
	if e.listener != nil {
		if err := e.listener.Close(); err != nil {
			e.log.WithError(err).Debug("close the listener")
		}
	}
	for _, in := range all {
		e.stop(in, trace.ID{})
	}
	for _, b := range bodies {
		b.cancel()
	}
	// Otherwise the last endpoint's OnStop does it, in ended. So Shutdown may be called within a handler.
	if none {
		e.closeConnections()
	}
}

// Done is closed when Shutdown is complete.
func (e *Env) Done() <-chan struct{} { return e.done }

// OnDone calls f once after Shutdown is complete, at once if it is. In a simulation it is the way to wait.
func (e *Env) OnDone(f func()) {
	e.mu.Lock()
	select {
	case <-e.done:
		e.mu.Unlock()
		f()
	default:
		e.onDone = append(e.onDone, f)
		e.mu.Unlock()
	}
}

// Close is Shutdown and waiting for its end. Not for handlers and bodies.
func (e *Env) Close() {
	e.Shutdown()
	<-e.done
}

// complete is the end of Shutdown. Two may call it: the last connection to end, and the clock that waits for it.
func (e *Env) complete() {
	// Before done is closed: after Done no ask is pending.
	e.asks.close()
	e.forgetPIDs()
	e.mu.Lock()
	select {
	case <-e.done:
		e.mu.Unlock()
		return
	default:
	}
	close(e.done)
	fs := e.onDone
	e.onDone = nil
	e.mu.Unlock()
	for _, f := range fs {
		f()
	}
}

// discard throws the Env away as a crash does: no callback is called any more, its connections end.
func (e *Env) discard() {
	// exiting first: an inbox whose turn runs right now refuses what it takes next. After Context.Exit, which set it and has its
	// own record, this is no crash.
	if e.exiting.CompareAndSwap(false, true) {
		select {
		case <-e.done: // it had ended in good order
		default:
			e.recordState("", trace.ID{}, change{"process", e.cfg.Name, "", "crashed", ""})
		}
	}
	e.mu.Lock()
	e.stopping, e.closing = true, true
	all, bodies := slices.Clone(e.order), slices.Clone(e.bodies)
	links := slices.SortedFunc(maps.Keys(e.links), inOrder)
	boxes := slices.Collect(maps.Values(e.outboxes))
	e.mu.Unlock()
	if e.listener != nil {
		_ = e.listener.Close() // a crash asks nobody
	}
	for _, in := range all {
		in.discard()
	}
	for _, ob := range boxes {
		ob.discard()
	}
	for _, b := range bodies {
		b.discard()
	}
	for _, c := range links {
		c.close(ErrStopped)
	}
	e.asks.discard()
	e.forgetPIDs()
}

// nextID names the next local item.
func (e *Env) nextID() trace.ID { return trace.ID{Env: e.num, N: e.local.Add(1)} }

// busy counts work that is under way, so that a test can wait until a cluster is quiet.
func (e *Env) busy(n int) {
	if e.hooks.Busy != nil {
		e.hooks.Busy(n)
	}
}
