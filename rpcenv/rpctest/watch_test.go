package rpctest_test

import (
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

// failing is a test that fails on purpose.
type failing struct {
	testing.TB
	fatal    string
	cleanups []func()
}

func (f *failing) Helper()             {}
func (f *failing) Output() io.Writer   { return io.Discard }
func (f *failing) Logf(string, ...any) {}
func (f *failing) Failed() bool        { return f.fatal != "" }
func (f *failing) Cleanup(c func())    { f.cleanups = append(f.cleanups, c) }
func (f *failing) Fatal(args ...any)   { f.Fatalf("%s", fmt.Sprint(args...)) }

func (f *failing) Errorf(format string, args ...any) { f.fatal += fmt.Sprintf(format, args...) + "\n" }

func (f *failing) Fatalf(format string, args ...any) {
	f.fatal = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

// failure runs a test that fails and returns what it said.
func failure(test func(t testing.TB)) string {
	f := &failing{}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer func() {
			for _, c := range slices.Backward(f.cleanups) {
				c()
			}
		}()
		test(f)
	}()
	<-ended
	return f.fatal
}

// blocker blocks in one of its callbacks.
type blocker struct {
	in   string
	end  chan struct{}
	wait func() // in place of a wait for end
}

func (b *blocker) block(in string) {
	switch {
	case b.in != in:
	case b.wait != nil:
		b.wait()
	default:
		<-b.end
	}
}

type tick struct{ rpcenv.Local }

func (b *blocker) OnStart(c *rpcenv.Context) {
	b.block("OnStart")
	c.After(time.Second, tick{})
	rpcenv.AskAs(c, c.Self(), wrapperspb.Bool(true), func(*wrapperspb.BoolValue, error) { b.block("answer") })
	rpcenv.Run(c, "", func(*rpcenv.Blocking) (int, error) {
		b.block("body")
		return 1, nil
	}, func(int, error) { b.block("result") })
}

func (b *blocker) Receive(c *rpcenv.Context, m rpcenv.Message) {
	switch m := m.(type) {
	case *wrapperspb.StringValue:
		b.block("message")
	case *wrapperspb.BoolValue:
		rpcenv.ReplyAs(c, m, m)
	case tick:
		b.block("tick")
	default:
		c.Unsupported(m)
	}
}

// A callback that blocks fails its test, which says whose it is, for what, and where it waits. In a bubble the time passes
// at once.
func TestACallbackThatBlocksFailsTheTestByName(t *testing.T) {
	rpctest.New(t, 1).Env("first", nil) // what all Envs of the process share is made outside of the bubble
	for in, want := range map[string]string{
		"message": "Server/Greeter blocks in its callback for the message google.protobuf.StringValue: no end after 1s, state \"chan receive\".",
		"OnStart": "Server/Greeter blocks in its callback for OnStart: no end after 1s",
		"tick":    "Server/Greeter blocks in its callback for timer tick: no end after 1s",
		"answer":  "Server/Greeter blocks in what it does with the answer of an ask: no end after 1s",
		"body":    "what is run outside of callbacks blocks (a body of Run or Env.Go, or a condition): no end after 5s",
		"result":  "Server/Greeter blocks in its callback for run : no end after 1s",
	} {
		t.Run(in, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := &blocker{in: in, end: make(chan struct{})}
				got := failure(func(t testing.TB) {
					w := rpctest.New(t, 1)
					ref := w.Register(w.Env("Server", nil), "Greeter", b)
					p := w.Probe("P")
					p.Send(ref, wrapperspb.String("Ada"))
					w.Advance(time.Minute)
				})
				if !strings.Contains(got, want) || !strings.Contains(got, "rpctest_test.(*blocker).block(") || strings.Contains(got, "/rpcenv.(") {
					t.Errorf("got %s\nwant %s", got, want)
				}
				close(b.end) // what was given up ends, and touches nothing any more
			})
		})
	}
}

// A World that was given up is not run again, and its end is not waited for.
func TestAWorldThatWasGivenUpIsLeftAlone(t *testing.T) {
	rpctest.New(t, 1).Env("first", nil)
	synctest.Test(t, func(t *testing.T) {
		b := &blocker{in: "OnStart", end: make(chan struct{})}
		begin := time.Now()
		got := failure(func(f testing.TB) {
			w := rpctest.New(f, 1)
			w.CallbackLimit = time.Second
			w.Register(w.Env("Server", nil), "Greeter", b)
			defer func() {
				w.Close()
				// A fifth of the limit, which begins at the first look, a fiftieth after the beginning.
				if d := time.Since(begin); d != 220*time.Millisecond {
					t.Error("given up after", d)
				}
				w.Settle()
			}()
			w.Settle()
		})
		if got != "rpctest: the World was given up: a callback blocks" {
			t.Error(got)
		}
		close(b.end)
	})
}

// An endless loop is a block too.
func TestAnEndlessLoopFailsTheTest(t *testing.T) {
	l := &looper{}
	ended := make(chan struct{})
	got := failure(func(f testing.TB) {
		w := rpctest.New(f, 1)
		w.CallbackLimit = 20 * time.Millisecond
		l.ended = func() { close(ended) }
		w.Register(w.Env("Server", nil), "Looper", l)
		w.Settle()
	})
	if !strings.Contains(got, "Server/Looper blocks in its callback for OnStart") || !strings.Contains(got, "rpctest_test.(*looper).OnStart(") {
		t.Error(got)
	}
	l.stop.Store(true)
	<-ended
}

type looper struct {
	stop  atomic.Bool
	ended func()
}

func (l *looper) OnStart(*rpcenv.Context) {
	defer l.ended()
	for !l.stop.Load() {
	}
}

func (l *looper) Receive(*rpcenv.Context, rpcenv.Message) {}

// A wait that ends before the limit is one all the same.
func TestACallbackThatWaitsAWhileFailsTheTest(t *testing.T) {
	rpctest.New(t, 1).Env("first", nil)
	for name, test := range map[string]struct {
		wait  func()
		state string // empty: it passes
	}{
		"a sleep of 4 s":    {func() { time.Sleep(4 * time.Second) }, `no end after 100ms, state "sleep"`},
		"a sleep of 250 ms": {func() { time.Sleep(250 * time.Millisecond) }, `no end after 100ms, state "sleep"`},
		"a timer's channel": {func() { <-time.After(4 * time.Second) }, `no end after 1s, state "chan receive"`},
		"a select":          {func() { waitFor(time.NewTimer(4*time.Second).C, nil) }, `no end after 1s, state "select"`},
		"a wait for others": {waitGroup(4 * time.Second), `no end after 1s, state "sync.WaitGroup.Wait"`},
		"a wait that ends":  {func() { <-time.After(900 * time.Millisecond) }, ""},
	} {
		for _, in := range []string{"message", "body"} {
			t.Run(name+"/"+in, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					b := &blocker{in: in, wait: test.wait}
					got := failure(func(t testing.TB) {
						w := rpctest.New(t, 1)
						ref := w.Register(w.Env("Server", nil), "Greeter", b)
						p := w.Probe("P")
						for range 2 { // each is one
							p.Send(ref, wrapperspb.String("Ada"))
							w.Advance(time.Minute)
						}
					})
					want := test.state
					if in == "body" && !strings.Contains(want, "sleep") { // it may wait for what its work is made of
						want = ""
					}
					if want == "" && got != "" || !strings.Contains(got, want) {
						t.Errorf("got %s\nwant %s", got, want)
					}
					time.Sleep(time.Minute) // what was given up ends
				})
			})
		}
	}
}

func waitFor[T any](a <-chan T, b <-chan struct{}) {
	select {
	case <-a:
	case <-b:
	}
}

func waitGroup(d time.Duration) func() {
	return func() {
		var wg sync.WaitGroup
		wg.Go(func() { time.Sleep(d) })
		wg.Wait()
	}
}

// The limit is for one callback, not for what runs many.
func TestManySlowCallbacksAreNoBlock(t *testing.T) {
	rpctest.New(t, 1).Env("first", nil)
	synctest.Test(t, func(t *testing.T) {
		w := rpctest.New(t, 1)
		slow := &slow{}
		w.Register(w.Env("Server", nil), "Slow", slow)
		w.Advance(time.Minute)
		if slow.ticks != 61 {
			t.Error(slow.ticks, "ticks")
		}
	})
}

// slow is slow by the wall clock.
type slow struct{ ticks int }

func (s *slow) OnStart(c *rpcenv.Context) { c.Every(0, time.Second, tick{}) }

func (s *slow) Receive(*rpcenv.Context, rpcenv.Message) {
	<-time.After(900 * time.Millisecond)
	s.ticks++
}

// Work is no wait: it has the whole limit, however long the machine takes.
func TestACallbackThatWorksHasTheWholeLimit(t *testing.T) {
	l := &looper{ended: func() {}}
	got := failure(func(f testing.TB) {
		w := rpctest.New(f, 1)
		w.CallbackLimit = time.Hour
		timer := time.AfterFunc(100*time.Millisecond, func() { l.stop.Store(true) })
		defer timer.Stop()
		w.Register(w.Env("Server", nil), "Looper", l)
		w.Settle()
	})
	if got != "" {
		t.Error(got)
	}
}

// Endpoints that send each other messages for ever fail the test by name.
func TestAWorldThatSpinsFailsTheTest(t *testing.T) {
	for how, run := range map[string]func(w *rpctest.World){
		"Settle":  (*rpctest.World).Settle,
		"Advance": func(w *rpctest.World) { w.Advance(time.Second) },
		"Until":   func(w *rpctest.World) { w.Until("the end", func() bool { return false }) },
	} {
		got := failure(func(t testing.TB) {
			w := rpctest.New(t, 1)
			w.TurnLimit = 20_000
			w.Register(w.Env("Server", nil), "Spinner", spinner{})
			run(w)
		})
		if !strings.Contains(got, "time stands still: 20000 steps at 0s of virtual time: Server/Spinner handles tick.") {
			t.Errorf("%s: %s", how, got)
		}
	}
}

type spinner struct{}

func (spinner) OnStart(c *rpcenv.Context)                   { c.Send(c.Self(), tick{}) }
func (spinner) Receive(c *rpcenv.Context, _ rpcenv.Message) { c.Send(c.Self(), tick{}) }

// FailNow ends the test from inside of what the World runs.
func TestFatalInACallbackEndsTheTest(t *testing.T) {
	got := failure(func(t testing.TB) {
		w := rpctest.New(t, 1)
		p, q := w.Probe("P"), w.Probe("Q")
		q.On(func(*rpcenv.Context, rpcenv.Message) bool {
			t.Fatal("heard it")
			return true
		})
		p.Send(q.Ref, wrapperspb.String("Ada"))
		w.Settle()
		t.Fatal("went on")
	})
	if got != "heard it" {
		t.Error(got)
	}
}

func TestAPanicInAConditionReachesTheTest(t *testing.T) {
	w := rpctest.New(t, 1)
	defer func() {
		if v := recover(); !strings.Contains(fmt.Sprint(v), "no good") {
			t.Error("recovered", v)
		}
	}()
	w.Until("nothing", func() bool { panic("no good") })
}
