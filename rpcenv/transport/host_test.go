package transport

import (
	"bytes"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coherer/coherer/rpcenv"
)

// patience bounds the waits of these tests for what is expected to happen.
const patience = 20 * time.Second

func newHost(t testing.TB, opts Options) *Host {
	t.Helper()
	h := New(opts)
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
	return h
}

// kept is how many listeners and links a Host would close.
func kept(h *Host) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.open)
}

// inEachWorld runs a test over TCP and in memory.
func inEachWorld(t *testing.T, opts Options, f func(t *testing.T, h *Host)) {
	for name, memory := range map[string]bool{"tcp": false, "memory": true} {
		t.Run(name, func(t *testing.T) {
			opts := opts
			opts.Memory = memory
			f(t, newHost(t, opts))
		})
	}
}

// ear is a Receiver that hands over what it hears.
type ear struct {
	got    chan *rpcenv.Envelope
	closed chan error
	on     func(*rpcenv.Envelope) // in place of got
}

func newEar() *ear { return &ear{got: make(chan *rpcenv.Envelope, 1000), closed: make(chan error, 2)} }

func (e *ear) Receive(m *rpcenv.Envelope) {
	if e.on != nil {
		e.on(m)
		return
	}
	c := *m // which is not kept
	c.Content = bytes.Clone(m.Content)
	e.got <- &c
}

func (e *ear) Closed(err error) { e.closed <- err }

func await[T any](t testing.TB, what string, c <-chan T) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(patience):
		t.Fatalf("%s did not happen", what)
		panic("unreachable")
	}
}

// end is one side of a link.
type end struct {
	rpcenv.Link
	*ear
}

var loopback = rpcenv.Address{Host: "127.0.0.1"}

// listen returns an address and the links accepted there.
func listen(t testing.TB, h *Host) (rpcenv.Address, <-chan end) {
	t.Helper()
	accepted := make(chan end, 100)
	at, closer, err := h.Listen(loopback, func(l rpcenv.Link) rpcenv.Receiver {
		e := end{l, newEar()}
		accepted <- e
		return e.ear
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = closer.Close() })
	return at, accepted
}

func dial(t testing.TB, h *Host, to rpcenv.Address) end {
	t.Helper()
	dialled, failed := make(chan end, 1), make(chan error, 1)
	h.Dial(to, func(l rpcenv.Link, err error) rpcenv.Receiver {
		if err != nil {
			failed <- err
			return nil
		}
		e := end{l, newEar()}
		dialled <- e
		return e.ear
	})
	select {
	case e := <-dialled:
		return e
	case err := <-failed:
		t.Fatal(err)
	case <-time.After(patience):
		t.Fatal("dial did not end")
	}
	panic("unreachable")
}

func oneWay(content string) *rpcenv.Envelope {
	return &rpcenv.Envelope{Kind: rpcenv.KindOneWay, Endpoint: "Echo", Content: []byte(content)}
}

// pair dials, and says a first word to be accepted.
func pair(t testing.TB, h *Host) (dialler, acceptor end) {
	t.Helper()
	at, accepted := listen(t, h)
	dialler = dial(t, h, at)
	dialler.Send(oneWay("hello"))
	acceptor = await(t, "accept", accepted)
	await(t, "hello", acceptor.got)
	return dialler, acceptor
}

func TestHostCloseEndsEverything(t *testing.T) {
	for _, memory := range []bool{false, true} {
		h := New(Options{Memory: memory})
		a, b := pair(t, h)
		a.Send(oneWay("last words"))
		h.After(time.Hour, func() { t.Error("a timer fired after the end") })
		woken := make(chan func(), 1)
		h.Block("body", func(p rpcenv.Parker) { p.Park(func(wake func()) { woken <- wake }) })
		wake := await(t, "park", woken)
		wake()
		wake()
		if err := h.Close(); err != nil {
			t.Error(err)
		}
		_, _ = await(t, "end", a.closed), await(t, "end", b.closed)
		if err := h.Close(); err != nil {
			t.Error("second close:", err)
		}
		if _, _, err := h.Listen(loopback, nil); err == nil {
			t.Error("it listens after its end")
		}
		failed := make(chan error)
		h.Dial(loopback, func(_ rpcenv.Link, err error) rpcenv.Receiver { failed <- err; return nil })
		if err := await(t, "failure", failed); !errors.Is(err, ErrHostClosed) {
			t.Errorf("dial failed with %v", err)
		}
		h.Block("late", func(rpcenv.Parker) { t.Error("a body began after the end") })
		h.Dispatcher().Schedule(func() { t.Error("an inbox ran after the end") })
	}
}

func TestHostCloseNamesWhatStillRuns(t *testing.T) {
	h := New(Options{CloseTimeout: time.Millisecond})
	woken, ended := make(chan func(), 1), make(chan struct{})
	h.Block("job 7", func(p rpcenv.Parker) {
		defer close(ended)
		p.Park(func(wake func()) { woken <- wake })
	})
	wake := await(t, "park", woken)
	if err := h.Close(); err == nil || !strings.Contains(err.Error(), "block job 7") {
		t.Errorf("got %v", err)
	}
	wake()
	await(t, "end of the body", ended)
}

func TestTimers(t *testing.T) {
	h := newHost(t, Options{})
	fired := make(chan int, 2)
	stop := h.After(time.Hour, func() { fired <- 1 })
	stop()
	stop()
	h.After(0, func() { fired <- 2 })
	if got := await(t, "timer", fired); got != 2 {
		t.Errorf("timer %d fired", got)
	}
}

func TestParkAfterAnEarlierWake(t *testing.T) {
	h := newHost(t, Options{})
	done := make(chan struct{})
	h.Block("body", func(p rpcenv.Parker) {
		var stale func()
		p.Park(func(wake func()) { stale = wake; wake() })
		p.Park(func(wake func()) {
			stale() // must not wake this one
			go wake()
		})
		close(done)
	})
	await(t, "end of the body", done)
}

func TestDispatcherRunsThoseThatWaitForEachOther(t *testing.T) {
	h := newHost(t, Options{})
	const n = 100
	var all sync.WaitGroup
	all.Add(n)
	done := make(chan struct{}, n)
	for range n {
		h.Dispatcher().Schedule(func() {
			all.Done()
			all.Wait()
			done <- struct{}{}
		})
	}
	for range n {
		await(t, "function", done)
	}
	h.pool.reap()
	h.pool.reap()
	h.Dispatcher().Schedule(func() { done <- struct{}{} })
	await(t, "function after the idle workers ended", done)
	if got := h.Dispatcher().Throughput(); got != 300 {
		t.Errorf("throughput %d", got)
	}
}

func TestExitAndStart(t *testing.T) {
	h := newHost(t, Options{})
	if _, err := h.Start(rpcenv.Command{Class: "C"}, nil); !errors.Is(err, ErrCannotStart) {
		t.Errorf("start: %v", err)
	}
	if _, exited := h.Exited(); exited {
		t.Error("it has exited")
	}
	h.Exit(3)
	h.Exit(4)
	if code, exited := h.Exited(); code != 3 || !exited {
		t.Errorf("exited %v with %d", exited, code)
	}
	if first, second := h.Entropy("a"), h.Entropy("a"); first == second {
		t.Error("the same entropy twice")
	}
}
