package bench

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/coherer/coherer/bench/measure"
	"github.com/coherer/coherer/messages/app"
)

// channel is two goroutines for each pair in one process, with a channel each way: what a message costs when nothing is promised
// about it. The asking goroutine keeps several questions under way, as an endpoint does. Its endpoint is a goroutine with a channel.
type channel struct{}

func (channel) Name() string    { return "go-channel" }
func (channel) Version() string { return "" }

func (channel) Cases() []measure.Case {
	return []measure.Case{measure.LocalTell, measure.LocalAsk, measure.EndpointSpawn}
}

func (channel) Extras() measure.Extras { return measure.Extras{Pairs: true, Rate: true} }

func (channel) Serve(*measure.Spec, []*measure.Sink) (string, func(), error) {
	return "", nil, errors.New("a channel does not leave its process")
}

func (channel) Run(ctx context.Context, t *measure.Trial) error {
	if t.Spec.Case == measure.EndpointSpawn {
		return t.Operate(ctx, func(_ uint64, end func(error)) { goroutine(t.Sinks[0], end) })
	}
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	defer running.Wait()
	defer cancel() // ends the pairs that another one's error leaves behind
	over := make(chan error, t.Spec.Pairs)
	pairs := make([]*channelPair, t.Spec.Pairs)
	for i := range pairs {
		pairs[i] = newChannelPair(t, i)
	}
	defer t.Pace(ctx, func(pair int) { pairs[pair].wake.remind() })()
	for _, p := range pairs {
		running.Go(func() { over <- p.run(ctx) })
	}
	return waitAll(ctx, over, len(pairs))
}

// goroutine is one with an inbox that ends as soon as it runs.
func goroutine(count *measure.Sink, end func(error)) {
	inbox := make(chan carried, 1)
	go func() {
		count.Operation()
		close(inbox)
		for range inbox {
			continue
		}
		end(nil)
	}()
}

// channelPair is a pair. Its channels have room for all that is under way.
type channelPair struct {
	tell        *measure.Tell
	ask         *measure.Ask
	sink        *measure.Sink
	there, back chan carried
	wake        reminder
}

// carried is a message on its way, with the time when it was asked.
type carried struct {
	m  *app.StatusUpdate
	at time.Duration
}

func newChannelPair(t *measure.Trial, pair int) *channelPair {
	p := &channelPair{
		sink:  t.Sinks[pair],
		there: make(chan carried, t.Spec.InFlight), back: make(chan carried, t.Spec.InFlight+1), wake: newReminder(),
	}
	if t.Spec.Case.Ask() {
		p.ask = t.Asks[pair]
	} else {
		p.tell = t.Tells[pair]
	}
	return p
}

func (p *channelPair) run(ctx context.Context) error {
	var receiver sync.WaitGroup
	receiver.Go(p.receive)
	// After an error back may hold messages: it has room, so the receiver ends all the same.
	defer func() {
		close(p.there)
		receiver.Wait()
	}()
	for {
		p.send()
		select {
		case c := <-p.back:
			if over, err := p.take(c); over || err != nil {
				return err
			}
		case <-p.wake:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (p *channelPair) receive() {
	for c := range p.there {
		if m := p.sink.Take(c.m); m != nil {
			p.back <- carried{m, c.at} // never blocks: it has room for all that are under way
		}
	}
}

// send sends as many messages as may be under way. It never blocks: the channel has room for them.
func (p *channelPair) send() {
	if p.ask != nil {
		for m, at := p.ask.Next(); m != nil; m, at = p.ask.Next() {
			p.there <- carried{m, at}
		}
		return
	}
	for m := p.tell.Next(); m != nil; m = p.tell.Next() {
		p.there <- carried{m: m}
	}
}

func (p *channelPair) take(c carried) (over bool, err error) {
	if p.ask != nil {
		return p.ask.Answered(c.at, c.m)
	}
	return p.tell.Acknowledged(c.m)
}
