package rpcenv

// Endpoint is one actor: state that only its callbacks touch, and an inbox that calls them one at a time. It mirrors
// org.apache.spark.rpc.ThreadSafeRpcEndpoint.
//
// The handler rule: a callback touches only the endpoint's own state and its Context: no goroutine, lock, channel,
// clock, randomness or I/O. Long work goes to Run.
//
// Receive gets messages, asks, ticks of timers and outside events. An ask is answered by Reply or Fail, or kept by
// Defer; one that is none of these fails with ErrRefusedNoReply. A message that Receive does not know goes to
// Context.Unsupported. A panic is recovered: it fails the ask, if it is one, and goes to OnError; the endpoint goes on
// with the same state.
type Endpoint interface {
	Receive(c *Context, m Message)
}

// Starter is an Endpoint with an OnStart: it is called first, before any message.
type Starter interface{ OnStart(c *Context) }

// Stopper is an Endpoint with an OnStop: it is called last, once, after everything that was queued before the stop.
// Timers are stopped, pending asks abandoned and Runs cancelled by then.
type Stopper interface{ OnStop(c *Context) }

// ConnectionWatcher is an Endpoint that hears of all connections of its Env. A peer is named by the address where it
// listens, or that of its socket in client mode. OnConnected comes before the connection's first message,
// OnDisconnected after its last.
type ConnectionWatcher interface {
	OnConnected(c *Context, peer Address)
	OnDisconnected(c *Context, peer Address)
}

// NetworkErrorWatcher is an Endpoint that hears of connections that could not be made.
type NetworkErrorWatcher interface {
	OnNetworkError(c *Context, err error, peer Address)
}

// BacklogWatcher is an Endpoint that hears whether receivers keep up with its messages. A peer is behind when more than a window of
// messages (coherer.rpc.window) waits for it here. An endpoint of the same Env is behind when coherer.rpc.inbox.limit bounds its inbox and
// more than half of that waits. Further messages to a receiver that is behind may end the stream. A Ref without a name means answers.
type BacklogWatcher interface {
	// OnBehind is called when a receiver falls behind with the messages of this endpoint, and when it has caught up.
	OnBehind(c *Context, to Ref, behind bool)
	// OnStreamEnded is called when a message found no room. At a peer (coherer.rpc.outbox.limit) all messages that waited for the endpoint
	// are lost and the connection ends; later messages go by the next connection. Within the Env each message that finds no room is lost;
	// OnStreamEnded is called for the first one, and again only after the endpoint has caught up.
	OnStreamEnded(c *Context, to Ref, err error)
}

// ErrorHandler is an Endpoint that hears of its own failures. Without it they are logged.
type ErrorHandler interface{ OnError(c *Context, err error) }
