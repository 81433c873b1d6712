package bench

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/coherer/coherer/bench/endpoints"
	"github.com/coherer/coherer/bench/measure"
	"github.com/coherer/coherer/rpcenv"
)

// lane is the sending side of a pair: its goroutine reads what comes back, and sends what may be sent then.
type lane struct {
	wire *wire
	tell *measure.Tell
	ask  *measure.Ask

	// mu makes one sender of the lanes that share it, and of a lane and the pacer.
	mu *sync.Mutex
	// asked and answered count the questions: answers come in the order of their questions, so a ring of times is enough, without a map
	// by number.
	asked, answered int64
	times           []time.Duration
}

// lanes connects a lane for each pair; the lanes of fan-out have one sender. With an error it returns the lanes made before it.
func (c tcp) lanes(ctx context.Context, t *measure.Trial) (lanes []*lane, err error) {
	sender := new(sync.Mutex)
	for pair := range t.Spec.Pairs {
		if t.Spec.Case != measure.FanOut {
			sender = new(sync.Mutex)
		}
		conn, err := new(net.Dialer).DialContext(ctx, "tcp", t.Address)
		if err != nil {
			return lanes, err
		}
		w, err := newWire(conn, endpoints.SinkName, endpoints.SourceName, c.inPlace)
		if err != nil {
			return lanes, errors.Join(err, conn.Close())
		}
		l := &lane{wire: w, mu: sender}
		if t.Spec.Case.Ask() {
			l.ask, l.times = t.Asks[pair], make([]time.Duration, t.Spec.InFlight)
		} else {
			l.tell = t.Tells[pair]
		}
		if t.Spec.Case == measure.OneWay {
			w.room = floodRoom
		}
		lanes = append(lanes, l)
	}
	return lanes, nil
}

// closeLanes ends lanes; it may be called again.
func closeLanes(lanes []*lane) {
	for _, l := range lanes {
		l.wire.close()
	}
}

// run drives the pair until it is over.
func (l *lane) run() error {
	if err := l.send(); err != nil {
		return err
	}
	for {
		over, err := l.receive()
		if over || err != nil {
			return err
		}
		if err := l.send(); err != nil {
			return err
		}
	}
}

// remind sends what is due. An error is left to run, whose read ends with the connection too.
func (l *lane) remind() { _ = l.send() }

func (l *lane) send() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ask == nil {
		for m := l.tell.Next(); m != nil; m = l.tell.Next() {
			if err := l.wire.write(rpcenv.KindOneWay, 0, m); err != nil {
				return err
			}
		}
		return nil
	}
	for m, at := l.ask.Next(); m != nil; m, at = l.ask.Next() {
		l.times[l.asked%int64(len(l.times))] = at // free: Next lets as many questions be open, not more
		if err := l.wire.write(rpcenv.KindRequest, l.asked, m); err != nil {
			return err
		}
		l.asked++
	}
	return nil
}

func (l *lane) receive() (over bool, err error) {
	if l.ask == nil {
		_, ack, err := l.wire.read(rpcenv.KindOneWay)
		if err != nil {
			return false, err
		}
		l.mu.Lock()
		defer l.mu.Unlock()
		return l.tell.Acknowledged(ack)
	}
	n, answer, err := l.wire.read(rpcenv.KindResponse)
	if err != nil {
		return false, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if n != l.answered {
		return false, fmt.Errorf("answer to question %d, want %d", n, l.answered)
	}
	l.answered++
	return l.ask.Answered(l.times[n%int64(len(l.times))], answer)
}
