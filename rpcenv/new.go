package rpcenv

import (
	"fmt"

	"github.com/coherer/coherer/rpcenv/codec"
	"github.com/coherer/coherer/rpcenv/trace/record"
)

// New makes an Env on a Host and, unless it is in client mode, begins to listen: at the port it was given or, while they
// are taken, at one of the next spark.port.maxRetries. Two messages with one number are an error that names both; when no
// port is free the error names the last one; a value of the runtime's own settings that does not fit is an error too. After an error
// nothing is left of the Env. It mirrors RpcEnv.create.
func New(h Host, cfg Config) (*Env, error) {
	table, err := codec.Load()
	if err == nil {
		cfg.Conf, err = cfg.Conf.Knowing(Settings) // also when a program made it of its own Set alone
	}
	if err != nil {
		return nil, fmt.Errorf("rpcenv %s: %w", cfg.Name, err)
	}
	e := &Env{
		host: h, dispatcher: h.Dispatcher(), cfg: cfg, log: cfg.Log, table: table, recorder: h.Recorder(), num: envNumbers.Add(1),
		incarnation: h.Entropy("incarnation/" + cfg.Name),
		done:        make(chan struct{}),
	}
	e.window, e.outboxLimit = int(RPCWindow.Get(cfg.Conf)), int(RPCOutboxLimit.Get(cfg.Conf))
	e.inboxLimit = RPCInboxLimit.Get(cfg.Conf)
	e.asks.begin(e)
	e.bodies.env = e
	e.endpoints = endpoints{env: e}
	e.outboxes = outboxes{env: e, dial: e.dial, to: map[Address]*outbox{}}
	e.connections = connections{env: e, byID: map[uint64]*conn{}, peers: map[Address][]*conn{}, links: map[*conn]struct{}{}}
	e.orphans.env = e
	e.spawner.begin(e.dispatcher)
	e.beginRecording()
	e.tag, e.inBody = e.recorder.Name(cfg.Name), e.recorder.Name(record.InBody)
	if hooked, ok := h.(Hooked); ok {
		e.hooks = hooked.Hooks()
	}
	// Where the numbers of requests begin does not matter. The shift leaves room to count up, and for the asker: RequestID is signed.
	e.requests.Store(int64(h.Entropy("requests/"+cfg.Name) >> 16))
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
	e.self.Address = e.addr
	_, err = e.Register(VerifierName, verifier{})
	close(ready)
	return err
}

// bind begins to listen.
func (e *Env) bind(accept func(Link) Receiver) error {
	at := e.cfg.Listen
	at.Host = unbracketed(at.Host)
	return NextPorts(at.Port, PortMaxRetries.Get(e.cfg.Conf), func(port int) error {
		if port != e.cfg.Listen.Port {
			e.log.Warnf("Service '%s' could not bind on port %d. Attempting port %d.", e.cfg.Name, port-1, port)
		}
		at.Port = port
		var err error
		e.addr, e.listener, err = e.host.Listen(at, accept)
		return err
	})
}
