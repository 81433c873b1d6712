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
	// Advertise is the host that peers are told; empty: Listen's.
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
	sim         Simulation // the host, if it is one
	byReference bool
	cfg         Config
	log         *logrus.Entry
	table       *codec.Table
	recorder    *trace.Recorder
	metrics     metrics.Set
	num         uint32 // unique in the process
	switches    atomic.Pointer[switches]
	tag         trace.Name // its name in the ring
	incarnation uint64
	handling    func(endpoint, item string, m Message) // told before each callback, by a Host that wants to know
	addr        Address
	listener    io.Closer
	asks        asks
	spawner     spawner
	local       atomic.Uint64 // ordinals of local items
	requests    atomic.Int64
	timerMu     sync.Mutex
	exiting     atomic.Bool

	mu        sync.Mutex
	endpoints map[string]*Inbox
	order     []*Inbox // in the order of registration, for connection events
	running   int      // endpoints whose OnStop has not been
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

// actorSystem is the process's one ActorSystem: it costs 2.9 MB.
var actorSystem = sync.OnceValue(func() *actor.ActorSystem {
	s := actor.NewActorSystem(actor.WithLoggerFactory(discardLogger))
	s.ProcessRegistry.RegisterAddressResolver(resolvePID)
	return s
})

// spawner makes the actors of an Env by one Props for all of them, since a Props is larger than an endpoint. protoactor
// calls its functions within SpawnNamed.
type spawner struct {
	mu    sync.Mutex
	props *actor.Props
	in    *Inbox // that is being spawned
}

func (s *spawner) spawn(in *Inbox, id string) (*actor.PID, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.in = in
	defer func() { s.in = nil }()
	return actorSystem().Root.SpawnNamed(s.props, id)
}

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
	e.spawner.props = actor.PropsFromProducer(func() actor.Actor { return e.spawner.in },
		actor.WithMailbox(func() actor.Mailbox { return e.spawner.in }), actor.WithDispatcher(h.Dispatcher()))
	e.beginRecording()
	e.tag = e.recorder.Name(cfg.Name)
	if s, ok := h.(Simulation); ok {
		e.sim, e.byReference = s, s.ByReference()
	}
	e.requests.Store(int64(h.Entropy("requests/"+cfg.Name) >> 2))
	if e.log == nil {
		e.log = defaultLog(cfg.Name)
	}
	if a, ok := h.(interface{ Adopt(discard func()) }); ok {
		a.Adopt(e.discard)
	}
	if a, ok := h.(interface {
		Handling(endpoint, item string, m Message)
	}); ok {
		e.handling = a.Handling
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
	// The verifier must be there before the first connection, and the address before the verifier.
	ready := make(chan struct{})
	err := e.bind(func(l Link) Receiver {
		<-ready
		return e.accept(l)
	})
	if err != nil {
		close(ready)
		return err
	}
	if e.cfg.Advertise != "" {
		e.addr.Host = unbracketed(e.cfg.Advertise)
	}
	_, err = e.Register(VerifierName, verifier{})
	close(ready)
	return err
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
// an Option says otherwise. The name must be free, else ErrNameTaken, and not empty: a Ref without a name is nobody. After
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
	// Before anybody finds the endpoint by its name: OnStart comes first.
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
	e.spawned++
	id := fmt.Sprintf("%d/%s#%d", e.num, name, e.spawned)
	e.busy(1)
	e.mu.Unlock()

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

// Send sends m from outside all endpoints; it may be called from any goroutine. Its error is ErrNotMessage.
func (e *Env) Send(to Ref, m Message) error {
	return e.send(outgoing{to: to, msg: m, from: "outside"})
}

// forget takes an endpoint out that never began.
func (e *Env) forget(in *Inbox) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.endpoints, in.name)
	e.order = without(e.order, in)
	e.running--
}

// lookup is the endpoint of that name; nil when there is none.
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
	if last {
		e.closeConnections()
	}
}

// Shutdown stops all endpoints, in the order of registration, writes out what was sent, and closes the connections and
// the listener. It does not wait; Done tells the end. It may be called again, and from inside a handler.
func (e *Env) Shutdown() {
	e.mu.Lock()
	if e.stopping {
		e.mu.Unlock()
		return
	}
	e.stopping = true
	all, bodies, none := slices.Clone(e.order), slices.Clone(e.bodies), e.running == 0
	e.mu.Unlock()
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

// complete tells the end of Shutdown.
func (e *Env) complete() {
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
	if e.exiting.CompareAndSwap(false, true) {
		e.recordCrash()
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

// busy counts work that is under way, for those who wait until a cluster is quiet.
func (e *Env) busy(n int) {
	if e.sim != nil {
		e.sim.Busy(n)
	}
	e.recorder.Busy(n)
}
