package main

import (
	"context"
	"errors"
	"sync"
	"time"

	"google.golang.org/grpc"

	"github.com/coherer/coherer/bench/measure"
	"github.com/coherer/coherer/messages/app"
)

func (grpcStream) Run(ctx context.Context, t *measure.Trial) (err error) {
	if t.Spec.Case == measure.Connect {
		return t.OperateBlocking(ctx, func(ctx context.Context, _ uint64) error { return grpcConnect(ctx, t) })
	}
	streaming, cancel := context.WithCancel(ctx)
	defer cancel()
	var conns []*grpc.ClientConn
	defer func() {
		for _, c := range conns {
			err = errors.Join(err, c.Close())
		}
	}()
	var lanes []*grpcLane
	own := t.Spec.Case == measure.FanIn || t.Spec.Case == measure.FanOut // a connection for each pair
	sender := new(sync.Mutex)
	for pair := range t.Spec.Pairs {
		if own || pair == 0 {
			conn, err := grpcDial(t)
			if err != nil {
				return err
			}
			conns = append(conns, conn)
		}
		s, err := grpcOpen(streaming, conns[len(conns)-1])
		if err != nil {
			return err
		}
		if t.Spec.Case != measure.FanOut {
			sender = new(sync.Mutex)
		}
		l := &grpcLane{grpcClient: s, mu: sender}
		if t.Spec.Case.Ask() {
			l.asks, l.times = t.Asks[pair], make([]time.Duration, t.Spec.InFlight)
		} else {
			l.tell = t.Tells[pair]
		}
		lanes = append(lanes, l)
	}
	over := make(chan error, len(lanes)) // room for all: none waits for Run
	var running sync.WaitGroup
	defer running.Wait()
	defer cancel()                                                 // ends the lanes that an error leaves behind
	defer t.Pace(ctx, func(pair int) { _ = lanes[pair].next() })() // an error is left to run, whose Recv ends too
	for _, l := range lanes {
		running.Go(func() { over <- l.run() })
	}
	for range lanes {
		if err := <-over; err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return err
		}
	}
	return nil
}

// grpcConnect is one operation: a connection, a stream, a question and its answer.
func grpcConnect(ctx context.Context, t *measure.Trial) (err error) {
	conn, err := grpcDial(t)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s, err := grpcOpen(ctx, conn)
	if err != nil {
		return err
	}
	if err := s.send(&app.StatusUpdate{}); err != nil {
		return err
	}
	_, err = s.Recv()
	return err
}

// grpcLane is the sending side of a pair: its goroutine sends what may be sent, and then receives.
type grpcLane struct {
	grpcClient
	tell *measure.Tell
	asks *measure.Ask

	// mu makes one sender of the lanes of fan-out, and of a lane and the pacer.
	mu *sync.Mutex
	// asked and answered count the questions, which are answered in their order: a ring of times is enough.
	asked, answered int
	times           []time.Duration
}

func (l *grpcLane) run() error {
	for {
		if err := l.next(); err != nil {
			return err
		}
		back, err := l.Recv()
		if err != nil {
			return err
		}
		if over, err := l.take(back); over || err != nil {
			return err
		}
	}
}

// next sends as many messages as may be under way.
func (l *grpcLane) next() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.asks == nil {
		for m := l.tell.Next(); m != nil; m = l.tell.Next() {
			if err := l.send(m); err != nil {
				return err
			}
		}
		return nil
	}
	for m, at := l.asks.Next(); m != nil; m, at = l.asks.Next() {
		l.times[l.asked%len(l.times)] = at // free: Next lets as many questions be open, not more
		if err := l.send(m); err != nil {
			return err
		}
		l.asked++
	}
	return nil
}

func (l *grpcLane) take(back *app.StatusUpdate) (over bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.asks == nil {
		return l.tell.Acknowledged(back)
	}
	at := l.times[l.answered%len(l.times)]
	l.answered++
	return l.asks.Answered(at, back)
}
