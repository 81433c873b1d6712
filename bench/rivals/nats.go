package main

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/bench/measure"
	"github.com/coherer/coherer/messages/app"
)

// natsCore is core NATS: a client on each side, and the server in the receiver's process, as the library allows, so that a message
// crosses one connection between processes and not two. The receiver's client has a connection of loopback to that server: the
// library's pipe within a process cost a tenth more CPU. Pairs share the clients, but the senders of fan-in and the receivers of
// fan-out have one each, as Coherer's.
//
// Messages are published with protobuf in them, and each side handles what comes in one subscription's callback, as NATS's own
// examples do. An ask is a message with a reply subject, and answers come to one wildcard subscription, as for the library's
// Request, which would need a goroutine for each ask under way. Its settings: subjects are not validated at each
// publishing, and a subscription holds as many messages as come.
//
// Core NATS has no back-pressure from a subscriber to a publisher. With the limits that a subscription has by default, 500,000
// messages and 64 MB, a flood that is faster than its receiver loses messages; without them the receiver's memory grows instead. The
// server itself disconnects a subscriber for which 64 MB wait.
type natsCore struct{}

func (natsCore) Name() string { return "nats" }
func (natsCore) Version() string {
	return measure.LibraryVersion("github.com/nats-io/nats.go") + ", server " + measure.LibraryVersion("github.com/nats-io/nats-server/v2")
}

func (natsCore) Cases() []measure.Case {
	return []measure.Case{
		measure.RemoteTell, measure.RemoteAsk, measure.OneWay, measure.FanIn, measure.FanOut, measure.Connect,
	}
}

func (natsCore) Extras() measure.Extras { return measure.Extras{Pairs: true, Rate: true, Host: true} }

const (
	natsReady = 10 * time.Second // for a server that starts
	// The subjects of both sides, each before the number of a receiver or pair. Answers have the place of the ask besides.
	natsSink   = "sink."
	natsSource = "source."
)

// natsPeer is a receiver or the sender of a pair: a connection, which others may share, to publish by from one goroutine at a time.
type natsPeer struct {
	conn *nats.Conn
	buf  []byte
}

// natsConnect connects to the server at url; fail hears of what goes wrong later.
func natsConnect(url string, fail func(error)) (*nats.Conn, error) {
	return nats.Connect(url, nats.NoReconnect(), nats.SkipSubjectValidation(),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { fail(err) }),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if err != nil {
				fail(err)
			}
		}))
}

// subscribe hands each message on a subject to take, one at a time.
func (p *natsPeer) subscribe(subject string, take func(from *nats.Msg, m *app.StatusUpdate) error, fail func(error)) error {
	sub, err := p.conn.Subscribe(subject, func(from *nats.Msg) {
		m := new(app.StatusUpdate)
		err := proto.Unmarshal(from.Data, m)
		if err == nil {
			err = take(from, m)
		}
		if err != nil {
			fail(err)
		}
	})
	if err != nil {
		return err
	}
	return errors.Join(sub.SetPendingLimits(-1, -1), p.conn.Flush())
}

// publish sends m. The connection copies what it is given, so the encoding's bytes are used again.
func (p *natsPeer) publish(subject, reply string, m *app.StatusUpdate) error {
	var err error
	if p.buf, err = (proto.MarshalOptions{}).MarshalAppend(p.buf[:0], m); err != nil {
		return err
	}
	if reply == "" {
		return p.conn.Publish(subject, p.buf)
	}
	return p.conn.PublishRequest(subject, reply, p.buf)
}

// natsServer is the receiving side.
type natsServer struct {
	spec   *measure.Spec
	server *server.Server
	conns  []*nats.Conn
}

func (natsCore) Serve(spec *measure.Spec, sinks []*measure.Sink) (string, func(), error) {
	s, err := server.NewServer(&server.Options{
		Host: spec.ListenHost(), Port: server.RANDOM_PORT, NoLog: true, NoSigs: true, MaxPayload: measure.MaxSize + 1,
	})
	if err != nil {
		return "", nil, err
	}
	n := &natsServer{spec: spec, server: s}
	s.Start()
	if !s.ReadyForConnections(natsReady) {
		n.stop()
		return "", nil, fmt.Errorf("its server is not ready after %s", natsReady)
	}
	for i, sink := range sinks {
		if err := n.receive(i, sink); err != nil {
			n.stop()
			return "", nil, err
		}
	}
	return s.ClientURL(), n.stop, nil
}

func (n *natsServer) stop() {
	for _, c := range n.conns {
		c.Close()
	}
	n.server.Shutdown()
	n.server.WaitForShutdown()
}

// receive begins receiver i.
func (n *natsServer) receive(i int, sink *measure.Sink) error {
	// The sender misses what is lost here, so the trial fails: these errors need no other way.
	ignore := func(error) {}
	if i == 0 || n.spec.Case == measure.FanOut {
		conn, err := natsConnect(n.server.ClientURL(), ignore)
		if err != nil {
			return err
		}
		n.conns = append(n.conns, conn)
	}
	p := &natsPeer{conn: n.conns[len(n.conns)-1]}
	return p.subscribe(natsSink+strconv.Itoa(i), func(from *nats.Msg, m *app.StatusUpdate) error {
		if n.spec.Case == measure.Connect {
			sink.Operation()
			return p.publish(from.Reply, "", m)
		}
		back := sink.Take(m)
		switch {
		case back == nil:
			return nil
		case from.Reply != "":
			return p.publish(from.Reply, "", back)
		default:
			return p.publish(natsSource+strconv.Itoa(measure.PairOf(back)), "", back)
		}
	}, ignore)
}
