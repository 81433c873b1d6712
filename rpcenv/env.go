package rpcenv

import (
	"io"
	"sync"
	"sync/atomic"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/sirupsen/logrus"

	"github.com/coherer/coherer/rpcenv/codec"
	"github.com/coherer/coherer/rpcenv/conf"
	"github.com/coherer/coherer/rpcenv/metrics"
	"github.com/coherer/coherer/rpcenv/trace/record"
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
	hooks       Hooks            // the host's
	dispatcher  actor.Dispatcher // the host's, one for all inboxes
	cfg         Config
	log         *logrus.Entry
	table       *codec.Table
	recorder    *record.Recorder
	metrics     metrics.Set
	num         uint32 // unique in the process
	switches    atomic.Pointer[switches]
	tag         record.Name // its name in the ring
	inBody      record.Name // record.InBody in the ring
	incarnation uint64
	addr        Address
	self        Ref // the sender of what its own endpoints send: its address
	listener    io.Closer
	life        life[envStage]
	window      int // of bytes that a peer may send to an endpoint before they are handled
	outboxLimit int // of bytes that may wait for a peer
	inboxLimit  int // of messages that may wait for an endpoint here; 0: no limit

	asks        asks
	endpoints   endpoints
	bodies      bodies
	outboxes    outboxes
	connections connections
	orphans     orphans
	spawner     spawner

	// Every sender writes these: no field that is only read may share their line of the processor's cache.
	_        [64]byte
	local    atomic.Uint64 // ordinals of local items
	requests atomic.Int64
	_        [64]byte

	mu     sync.Mutex // of this block
	done   chan struct{}
	onDone []func()

	noPIDs bool // the Env has ended; guarded by the lock of pids
}

// VerifierName is the endpoint that answers CheckExistence in each listening Env.
const VerifierName = "endpoint-verifier"

var envNumbers atomic.Uint32

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

// Ref is a reference to an endpoint; nothing is asked.
func (e *Env) Ref(a Address, name string) Ref { return Ref{Address: a, Name: name} }

// nextID names the next local item.
func (e *Env) nextID() record.ID { return record.ID{Env: e.num, N: e.local.Add(1)} }

// busy counts work that is under way, so that a test can wait until a cluster is quiet.
func (e *Env) busy(n int) {
	if e.hooks.Busy != nil {
		e.hooks.Busy(n)
	}
}
