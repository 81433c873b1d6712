package rpcenv

import (
	"fmt"
	"runtime"

	"github.com/coherer/coherer/rpcenv/conf"
)

// Register makes an endpoint known under a name and starts it: OnStart is its first item. It is serial and traced, unless
// an Option says otherwise. The name must be free, else ErrNameTaken, and not empty: a Ref without a name is no endpoint. After
// Shutdown it is ErrStopped. It mirrors RpcEnv.setupEndpoint.
func (e *Env) Register(name string, ep Endpoint, opts ...Option) (Ref, error) {
	if name == "" {
		return Ref{}, fmt.Errorf("rpcenv %s: an endpoint needs a name", e.cfg.Name)
	}
	in := &inbox{env: e, name: name, ep: ep}
	in.ctx.in, in.tag = in, e.recorder.Name(name)
	if e.inboxLimit > 0 {
		in.bound = &bound{limit: e.inboxLimit}
	}
	for _, o := range opts {
		o.set(in)
	}
	// OnStart is queued before the endpoint has its name: a message that finds the name comes after it.
	in.queue = itemQueues.push(in.queue, item{kind: itemStart, id: e.nextID(), rare: rareStart, sender: &e.self, received: nanos(e.traceTime())})
	n, err := e.endpoints.add(in)
	if err != nil {
		return Ref{}, err
	}
	// Items that others post before the actor is there are queued. inbox.Start, which protoactor calls at the end of the spawn, asks
	// for the first turn.
	id := fmt.Sprintf("%d/%s#%d", e.num, name, n)
	if err := e.spawner.spawn(in, id); err != nil { // ids are unique: not reached
		in.discard()
		e.endpoints.free(in)
		e.endpoints.ended(in)
		return Ref{}, fmt.Errorf("rpcenv %s: spawn %s: %w", e.cfg.Name, id, err)
	}
	return Ref{Address: e.addr, Name: name}, nil
}

// Option is how Register makes an endpoint other than a serial, traced one.
type Option struct{ set func(*inbox) }

// Concurrent makes an endpoint whose callbacks overlap once OnStart has returned, as many as
// spark.rpc.netty.dispatcher.numThreads says, and may come out of order. It mirrors a plain RpcEndpoint. Each message has
// a Context of its own; what its handler asked or Ran comes back in that Context, after the handler and one at a time.
// The endpoint guards its own state. OnStop waits for all other callbacks. In a simulation callbacks never overlap, but
// come in seeded order.
//
// Coherer's own roles are serial, also those that are concurrent in Spark. The kind is here for fidelity and for study.
func Concurrent() Option {
	return Option{func(in *inbox) { in.kind = kind{dispatcherThreads(in.env.cfg.Conf), (*inbox).scheduleTurnsLocked} }}
}

// Isolated makes an endpoint with n threads of its own: up to n callbacks overlap once OnStart has returned. It mirrors
// IsolatedRpcEndpoint, and with n = 1 IsolatedThreadSafeRpcEndpoint, whose callbacks do not overlap because one thread
// calls them all. An n below 1 counts as 1. As to Contexts, order and OnStop it is as Concurrent.
func Isolated(n int) Option {
	return Option{func(in *inbox) { in.kind = kind{max(n, 1), (*inbox).scheduleTurnsLocked} }}
}

// Untraced makes an endpoint whose messages are counted and not recorded.
func Untraced() Option {
	return Option{func(in *inbox) { in.untraced = true }}
}

// dispatcherThreads is how many threads Spark's shared message loop has; spark.executor.id says in whose process.
func dispatcherThreads(c *conf.Conf) int {
	if id, ok := ExecutorID.Find(c); ok {
		role := ExecutorRPCDispatcherThreads
		if id == "driver" {
			role = DriverRPCDispatcherThreads
		}
		if n, ok := role.Find(c); ok {
			return n
		}
	}
	if n, ok := RPCDispatcherThreads.Find(c); ok {
		return n
	}
	return max(2, runtime.GOMAXPROCS(0))
}
