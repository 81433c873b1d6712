package costs

import (
	"fmt"
	"sync"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/trace/record"
	"github.com/coherer/coherer/rpcenv/transport"
)

// sizes are those of the encoded messages, in bytes.
var sizes = []int{64, 1 << 10, 64 << 10}

// burst is how many tells are sent in one turn of their sender.
const burst = 64

var loopback = rpcenv.Address{Host: "127.0.0.1"}

// manyEnvs makes Envs until the number of the next one takes two bytes as a varint, and an allocation as an interface. All Envs of
// these tests are alike then, whichever test runs first and how often.
var manyEnvs = sync.OnceValue(func() error {
	h := transport.New(transport.Options{Memory: true})
	for range 256 {
		e, err := rpcenv.New(h, rpcenv.Config{Name: "Early"})
		if err != nil {
			return err
		}
		e.Close()
	}
	return h.Close()
})

// newEnv is an Env of a process of its own, that records with r unless r is nil.
func newEnv(tb testing.TB, name string, r *record.Recorder) *rpcenv.Env {
	tb.Helper()
	if err := manyEnvs(); err != nil {
		tb.Fatal(err)
	}
	h := transport.New(transport.Options{Recorder: r})
	tb.Cleanup(func() {
		if err := h.Close(); err != nil {
			tb.Error(err)
		}
	})
	e, err := rpcenv.New(h, rpcenv.Config{Name: name, Listen: loopback})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(e.Close)
	return e
}

// message is one whose encoding has size bytes.
func message(tb testing.TB, size int) *app.StatusUpdate {
	tb.Helper()
	m := &app.StatusUpdate{ExecutorId: "0", State: app.TaskState_RUNNING, Result: &app.TaskResult{}}
	for n := size; n > 0; n-- {
		m.Result.Records = make([]byte, n)
		if proto.Size(m) == size {
			return m
		}
	}
	tb.Fatalf("no message has %d bytes", size)
	return nil
}

// sink counts tells, and answers asks with themselves.
type sink struct {
	ask  bool
	n    int
	full func() // after each burst of tells
}

func (s *sink) Receive(c *rpcenv.Context, m rpcenv.Message) {
	if s.ask {
		rpcenv.ReplyAs(c, m, m)
		return
	}
	if s.n++; s.n%burst == 0 {
		s.full()
	}
}

// begin makes a source send or ask.
type begin struct {
	rpcenv.Local
	asks int // 0: a burst of tells
}

// source sends bursts of tells, or one ask after the other.
type source struct {
	to   rpcenv.Ref
	m    *app.StatusUpdate
	done chan error

	left int
	next func(*app.StatusUpdate, error)
	c    *rpcenv.Context
}

func (s *source) Receive(c *rpcenv.Context, m rpcenv.Message) {
	s.c, s.left = c, m.(*begin).asks
	if s.left > 0 {
		rpcenv.AskAs(c, s.to, s.m, s.next)
		return
	}
	for range burst {
		c.Send(s.to, s.m)
	}
}

func (s *source) answered(_ *app.StatusUpdate, err error) {
	if s.left--; s.left == 0 || err != nil {
		s.done <- err
		return
	}
	rpcenv.AskAs(s.c, s.to, s.m, s.next)
}

// pair is a source in one Env and its sink in the same or another.
type pair struct {
	tb      testing.TB
	from    *rpcenv.Env
	self    rpcenv.Ref
	sinkAt  rpcenv.Address // as its own Env says
	program *rpcenv.Blocking
	*source
}

// newPair registers both; at is where from reaches to.
func newPair(tb testing.TB, from, to *rpcenv.Env, at rpcenv.Address, size int, ask bool) *pair {
	tb.Helper()
	s := &source{to: rpcenv.Ref{Address: at, Name: "Sink"}, m: message(tb, size), done: make(chan error, 1)}
	s.next = s.answered
	if _, err := to.Register("Sink", &sink{ask: ask, full: func() { s.done <- nil }}); err != nil {
		tb.Fatal(err)
	}
	self, err := from.Register("Source", s)
	if err != nil {
		tb.Fatal(err)
	}
	return &pair{tb: tb, from: from, self: self, sinkAt: to.Address(), source: s}
}

// tells sends n tells, a multiple of burst, and returns when all are handled.
func (p *pair) tells(n int) error {
	if n%burst != 0 {
		return fmt.Errorf("%d tells are no bursts of %d", n, burst)
	}
	m := &begin{}
	for range n / burst {
		if err := p.run(m); err != nil {
			return err
		}
	}
	return nil
}

// asks makes n asks, one after the other.
func (p *pair) asks(n int) error { return p.run(&begin{asks: n}) }

func (p *pair) run(m *begin) error {
	if err := p.from.Send(p.self, m); err != nil {
		return err
	}
	return <-p.done
}

// outsideAsks makes n asks as a program does, which has no endpoint.
func (p *pair) outsideAsks(n int) error {
	if p.program == nil {
		p.program = p.from.Blocking(p.tb.Context())
		p.tb.Cleanup(p.program.Close)
	}
	for range n {
		if _, err := rpcenv.AskWaitAs[*app.StatusUpdate](p.program, p.to, p.m); err != nil {
			return err
		}
	}
	return nil
}
