package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/bench/measure"
	"github.com/coherer/coherer/messages/app"
)

// natsCore is core NATS: a client on each side, and the server in the receiver's process, as the library allows, so that a message
// crosses one connection between processes and not two. The receiver's client has a connection of loopback to that server.
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
	return []measure.Case{measure.RemoteTell, measure.RemoteAsk, measure.OneWay}
}

const (
	natsReady = 10 * time.Second // for a server that starts
	// The subjects of both sides. Answers go to natsSource, a dot and the place of the ask.
	natsSink   = "sink"
	natsSource = "source"
)

// natsPeer is one side: a connection that publishes messages.
type natsPeer struct {
	conn *nats.Conn
	buf  []byte
}

// natsConnect connects to the server at url; fail hears of what goes wrong later.
func natsConnect(url string, fail func(error)) (*natsPeer, error) {
	conn, err := nats.Connect(url, nats.NoReconnect(), nats.SkipSubjectValidation(),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { fail(err) }),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if err != nil {
				fail(err)
			}
		}))
	if err != nil {
		return nil, err
	}
	return &natsPeer{conn: conn}, nil
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

func (natsCore) Serve(_ *measure.Spec, sinks []*measure.Sink) (string, func(), error) {
	s, err := server.NewServer(&server.Options{
		Host: "127.0.0.1", Port: server.RANDOM_PORT, NoLog: true, NoSigs: true, MaxPayload: measure.MaxSize + 1,
	})
	if err != nil {
		return "", nil, err
	}
	stop := func() {
		s.Shutdown()
		s.WaitForShutdown()
	}
	s.Start()
	if !s.ReadyForConnections(natsReady) {
		stop()
		return "", nil, fmt.Errorf("its server is not ready after %s", natsReady)
	}
	// The sender misses what is lost here, so the trial fails: these errors need no other way.
	ignore := func(error) {}
	p, err := natsConnect(s.ClientURL(), ignore)
	if err != nil {
		stop()
		return "", nil, err
	}
	err = p.subscribe(natsSink, func(from *nats.Msg, m *app.StatusUpdate) error {
		back := sinks[0].Take(m)
		switch {
		case back == nil:
			return nil
		case from.Reply != "":
			return p.publish(from.Reply, "", back)
		default:
			return p.publish(natsSource, "", back)
		}
	}, ignore)
	if err != nil {
		p.conn.Close()
		stop()
		return "", nil, err
	}
	return s.ClientURL(), func() {
		p.conn.Close()
		stop()
	}, nil
}

func (natsCore) Run(ctx context.Context, t *measure.Trial) error {
	over := make(chan error, 1)
	end := func(err error) {
		select {
		case over <- err:
		default: // it has ended already
		}
	}
	p, err := natsConnect(t.Address, end)
	if err != nil {
		return err
	}
	defer p.conn.Close()
	// A publishing waits for room in the socket; only the connection's end ends that.
	defer context.AfterFunc(ctx, p.conn.Close)()
	s := &natsSender{peer: p, over: end}
	subject := natsSource
	if t.Spec.Case.Ask() {
		s.ask = t.Asks[0]
		s.open(t.Spec.InFlight)
		subject += ".*"
	} else {
		s.tell = t.Tells[0]
	}
	if err := p.subscribe(subject, s.take, end); err != nil {
		return err
	}
	s.begin()
	select {
	case err = <-over:
	case <-ctx.Done():
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// natsSender is the sending side: it sends from the callback of its subscription, after the first messages.
type natsSender struct {
	peer *natsPeer
	over func(error)
	tell *measure.Tell
	ask  *measure.Ask

	mu sync.Mutex // the first messages are Run's
	// places are those of asks: when each was asked, and its reply subject; free are the places without an ask.
	places []natsPlace
	free   []int
}

type natsPlace struct {
	at    time.Duration
	reply string
}

// open makes the places of asks, with all reply subjects: they cost no trial anything.
func (s *natsSender) open(inFlight int) {
	for i := range inFlight {
		s.places = append(s.places, natsPlace{reply: natsSource + "." + strconv.Itoa(i)})
		s.free = append(s.free, i)
	}
}

func (s *natsSender) begin() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.send(); err != nil {
		s.over(err)
	}
}

func (s *natsSender) take(from *nats.Msg, m *app.StatusUpdate) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	over, err := s.taken(from, m)
	if over || err != nil {
		s.over(err)
		return nil
	}
	return s.send()
}

func (s *natsSender) taken(from *nats.Msg, m *app.StatusUpdate) (over bool, err error) {
	if s.ask == nil {
		return s.tell.Acknowledged(m)
	}
	i, err := strconv.Atoi(strings.TrimPrefix(from.Subject, natsSource+"."))
	if err != nil || i >= len(s.places) {
		return false, fmt.Errorf("an answer at %q", from.Subject)
	}
	s.free = append(s.free, i)
	return s.ask.Answered(s.places[i].at, m)
}

// send sends as many messages as may be under way.
func (s *natsSender) send() error {
	if s.ask == nil {
		for m := s.tell.Next(); m != nil; m = s.tell.Next() {
			if err := s.peer.publish(natsSink, "", m); err != nil {
				return err
			}
		}
		return nil
	}
	for m, at := s.ask.Next(); m != nil; m, at = s.ask.Next() {
		i := s.free[len(s.free)-1] // there is one: Next lets as many be open as there are places
		s.free = s.free[:len(s.free)-1]
		s.places[i].at = at
		if err := s.peer.publish(natsSink, s.places[i].reply, m); err != nil {
			return err
		}
	}
	return nil
}
