package rpcenv

import (
	"bytes"
	"fmt"
	"log/slog"
	"math"
	"strconv"
	"strings"
	"sync"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/sirupsen/logrus"

	tracepb "github.com/coherer/coherer/messages/trace"
)

// This file is all that rpcenv makes of protoactor-go: an endpoint's actor, whose mailbox is the inbox, and PIDs for other actors. Host
// names its Dispatcher.

// system is the process's one ActorSystem: it costs 2.9 MB.
var system struct {
	once sync.Once
	*actor.ActorSystem
}

// actorSystem makes it for the first Env that has an endpoint. From then on protoactor logs there, at debug.
func actorSystem(log *logrus.Entry) *actor.ActorSystem {
	system.once.Do(func() {
		system.ActorSystem = actor.NewActorSystem(actor.WithLoggerFactory(func(*actor.ActorSystem) *slog.Logger { return newActorLog(log) }))
		system.ProcessRegistry.RegisterAddressResolver(resolvePID)
	})
	return system.ActorSystem
}

// ActorSystem is the process's one ActorSystem, for ordinary protoactor actors that talk to endpoints by PID.
func ActorSystem() *actor.ActorSystem { return actorSystem(defaultLog("protoactor")) }

// actorLog takes lines of protoactor's.
type actorLog struct{ log *logrus.Entry }

func newActorLog(log *logrus.Entry) *slog.Logger {
	l := actorLog{log}
	return slog.New(slog.NewTextHandler(l, &slog.HandlerOptions{Level: l, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey { // logrus has its own
			return slog.Attr{}
		}
		return a
	}}))
}

// Level spares the making of lines that nobody sees.
func (l actorLog) Level() slog.Level {
	if l.log.Logger.IsLevelEnabled(logrus.DebugLevel) {
		return slog.LevelDebug
	}
	return math.MaxInt
}

func (l actorLog) Write(line []byte) (int, error) {
	l.log.Debugf("protoactor: %s", bytes.TrimSpace(line))
	return len(line), nil
}

// cell is what an inbox has of its actor, guarded by the inbox's lock.
type cell struct {
	invoker actor.MessageInvoker
	pid     *actor.PID
	system  []any // messages of protoactor's own
}

// spawner makes the actors of an Env by one Props for all of them, since a Props is larger than an endpoint. protoactor
// calls its functions within SpawnNamed. They take no argument: the field in says for which inbox, and mu makes spawns come one
// at a time.
type spawner struct {
	mu    sync.Mutex
	props *actor.Props
	in    *inbox // that is being spawned
}

// begin makes the Props. Both functions return the inbox itself: it is the actor and the actor's mailbox.
func (s *spawner) begin(d actor.Dispatcher) {
	s.props = actor.PropsFromProducer(func() actor.Actor { return s.in },
		actor.WithMailbox(func() actor.Mailbox { return s.in }), actor.WithDispatcher(d))
}

func (s *spawner) spawn(in *inbox, id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.in = in
	defer func() { s.in = nil }()
	pid, err := actorSystem(in.env.log).Root.SpawnNamed(s.props, id)
	if err != nil {
		return err
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	in.pid = pid
	return nil
}

var _ actor.Mailbox = (*inbox)(nil)

// Receive makes the inbox the protoactor actor that it is the mailbox of: an item is announced by the inbox itself.
// Life-cycle messages need nothing: OnStart and OnStop are items.
func (in *inbox) Receive(actx actor.Context) {
	if actx.Message() == any(in) {
		_ = in.handle(&in.ctx, in.current) // handle has given the error to the asker, and to OnError or the log
		if in.ended {
			system.Root.Stop(actx.Self())
		}
	}
}

// PostUserMessage takes a message that an ordinary protoactor actor sends to this endpoint's PID.
func (in *inbox) PostUserMessage(m any) {
	in.env.sendForActor(Ref{Address: in.env.addr, Name: in.name}, m)
}

// PostSystemMessage takes protoactor's life-cycle messages. Suspension is not used: a failure never stops an endpoint.
func (in *inbox) PostSystemMessage(m any) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.system = append(in.system, m)
	in.knock.Store(true)
	in.scheduleLocked()
}

// RegisterHandlers is called by protoactor at the spawn.
func (in *inbox) RegisterHandlers(invoker actor.MessageInvoker, _ actor.Dispatcher) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.invoker = invoker
}

// Start is called by protoactor once the actor exists: only now anything runs.
func (in *inbox) Start() {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.scheduleLocked()
}

// UserMessageCount is the depth of the inbox.
func (in *inbox) UserMessageCount() int { return in.depth() }

// runSystem handles protoactor's own messages. mu is not held while one is handled.
func (in *inbox) runSystem() {
	for in.knock.Load() {
		in.mu.Lock()
		m := in.system[0]
		in.system = in.system[1:]
		in.knock.Store(len(in.system) > 0)
		in.mu.Unlock()
		in.invoker.InvokeSystemMessage(m)
	}
}

// stopActor ends the actor after OnStop, for a turn that protoactor knows nothing of.
func (in *inbox) stopActor() {
	if pid := in.actorPID(); pid != nil {
		system.Root.Stop(pid)
	}
}

// forgetActor takes the actor out of the process's registry, which would keep it for ever: no OnStop comes to stop it.
func (in *inbox) forgetActor() {
	if pid := in.actorPID(); pid != nil {
		system.ProcessRegistry.Remove(pid)
	}
}

func (in *inbox) actorPID() *actor.PID {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.pid
}

// PID is the way of an ordinary protoactor actor to an endpoint, in this Env or another: what the actor sends is a
// message of this Env, what it requests is an ask, whose answer it gets as a message: the reply, or an *rpc.Failure. Its
// messages keep to the rules of Send. A PID is of use in this process; after the end of the Env requests are answered by a
// Failure.
func (e *Env) PID(ref Ref) *actor.PID {
	pids.Lock()
	if !e.noPIDs { // else the table would keep an Env that has ended for ever
		pids.envs[e.num] = e
	}
	pids.Unlock()
	return actor.NewPID(fmt.Sprintf("%d@%s#%d", e.num, ref.Address, ref.conn), ref.Name)
}

// pids are the Envs that gave out PIDs: a resolver sees the PID alone, and must find the Env whose outbox is meant.
var pids = struct {
	sync.Mutex
	envs map[uint32]*Env
}{envs: map[uint32]*Env{}}

// forgetPIDs is for the end of an Env.
func (e *Env) forgetPIDs() {
	pids.Lock()
	defer pids.Unlock()
	e.noPIDs = true
	delete(pids.envs, e.num)
}

// resolvePID is the ActorSystem's address resolver.
func resolvePID(pid *actor.PID) (actor.Process, bool) {
	num, rest, _ := strings.Cut(pid.GetAddress(), "@")
	at, conn, _ := strings.Cut(rest, "#")
	n, err := strconv.ParseUint(num, 10, 32)
	if err != nil {
		return nil, false
	}
	id, err := strconv.ParseUint(conn, 10, 64)
	if err != nil {
		return nil, false
	}
	ref := Ref{Name: pid.GetId(), conn: id}
	if at != "" {
		if ref.Address, err = ParseAddress(at); err != nil {
			return nil, false
		}
	}
	// The PID of an Env that has ended is resolved too: actorWay answers its requests.
	pids.Lock()
	defer pids.Unlock()
	return actorWay{pids.envs[uint32(n)], ref}, true
}

// actorWay is what protoactor posts to for a PID that Env.PID made; env is nil after its end.
type actorWay struct {
	env *Env
	ref Ref
}

var _ actor.Process = actorWay{}

// SendUserMessage is a message or a request of an actor.
func (w actorWay) SendUserMessage(_ *actor.PID, m any) {
	if w.env != nil {
		w.env.sendForActor(w.ref, m)
		return
	}
	// A request gets a Failure as from a living Env; without a sender nobody waits.
	if _, _, sender := actor.UnwrapEnvelope(m); sender != nil {
		system.Root.Send(sender, failureOf(fmt.Errorf("%w: the Env of this PID has ended", ErrRefusedStopped)))
	}
}

// SendSystemMessage does nothing: an endpoint is watched and stopped through its Env.
func (w actorWay) SendSystemMessage(*actor.PID, any) {}

// Stop does nothing, as SendSystemMessage.
func (w actorWay) Stop(*actor.PID) {}

// sendForActor sends what a protoactor actor posted. A message that cannot be sent is logged: no handler fails for it. A request
// gets the Failure.
func (e *Env) sendForActor(to Ref, posted any) {
	_, m, sender := actor.UnwrapEnvelope(posted)
	o := outgoing{to: to, msg: m, from: "actor"}
	if sender != nil {
		o.from = "actor " + sender.GetId()
		o.form = tracepb.Form_ASK
		o.pending = e.newOutgoingAsk(func(res result) {
			if res.err != nil {
				res.msg = failureOf(res.err)
			}
			system.Root.Send(sender, res.msg)
		})
	}
	if err := e.send(o); err != nil {
		if o.pending != nil {
			e.asks.fail(o.pending, err)
			return
		}
		e.log.WithError(err).Errorf("Drop what an actor sent to %s", to)
	}
}
