package rpcenv

import (
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/asynkron/protoactor-go/actor"

	tracepb "github.com/coherer/coherer/messages/trace"
)

// ActorSystem is the process's one ActorSystem, for ordinary protoactor actors that talk to endpoints by PID.
func ActorSystem() *actor.ActorSystem { return actorSystem() }

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

// pids are the Envs that gave out PIDs: a resolver sees the PID alone, and must find the Env whose Outbox is meant.
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
		actorSystem().Root.Send(sender, failureOf(fmt.Errorf("%w: the Env of this PID has ended", ErrRefusedStopped)))
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
		o.form, o.pending = tracepb.Form_ASK, e.newPending(nil)
		o.pending.deliver = func(res result) {
			if res.err != nil {
				res.msg = failureOf(res.err)
			}
			actorSystem().Root.Send(sender, res.msg)
		}
	}
	if err := e.send(o); err != nil {
		if o.pending != nil {
			e.asks.fail(o.pending, err)
			return
		}
		e.log.WithError(err).Errorf("Drop what an actor sent to %s", to)
	}
}
