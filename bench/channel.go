package bench

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/coherer/coherer/bench/measure"
	"github.com/coherer/coherer/messages/app"
)

// channel is two goroutines in one process, with a channel each way: what a message costs when nothing is promised about
// it. The asking goroutine keeps several questions under way, as an endpoint does.
type channel struct{}

func (channel) Name() string    { return "go-channel" }
func (channel) Version() string { return "" }

func (channel) Cases() []measure.Case {
	return []measure.Case{measure.LocalTell, measure.LocalAsk}
}

func (channel) Serve(*measure.Spec, []*measure.Sink) (string, func(), error) {
	return "", nil, errors.New("a channel does not leave its process")
}

// carried is a message on its way, with the time when it was asked.
type carried struct {
	m  *app.StatusUpdate
	at time.Duration
}

func (channel) Run(ctx context.Context, t *measure.Trial) error {
	there := make(chan carried, t.Spec.InFlight)
	back := make(chan carried, t.Spec.InFlight+1)
	var sink sync.WaitGroup
	sink.Go(func() {
		for c := range there {
			if m := t.Sinks[0].Take(c.m); m != nil {
				back <- carried{m, c.at} // never blocks: it has room for all that are under way
			}
		}
	})
	// After an error back may hold messages: it has room, so the sink ends all the same.
	defer func() {
		close(there)
		sink.Wait()
	}()
	for {
		send(t, there)
		select {
		case c := <-back:
			if over, err := take(t, c); over || err != nil {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// send sends as many messages as may be under way. It never blocks: the channel has room for them.
func send(t *measure.Trial, there chan<- carried) {
	if t.Asks != nil {
		for m, at := t.Asks[0].Next(); m != nil; m, at = t.Asks[0].Next() {
			there <- carried{m, at}
		}
		return
	}
	for m := t.Tells[0].Next(); m != nil; m = t.Tells[0].Next() {
		there <- carried{m: m}
	}
}

func take(t *measure.Trial, c carried) (over bool, err error) {
	if t.Asks != nil {
		return t.Asks[0].Answered(c.at, c.m)
	}
	return t.Tells[0].Acknowledged(c.m)
}
