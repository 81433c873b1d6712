// Command ergo is the contender of the bench that is an actor of Ergo on each side, in one node or in two with its own network.
//
// Between nodes a message is a registered struct with protobuf's bytes in it, by Ergo's format EDF; within one it is the message
// itself. Mailboxes have no bound, which is the default, the logger is silent, and compression is off. There are no asks: Call
// suspends its process until the answer comes, so one process has one ask under way, and no answer is a message.
//
// Version v1.999.310 does not deliver messages of more than 64 KiB between nodes: such a trial fails. Floods mostly fail too: all
// messages come, some out of order, though its processes keep the order of the network by default.
package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"

	"google.golang.org/protobuf/proto"

	"ergo.services/ergo"
	"ergo.services/ergo/act"
	"ergo.services/ergo/gen"
	"ergo.services/ergo/net/edf"
	"ergo.services/ergo/net/registrar"

	"github.com/coherer/coherer/bench/measure"
	"github.com/coherer/coherer/messages/app"
)

func main() {
	err := edf.RegisterTypeOf(carried{})
	if err == nil {
		err = measure.Speak(context.Background(), os.Stdin, os.Stdout, contender{})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

const (
	receiver = gen.Atom("receiver@localhost")
	sender   = gen.Atom("sender@localhost")
	sinkName = gen.Atom("sink")
	cookie   = "bench"
)

type contender struct{}

func (contender) Name() string    { return "ergo" }
func (contender) Version() string { return measure.LibraryVersion("ergo.services/ergo") }

func (contender) Cases() []measure.Case {
	return []measure.Case{measure.LocalTell, measure.RemoteTell, measure.OneWay}
}

// carried is a message between nodes.
type carried struct{ Encoded []byte }

func carry(m *app.StatusUpdate) (carried, error) {
	encoded, err := proto.Marshal(m)
	return carried{encoded}, err
}

func decode(message any) (*app.StatusUpdate, error) {
	switch m := message.(type) {
	case *app.StatusUpdate:
		return m, nil
	case carried:
		u := new(app.StatusUpdate)
		return u, proto.Unmarshal(m.Encoded, u)
	}
	return nil, fmt.Errorf("a message of type %T", message)
}

// quiet is a registrar that announces nothing. The sender gets the port from the bench, and Ergo's own registrar listens beyond loopback.
type quiet struct{ gen.Registrar }

func (quiet) Register(gen.NodeRegistrar, gen.RegisterRoutes) (gen.StaticRoutes, error) {
	return gen.StaticRoutes{}, nil
}
func (quiet) Terminate() {}

// newNode starts a node; port 0 is one that does not listen.
func newNode(name gen.Atom, port uint16) (gen.Node, error) {
	options := gen.NodeOptions{}
	options.Log.DefaultLogger.Disable = true
	options.Network.Cookie = cookie
	options.Network.Registrar = quiet{registrar.Create(registrar.Options{DisableServer: true})}
	options.Network.Mode = gen.NetworkModeHidden
	if port > 0 {
		options.Network.Mode = gen.NetworkModeEnabled
		options.Network.Acceptors = []gen.AcceptorOptions{{Host: "127.0.0.1", Port: port, TCP: "tcp4"}}
	}
	return ergo.StartNode(name, options)
}

func stop(n gen.Node) {
	n.StopForce()
	n.Wait()
}

// sink is the actor of the receiving side.
type sink struct {
	act.Actor
	count  *measure.Sink
	remote bool
}

func (s *sink) HandleMessage(from gen.PID, message any) error {
	m, err := decode(message)
	if err != nil {
		return err
	}
	back := s.count.Take(m)
	switch {
	case back == nil:
		return nil
	case !s.remote:
		return s.SendPID(from, back)
	}
	c, err := carry(back)
	if err != nil {
		return err
	}
	return s.SendPID(from, c)
}

func (contender) Serve(_ *measure.Spec, sinks []*measure.Sink) (string, func(), error) {
	// Port 0 would be Ergo's default port.
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	port := ln.Addr().(*net.TCPAddr).Port
	if err := ln.Close(); err != nil {
		return "", nil, err
	}
	n, err := newNode(receiver, uint16(port))
	if err != nil {
		return "", nil, err
	}
	factory := func() gen.ProcessBehavior { return &sink{count: sinks[0], remote: true} }
	if _, err := n.SpawnRegister(sinkName, factory, gen.ProcessOptions{}); err != nil {
		stop(n)
		return "", nil, err
	}
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)), func() { stop(n) }, nil
}

// source is the actor of the sending side.
type source struct {
	act.Actor
	tell  *measure.Tell
	to    gen.PID       // of a local case
	named gen.ProcessID // of a remote one
	over  chan<- error
}

// begin is what a source sends to itself: while it is initialized an actor cannot send to others.
type begin struct{}

func (s *source) Init(...any) error { return s.SendPID(s.PID(), begin{}) }

func (s *source) HandleMessage(_ gen.PID, message any) error {
	over, err := s.handle(message)
	if over || err != nil {
		s.over <- err
		return gen.TerminateReasonNormal
	}
	return nil
}

func (s *source) handle(message any) (over bool, err error) {
	if _, ok := message.(begin); !ok {
		m, err := decode(message)
		if err != nil {
			return false, err
		}
		if over, err := s.tell.Acknowledged(m); over || err != nil {
			return over, err
		}
	}
	for m := s.tell.Next(); m != nil; m = s.tell.Next() {
		if err := s.send(m); err != nil {
			return false, err
		}
	}
	return false, nil
}

func (s *source) send(m *app.StatusUpdate) error {
	if s.named.Name == "" {
		return s.SendPID(s.to, m)
	}
	c, err := carry(m)
	if err != nil {
		return err
	}
	return s.SendProcessID(s.named, c)
}

func (contender) Run(ctx context.Context, t *measure.Trial) error {
	n, err := newNode(sender, 0)
	if err != nil {
		return err
	}
	defer stop(n)
	over := make(chan error, 1)
	s := &source{tell: t.Tells[0], over: over}
	if t.Sinks != nil {
		s.to, err = n.Spawn(func() gen.ProcessBehavior { return &sink{count: t.Sinks[0]} }, gen.ProcessOptions{})
	} else {
		s.named = gen.ProcessID{Name: sinkName, Node: receiver}
		err = connect(n, t.Address)
	}
	if err != nil {
		return err
	}
	if _, err := n.Spawn(func() gen.ProcessBehavior { return s }, gen.ProcessOptions{}); err != nil {
		return err
	}
	select {
	case err := <-over:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func connect(n gen.Node, address string) error {
	host, text, ok := strings.Cut(address, ":")
	port, err := strconv.ParseUint(text, 10, 16)
	if !ok || err != nil {
		return errors.Join(fmt.Errorf("address %q: want HOST:PORT", address), err)
	}
	_, err = n.Network().GetNodeWithRoute(receiver, gen.NetworkRoute{Route: gen.Route{Host: host, Port: uint16(port)}, Cookie: cookie})
	return err
}
