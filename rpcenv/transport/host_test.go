package transport

import (
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
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
	e.got <- m
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

func TestEnvelopesArriveInOrderBothWays(t *testing.T) {
	inEachWorld(t, Options{}, func(t *testing.T, h *Host) {
		a, b := pair(t, h)
		if a.Remote().Port != b.Local().Port || a.Local().Port != b.Remote().Port {
			t.Errorf("ends are %v to %v and %v to %v", a.Local(), a.Remote(), b.Local(), b.Remote())
		}
		const n = 500
		content := make([]byte, 0, 8)
		for i := range n {
			content = strconv.AppendInt(content[:0], int64(i), 10)
			// The link must not keep the content: it is used again at once.
			a.Send(&rpcenv.Envelope{Kind: rpcenv.KindRequest, RequestID: int64(i), Endpoint: "Echo", Content: content})
			b.Send(&rpcenv.Envelope{Kind: rpcenv.KindResponse, RequestID: int64(i), Content: content})
		}
		for i := range n {
			q, r := await(t, "request", b.got), await(t, "response", a.got)
			if want := strconv.Itoa(i); string(q.Content) != want || string(r.Content) != want || q.RequestID != int64(i) || q.Endpoint != "Echo" {
				t.Fatalf("at %d: %+v and %+v", i, q, r)
			}
		}
		if a.Queued() != 0 && h.opts.Memory {
			t.Errorf("%d bytes are queued after all was received", a.Queued())
		}
	})
}

func TestCloseWritesWhatIsQueued(t *testing.T) {
	inEachWorld(t, Options{}, func(t *testing.T, h *Host) {
		a, b := pair(t, h)
		b.Open()
		last := strings.Repeat("x", 1<<20)
		for range 10 {
			a.Send(oneWay(last))
		}
		a.Close()
		a.Send(oneWay("too late"))
		a.Close()
		for range 10 {
			if got := await(t, "message", b.got); len(got.Content) != len(last) {
				t.Fatalf("got %d bytes", len(got.Content))
			}
		}
		if err := await(t, "end at the peer", b.closed); !errors.Is(err, io.EOF) {
			t.Errorf("the peer was told %v", err)
		}
		if err := await(t, "end", a.closed); !errors.Is(err, ErrClosed) {
			t.Errorf("the closer was told %v", err)
		}
		if len(b.got) != 0 {
			t.Errorf("%q came after the end", (<-b.got).Content)
		}
		b.Send(oneWay("nobody hears"))
		if b.Queued() != 0 || len(b.closed) != 0 || len(a.closed) != 0 {
			t.Error("something happened after the end")
		}
	})
}

func TestLimitUntilOpen(t *testing.T) {
	inEachWorld(t, Options{MaxFrame: 1 << 20}, func(t *testing.T, h *Host) {
		for _, c := range []struct {
			name string
			size int
			open bool
			want error
		}{
			{"small before open", 4000, false, nil},
			{"big before open", 4097, false, ErrFrameTooLarge},
			{"big after open", 1 << 19, true, nil},
			{"too big after open", 1 << 20, true, ErrFrameTooLarge},
		} {
			t.Run(c.name, func(t *testing.T) {
				a, b := pair(t, h)
				if c.open {
					b.Open()
				}
				a.Send(oneWay(strings.Repeat("x", c.size)))
				if c.want == nil {
					await(t, "message", b.got)
					return
				}
				if err := await(t, "end", b.closed); !errors.Is(err, c.want) {
					t.Errorf("ended with %v, want %v", err, c.want)
				}
				await(t, "end at the sender", a.closed)
			})
		}
	})
}

func TestWhatHasNoFrameEndsTheLinkAfterWhatIsQueued(t *testing.T) {
	inEachWorld(t, Options{}, func(t *testing.T, h *Host) {
		a, b := pair(t, h)
		a.Send(oneWay("before"))
		a.Send(&rpcenv.Envelope{Kind: rpcenv.KindOneWay, Endpoint: strings.Repeat("x", 1<<16)})
		a.Send(oneWay("after"))
		if got := await(t, "message", b.got); string(got.Content) != "before" {
			t.Errorf("got %q", got.Content)
		}
		if err := await(t, "end", a.closed); !errors.Is(err, ErrMalformedFrame) {
			t.Errorf("ended with %v", err)
		}
		await(t, "end at the peer", b.closed)
		if len(b.got) != 0 {
			t.Error("there is a hole in the stream")
		}
	})
}

func TestNobodyListens(t *testing.T) {
	inEachWorld(t, Options{}, func(t *testing.T, h *Host) {
		at, closer, err := h.Listen(loopback, func(rpcenv.Link) rpcenv.Receiver { return nil })
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(closer.Close(), closer.Close()); err != nil {
			t.Fatal(err)
		}
		failed := make(chan error, 1)
		h.Dial(at, func(l rpcenv.Link, err error) rpcenv.Receiver {
			if l != nil {
				err = errors.New("a link")
			}
			failed <- err
			return nil
		})
		if err := await(t, "failure", failed); !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), at.String()) {
			t.Errorf("failed with %v", err)
		}
	})
}

func TestPortIsTaken(t *testing.T) {
	inEachWorld(t, Options{}, func(t *testing.T, h *Host) {
		at, _ := listen(t, h)
		_, _, err := h.Listen(at, nil)
		if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("port %d is taken", at.Port)) {
			t.Errorf("got %v", err)
		}
	})
}

func TestNilReceiverRefuses(t *testing.T) {
	inEachWorld(t, Options{}, func(t *testing.T, h *Host) {
		at, closer, err := h.Listen(loopback, func(rpcenv.Link) rpcenv.Receiver { return nil })
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = closer.Close() }()
		a := dial(t, h, at)
		a.Send(oneWay("hello"))
		await(t, "end", a.closed)
	})
}

func TestCloseFromWithinReceive(t *testing.T) {
	inEachWorld(t, Options{}, func(t *testing.T, h *Host) {
		at, accepted := listen(t, h)
		a := dial(t, h, at)
		for range 100 {
			a.Send(oneWay("hello"))
		}
		b := await(t, "accept", accepted)
		// The test's receiver is set up too late to see the first message: it closes at one of the hundred.
		await(t, "message", b.got)
		b.Close()
		if err := await(t, "end", b.closed); !errors.Is(err, ErrClosed) {
			t.Errorf("ended with %v", err)
		}
		await(t, "end at the peer", a.closed)
	})
}

func TestManySendersAtOnce(t *testing.T) {
	inEachWorld(t, Options{}, func(t *testing.T, h *Host) {
		const senders, each = 8, 500
		a, b := pair(t, h)
		var sending sync.WaitGroup
		for s := range senders {
			sending.Go(func() {
				for i := range each {
					a.Send(&rpcenv.Envelope{Kind: rpcenv.KindRequest, RequestID: int64(s*each + i), Endpoint: "Echo"})
				}
			})
		}
		next := make([]int, senders)
		for range senders * each {
			id := int(await(t, "message", b.got).RequestID)
			if s := id / each; next[s] != id%each {
				t.Fatalf("sender %d: got %d, want %d", s, id%each, next[s])
			}
			next[id/each]++
		}
		sending.Wait()
	})
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
		await(t, "end", a.closed)
		await(t, "end", b.closed)
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
	if h.Entropy("a") == h.Entropy("a") {
		t.Error("the same entropy twice")
	}
}

// stranger connects to at without the package's help.
func stranger(t *testing.T, at rpcenv.Address) *net.TCPConn {
	t.Helper()
	conn, err := net.Dial("tcp", at.String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(patience))
	return conn.(*net.TCPConn)
}

func TestStrangersHarmOnlyTheirOwnConnection(t *testing.T) {
	h := newHost(t, Options{})
	at, accepted := listen(t, h)
	friend := dial(t, h, at)
	friend.Send(oneWay("hello"))
	friendly := await(t, "accept", accepted)
	await(t, "hello", friendly.got)
	for _, c := range []struct {
		name string
		says []byte
		want error
		text string
	}{
		{"HTTP", []byte("GET / HTTP/1.1\r\nHost: x\r\n\r\n"), ErrMalformedFrame, "this is HTTP"},
		{"TLS", slice("16030100f8010000f40303ab"), ErrMalformedFrame, "this is TLS"},
		{"random bytes", slice("9fe8a3c15d27b06644a10b7c"), ErrMalformedFrame, "length"},
		{"2 GiB", slice("000000007ffffff0", "03"), ErrFrameTooLarge, "allowed are 4096"},
		{"unknown type", slice("000000000000000a", "2a00"), ErrMalformedFrame, "type 42"},
		{"cut off", slice("0000000000000100", "09000000"), ErrTruncated, ""},
		{"three bytes", slice("000000"), ErrTruncated, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			conn := stranger(t, at)
			if _, err := conn.Write(c.says); err != nil {
				t.Fatal(err)
			}
			if err := conn.CloseWrite(); err != nil {
				t.Fatal(err)
			}
			victim := await(t, "accept", accepted)
			if err := await(t, "end", victim.closed); !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.text) {
				t.Errorf("ended with %v, want %v with %q", err, c.want, c.text)
			}
			if _, err := io.Copy(io.Discard, conn); err != nil && !errors.Is(readError(err), ErrPeerReset) {
				t.Errorf("the stranger's connection: %v", err)
			}
			friend.Send(oneWay("still there?"))
			await(t, "message of the friend", friendly.got)
		})
	}
}

func TestSilentConnectionIsNoLink(t *testing.T) {
	h := newHost(t, Options{FirstFrameTimeout: time.Millisecond})
	at, accepted := listen(t, h)
	conn := stranger(t, at)
	if _, err := conn.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
		t.Errorf("read: %v", err)
	}
	if len(accepted) != 0 {
		t.Error("it became a link")
	}
}

func TestPeerThatIsReset(t *testing.T) {
	h := newHost(t, Options{})
	at, accepted := listen(t, h)
	conn := stranger(t, at)
	frame, _ := AppendEnvelope(nil, oneWay("hello"))
	if _, err := conn.Write(frame); err != nil {
		t.Fatal(err)
	}
	b := await(t, "accept", accepted)
	await(t, "hello", b.got)
	_ = conn.SetLinger(0)
	_ = conn.Close()
	if err := await(t, "end", b.closed); !errors.Is(err, ErrPeerReset) {
		t.Errorf("ended with %v", err)
	}
}

func TestPeerThatReadsNothingCannotHoldUpClose(t *testing.T) {
	h := newHost(t, Options{})
	at, accepted := listen(t, h)
	conn := stranger(t, at)
	frame, _ := AppendEnvelope(nil, oneWay("hello"))
	if _, err := conn.Write(frame); err != nil {
		t.Fatal(err)
	}
	b := await(t, "accept", accepted)
	for range 64 {
		b.Send(oneWay(strings.Repeat("x", 1<<20)))
	}
	if b.Queued() < 32<<20 {
		t.Errorf("%d bytes are queued", b.Queued())
	}
	b.Close()
	if err := await(t, "end", b.closed); !errors.Is(err, ErrClosed) {
		t.Errorf("ended with %v", err)
	}
}
