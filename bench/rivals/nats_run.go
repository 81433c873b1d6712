package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/bench/measure"
	"github.com/coherer/coherer/messages/app"
)

func (natsCore) Run(ctx context.Context, t *measure.Trial) error {
	if t.Spec.Case == measure.Connect {
		return t.OperateBlocking(ctx, func(ctx context.Context, _ uint64) error { return natsOperation(ctx, t.Address) })
	}
	over := make(chan error, t.Spec.Pairs)
	end := func(err error) {
		select {
		case over <- err:
		default: // Run has enough to end
		}
	}
	var conns []*nats.Conn
	defer func() {
		for _, c := range conns {
			c.Close()
		}
	}()
	var lanes []*natsLane
	sender := new(sync.Mutex)
	for pair := range t.Spec.Pairs {
		if pair == 0 || t.Spec.Case == measure.FanIn {
			conn, err := natsConnect(t.Address, end)
			if err != nil {
				return err
			}
			conns = append(conns, conn)
		}
		if t.Spec.Case != measure.FanOut {
			sender = new(sync.Mutex)
		}
		l := newNatsLane(t, pair, conns[len(conns)-1], sender, end)
		if err := l.peer.subscribe(l.from, l.take, end); err != nil {
			return err
		}
		lanes = append(lanes, l)
	}
	// A publishing waits for room in the socket; only the connection's end ends that.
	defer context.AfterFunc(ctx, func() {
		for _, c := range conns {
			c.Close()
		}
	})()
	defer t.Pace(ctx, func(pair int) { lanes[pair].begin() })()
	for _, l := range lanes {
		l.begin()
	}
	for range lanes {
		select {
		case err := <-over:
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err != nil {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// natsOperation is one connect: a client with a request and its answer.
func natsOperation(ctx context.Context, url string) error {
	conn, err := natsConnect(url, func(error) {}) // the request fails with it
	if err != nil {
		return err
	}
	defer conn.Close()
	encoded, err := proto.Marshal(&app.StatusUpdate{})
	if err != nil {
		return err
	}
	_, err = conn.RequestWithContext(ctx, natsSink+"0", encoded)
	return err
}

// natsLane is the sending side of a pair: after the first messages it sends from the callback of its subscription.
type natsLane struct {
	peer     *natsPeer
	to, from string // subjects
	over     func(error)
	tell     *measure.Tell
	ask      *measure.Ask

	// mu makes one sender of the lanes of fan-out, and of a lane, the pacer and Run.
	mu *sync.Mutex
	// places are those of asks: when each was asked, and its reply subject; free are the places without an ask.
	places []natsPlace
	free   []int
}

type natsPlace struct {
	at    time.Duration
	reply string
}

func newNatsLane(t *measure.Trial, pair int, conn *nats.Conn, mu *sync.Mutex, over func(error)) *natsLane {
	l := &natsLane{
		peer: &natsPeer{conn: conn}, to: natsSink + strconv.Itoa(pair%t.Spec.Receivers()), from: natsSource + strconv.Itoa(pair),
		over: over, mu: mu,
	}
	if !t.Spec.Case.Ask() {
		l.tell = t.Tells[pair]
		return l
	}
	l.ask = t.Asks[pair]
	for i := range t.Spec.InFlight { // all reply subjects: they cost the trial nothing
		l.places = append(l.places, natsPlace{reply: l.from + "." + strconv.Itoa(i)})
		l.free = append(l.free, i)
	}
	l.from += ".*"
	return l
}

// begin sends what may be sent, from outside the callback.
func (l *natsLane) begin() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.send(); err != nil {
		l.over(err)
	}
}

func (l *natsLane) take(from *nats.Msg, m *app.StatusUpdate) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	over, err := l.taken(from, m)
	if over {
		l.over(nil)
	}
	if over || err != nil {
		return err
	}
	return l.send()
}

func (l *natsLane) taken(from *nats.Msg, m *app.StatusUpdate) (over bool, err error) {
	if l.ask == nil {
		return l.tell.Acknowledged(m)
	}
	i, err := strconv.Atoi(from.Subject[strings.LastIndexByte(from.Subject, '.')+1:])
	if err != nil || i >= len(l.places) {
		return false, fmt.Errorf("an answer at %q", from.Subject)
	}
	l.free = append(l.free, i)
	return l.ask.Answered(l.places[i].at, m)
}

// send sends as many messages as may be under way.
func (l *natsLane) send() error {
	if l.ask == nil {
		for m := l.tell.Next(); m != nil; m = l.tell.Next() {
			if err := l.peer.publish(l.to, "", m); err != nil {
				return err
			}
		}
		return nil
	}
	for m, at := l.ask.Next(); m != nil; m, at = l.ask.Next() {
		i := l.free[len(l.free)-1] // there is one: Next lets as many be open as there are places
		l.free = l.free[:len(l.free)-1]
		l.places[i].at = at
		if err := l.peer.publish(l.to, l.places[i].reply, m); err != nil {
			return err
		}
	}
	return nil
}
