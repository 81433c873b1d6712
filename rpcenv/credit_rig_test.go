package rpcenv_test

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
)

// narrow are settings under which little is much: a window of 64 KiB, of which the half has 25 messages of a KiB, and a bound of 1 MiB.
func narrow(t *testing.T) *conf.Conf {
	t.Helper()
	c, err := conf.New(map[string]string{"coherer.rpc.window": "64k", "coherer.rpc.outbox.limit": "1m"}, rpcenv.Settings)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// kib is the n-th message of a KiB.
func kib(n int) *wrapperspb.StringValue {
	return text(fmt.Sprintf("%d %s", n, strings.Repeat("x", 1<<10)))
}

// gauge notes the numbers of the messages that it gets, when they do not follow one another, and every so many.
type gauge struct {
	w       *world
	next    int
	every   int
	handled atomic.Int64
	gate    chan struct{} // of a real world: closed when it may begin
}

// slowly makes a gauge that handles nothing before open is called; in a simulation it takes its time from the start.
func slowly(w *world, every int) (ep *gauge, open func()) {
	ep = &gauge{w: w, every: every, gate: make(chan struct{})}
	if w.sim != nil {
		w.sim.Cost("A/Slow", "*", time.Millisecond)
		return ep, func() {}
	}
	return ep, func() { close(ep.gate) }
}

func (e *gauge) Receive(c *rpcenv.Context, m rpcenv.Message) {
	if e.w.sim == nil {
		<-e.gate
	}
	e.handled.Add(1)
	n := 0
	if _, err := fmt.Sscan(m.(*wrapperspb.StringValue).GetValue(), &n); err != nil || n != e.next {
		e.w.note("%d comes after %d: %v", n, e.next-1, err)
	}
	if e.next = n + 1; e.next%e.every == 0 {
		e.w.note("%d", e.next)
	}
	rpcenv.ReplyAs(c, m, num(int32(n)))
}

// sender does what a do says, and notes what it hears of its peers.
type sender struct {
	*endpoint
	w *world
}

func newSender(w *world) *sender { return &sender{doer(), w} }

func (s *sender) OnBehind(_ *rpcenv.Context, to rpcenv.Ref, behind bool) {
	s.w.note("%s is behind: %t", to.Name, behind)
}

func (s *sender) OnStreamEnded(_ *rpcenv.Context, to rpcenv.Ref, err error) {
	s.w.note("the stream to %s ended: %t", to.Name, errors.Is(err, rpcenv.ErrUnreachableOverloaded))
}

// count is how often a line was noted.
func (w *world) count(line string) (n int) {
	for _, l := range w.noted() {
		if l == line {
			n++
		}
	}
	return n
}

// connect makes b look an endpoint up, by which it is connected.
func (w *world) connect(b *rpcenv.Env, to rpcenv.Ref) {
	w.do(b, func(b *rpcenv.Blocking) {
		if _, err := rpcenv.ResolveWait(b, to.String()); err != nil {
			w.t.Error(err)
		}
	})
}

// waiting is what waits at e for its peers.
func waiting(e *rpcenv.Env) (messages, bytes int) {
	for _, p := range e.Metrics().Peers {
		messages += p.Messages
		bytes += p.Bytes
	}
	return messages, bytes
}
