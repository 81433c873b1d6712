package rpcenv

import (
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv/trace/record"
)

const (
	protocolVersion = 1
	// greetingTime is what a handshake may take.
	greetingTime = 5 * time.Second
)

// accept is a connection that a peer opened.
func (e *Env) accept(l Link) Receiver {
	c := &conn{env: e, link: l, waiting: waiting{}}
	if !e.connections.enter(c) {
		return nil
	}
	c.startClock()
	return c
}

// dial opens a connection; done gets it when its handshake is done, or the error that prevented it.
func (e *Env) dial(to Address, done func(*conn, error)) {
	e.host.Dial(to, func(l Link, err error) Receiver {
		if err != nil {
			e.networkError(to, err)
			done(nil, err)
			return nil
		}
		purpose := fmt.Sprintf("connection/%s/%d", e.cfg.Name, e.connections.dial())
		c := &conn{env: e, link: l, dialler: true, waiting: waiting{}, peer: to, id: e.host.Entropy(purpose)}
		c.dialled = func(err error) {
			if err != nil {
				e.networkError(to, err)
			}
			done(c, err)
		}
		if !e.connections.enter(c) {
			done(nil, fmt.Errorf("%w: RpcEnv has been stopped", ErrStopped))
			return nil // which makes the Host close l
		}
		c.startClock()
		c.promised = e.orphans.tooMany()
		hello := &rpc.Hello{
			Version: protocolVersion, Env: e.cfg.Name, Incarnation: e.incarnation, Address: e.addr.Proto(), Connection: c.id,
			Nonce: binary.BigEndian.AppendUint64(nil, e.host.Entropy(purpose+"/nonce")), Window: uint32(e.window), Full: c.promised,
		}
		content, err := e.table.Append(nil, hello)
		if err != nil {
			c.close(err)
			return c
		}
		l.Send(&Envelope{Kind: KindRequest, RequestID: e.requests.Add(1) * askers, Sender: e.addr, Receiver: to, Endpoint: VerifierName, Content: content})
		return c
	})
}

// networkError notifies the endpoints that a peer could not be reached.
func (e *Env) networkError(to Address, err error) {
	e.metrics.NotReached()
	e.recordConn(record.ID{}, "", to, "refused", err.Error())
	e.endpoints.notify(item{kind: itemNetworkError, rare: &rare{name: "unreachable", addr: to, err: err}})
}

func (c *conn) startClock() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stop = c.env.host.After(greetingTime, func() {
		c.close(fmt.Errorf("no handshake within %s: is it Coherer that listens there?", greetingTime))
	})
}

// Receive takes an envelope from the link.
func (c *conn) Receive(env *Envelope) {
	c.receiving.Lock()
	defer c.receiving.Unlock()
	c.take(env)
}

// ReceiveBatch takes envelopes that the Link has read at once. The caller runs the turn, if there is one.
func (c *conn) ReceiveBatch(e *Envelope, next func() *Envelope) (turn func()) {
	c.receiving.Lock()
	defer c.receiving.Unlock()
	c.gathered.batch = true
	for ; e != nil; e = next() {
		c.take(e)
	}
	turn = c.postGathered(true)
	c.gathered.batch, c.gathered.at = false, time.Time{}
	return turn
}

// take is Receive. c.receiving is held.
func (c *conn) take(env *Envelope) {
	switch c.life.stage() {
	case connGreets:
		if err := c.greet(env); err != nil {
			c.close(err)
		}
	case connHeld: // a peer that waits for its Welcome has nothing to say, not even Hello again
		c.close(errors.New("a message before the Welcome"))
	case connOpen, connCloses:
		if !c.hear(env) {
			c.receive(env)
		}
	case connRefused, connEnded: // the Link still hands over what it had read
	}
}

// greet takes the one message that a handshake has in this direction.
func (c *conn) greet(env *Envelope) error {
	if env.Kind == KindFailure { // the listener's reason, in its words
		return errors.New(env.Error)
	}
	m, err := c.env.table.Decode(env.Content)
	if err != nil {
		return fmt.Errorf("not a peer of this protocol: %w", err)
	}
	switch m := m.(type) {
	case *rpc.Hello:
		if c.dialler || env.Kind != KindRequest || env.Endpoint != VerifierName {
			break
		}
		return c.hello(m, env.RequestID)
	case *rpc.Welcome:
		if !c.dialler || env.Kind != KindResponse {
			break
		}
		return c.welcome(m)
	}
	return fmt.Errorf("%s before the handshake", TypeName(m))
}

// hello accepts a dialling peer.
func (c *conn) hello(m *rpc.Hello, request int64) error {
	e := c.env
	// The dialler gets the reason before the connection ends.
	if err := e.checkPeer(m); err != nil {
		c.link.Send(&Envelope{Kind: KindFailure, RequestID: request, Error: err.Error()})
		return err
	}
	c.id = m.GetConnection()
	c.know(m)
	c.promised = e.orphans.tooMany()
	content, err := e.table.Append(nil, &rpc.Welcome{
		Version: protocolVersion, Env: e.cfg.Name, Incarnation: e.incarnation, Address: e.addr.Proto(),
		Nonce:  binary.BigEndian.AppendUint64(nil, e.host.Entropy(fmt.Sprintf("welcome/%x", c.id))),
		Window: uint32(e.window), Full: c.promised,
	})
	if err != nil {
		return err
	}
	return c.admit(request, content)
}

// welcome completes the handshake of a dial.
func (c *conn) welcome(m *rpc.Welcome) error {
	if err := c.env.checkPeer(m); err != nil {
		return err
	}
	dialled := c.peer
	c.know(m)
	c.reached = c.peer == dialled // then an older process there has lost the address
	rivals, err := c.opened(func() {})
	switch {
	case err != nil:
		return err
	case len(rivals) > 0:
		return c.contest(rivals)
	}
	c.dialled(nil) // what was sent to the address as dialled goes here, whatever name the peer gives itself
	return nil
}

// greeting is a Hello or a Welcome.
type greeting interface {
	GetVersion() uint32
	GetEnv() string
	GetIncarnation() uint64
	GetAddress() *rpc.Address
	GetWindow() uint32
	GetFull() bool
}

func (e *Env) checkPeer(m greeting) error {
	addr := m.GetAddress()
	switch {
	case m.GetVersion() != protocolVersion:
		return fmt.Errorf("the peer speaks version %d of the protocol, this is version %d: use the same release on both sides", m.GetVersion(), protocolVersion)
	case m.GetWindow() == 0:
		return errors.New("the peer takes no messages: its window has 0 bytes")
	case m.GetIncarnation() == e.incarnation:
		return errors.New("this is the address of the Env itself under another name: use one name for a host everywhere")
	case addr != nil && AddressOf(addr) == e.addr:
		return fmt.Errorf("the peer says that it listens at %s, where this process listens: give each an address of its own", e.addr)
	}
	return nil
}

// know keeps what the handshake says of the peer.
func (c *conn) know(m greeting) {
	c.way.peer, c.incarnation = m.GetEnv(), m.GetIncarnation()
	c.window, c.awaitsFull = int(m.GetWindow()), m.GetFull()
	c.listening = m.GetAddress() != nil
	switch {
	case c.listening:
		c.peer = AddressOf(m.GetAddress())
	default:
		c.peer = c.link.Remote()
	}
	// References in its messages can lead back by this connection only, if the peer does not listen.
	c.sender.Address = c.peer
	if !c.listening {
		c.sender.conn = c.id
	}
	c.way.address = c.peer.String()
}
