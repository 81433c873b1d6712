package rpcenv

import (
	"runtime"

	"github.com/coherer/coherer/rpcenv/conf"
)

// Option is how Register makes an endpoint other than a serial, traced one.
type Option func(*Inbox)

// kind is how many callbacks of an endpoint may overlap, by the names of Spark's traits.
type kind struct {
	// threads is the most callbacks at once after OnStart; 0 is a serial endpoint (ThreadSafeRpcEndpoint).
	threads int
}

func (k kind) serial() bool { return k.threads == 0 }

// Concurrent makes an endpoint whose callbacks overlap once OnStart has returned, as many as
// spark.rpc.netty.dispatcher.numThreads says, and may come out of order. It mirrors a plain RpcEndpoint. Each message has
// a Context of its own; what its handler asked or Ran comes back in that Context, after the handler and one at a time.
// The endpoint guards its own state. OnStop waits for all other callbacks. In a simulation callbacks never overlap, but
// come in seeded order.
//
// Coherer's own roles are serial, also those that are concurrent in Spark. The kind is here for fidelity and for study.
func Concurrent() Option {
	return func(in *Inbox) { in.kind.threads = dispatcherThreads(in.env.cfg.Conf) }
}

// Isolated makes an endpoint with n threads of its own: up to n callbacks overlap once OnStart has returned. It mirrors
// IsolatedRpcEndpoint, and with n = 1 IsolatedThreadSafeRpcEndpoint, whose callbacks do not overlap because one thread
// calls them all. An n below 1 counts as 1. As to Contexts, order and OnStop it is as Concurrent.
func Isolated(n int) Option {
	return func(in *Inbox) { in.kind.threads = max(n, 1) }
}

// Untraced makes an endpoint whose messages are counted and not recorded.
func Untraced() Option {
	return func(in *Inbox) { in.untraced = true }
}

// dispatcherThreads is how many threads Spark's shared message loop has; spark.executor.id says in whose process.
func dispatcherThreads(c *conf.Conf) int {
	if id, ok := conf.ExecutorID.Find(c); ok {
		role := conf.ExecutorRPCDispatcherThreads
		if id == "driver" {
			role = conf.DriverRPCDispatcherThreads
		}
		if n, ok := role.Find(c); ok {
			return n
		}
	}
	if n, ok := conf.RPCDispatcherThreads.Find(c); ok {
		return n
	}
	return max(2, runtime.GOMAXPROCS(0))
}
