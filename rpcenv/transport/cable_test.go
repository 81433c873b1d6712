package transport

import (
	"errors"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/transport/wire"
	"github.com/coherer/coherer/rpcenv/transport/wire/wiretest"
)

// cable is an end of a connection that has two directions, as one of TCP has, on virtual time.
type cable struct {
	net.Conn          // the direction that is read
	out      net.Conn // the other one
	broken   atomic.Bool
	tried    atomic.Int64 // writes since it broke
}

func newCables() (ours, theirs *cable) {
	a, b := net.Pipe()
	c, d := net.Pipe()
	return &cable{Conn: a, out: c}, &cable{Conn: d, out: b}
}

func (w *cable) Write(b []byte) (int, error) {
	if w.broken.Load() {
		w.tried.Add(1)
		return 0, syscall.EPIPE
	}
	return w.out.Write(b)
}

func (w *cable) CloseWrite() error { return w.out.Close() }
func (w *cable) Close() error      { return errors.Join(w.Conn.Close(), w.out.Close()) }

func (w *cable) SetWriteDeadline(t time.Time) error { return w.out.SetWriteDeadline(t) }
func (w *cable) SetDeadline(t time.Time) error {
	return errors.Join(w.SetReadDeadline(t), w.out.SetWriteDeadline(t))
}

// onCable runs a test with a link over a cable, and the peer's end of that.
func onCable(t *testing.T, f func(t *testing.T, a end, ours, peer *cable)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t, Options{})
		ours, peer := newCables()
		f(t, linkOver(h, ours), ours, peer)
		_ = peer.Close()
		synctest.Wait()
		if kept(h) > 0 {
			t.Error("the host remembers a link that ended")
		}
	})
}

// linkOver makes a link of a connection.
func linkOver(h *Host, conn net.Conn) end {
	made := make(chan end, 1)
	go h.link(conn, wire.NewReader(conn), func(l rpcenv.Link) rpcenv.Receiver {
		e := end{l, newEar()}
		made <- e
		return e.ear
	})
	return <-made
}

func frameOf(t *testing.T, content string) []byte {
	t.Helper()
	frame, err := AppendEnvelope(nil, oneWay(content))
	if err != nil {
		t.Fatal(err)
	}
	return frame
}

// wantFrames reads from a peer's end what these messages are, byte by byte.
func wantFrames(t *testing.T, peer io.Reader, contents ...string) {
	t.Helper()
	var want []byte
	for _, content := range contents {
		want = append(want, frameOf(t, content)...)
	}
	got := make([]byte, len(want))
	if _, err := io.ReadFull(peer, got); err != nil || string(got) != string(want) {
		t.Fatalf("the peer got %q, %v, want %q", got, err, want)
	}
}

// wantEnd wants that a link ended, some time after another moment.
func wantEnd(t *testing.T, a end, began time.Time, after time.Duration, want string) {
	t.Helper()
	if err := await(t, "end", a.closed); wiretest.Says(err) != want {
		t.Errorf("ended with %q, want %q", err, want)
	}
	if took := time.Since(began); took != after {
		t.Errorf("it ended after %s, want %s", took, after)
	}
	if a.Queued() != 0 {
		t.Errorf("%d bytes are queued after the end", a.Queued())
	}
}

const closedHere = "link closed by this side"

func TestALinkThatIsClosedEndsWhenThePeerHasClosedToo(t *testing.T) {
	onCable(t, func(t *testing.T, a end, _, peer *cable) {
		began := time.Now()
		a.Send(oneWay("1"))
		a.Send(oneWay("2"))
		a.Close()
		a.Send(oneWay("too late"))
		wantFrames(t, peer, "1", "2")
		if _, err := peer.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
			t.Errorf("after what was queued the peer reads %v", err)
		}
		time.Sleep(lingerTime / 2)
		for range 3 {
			if _, err := peer.Write(frameOf(t, "unread")); err != nil {
				t.Fatal(err)
			}
		}
		_ = peer.Close()
		wantEnd(t, a, began, lingerTime/2, closedHere)
		if len(a.got) > 0 {
			t.Error("a closed link received something")
		}
	})
}

func TestALinkThatIsIdleIsClosedAtOnce(t *testing.T) {
	onCable(t, func(t *testing.T, a end, _, peer *cable) {
		synctest.Wait() // nothing is to be written
		began := time.Now()
		a.Close()
		if _, err := peer.Read(make([]byte, 1)); !errors.Is(err, io.EOF) || time.Since(began) > 0 {
			t.Errorf("the peer reads %v after %s", err, time.Since(began))
		}
		_ = peer.Close()
		wantEnd(t, a, began, 0, closedHere)
	})
}

func TestALinkThatIsClosedLingersForASecond(t *testing.T) {
	onCable(t, func(t *testing.T, a end, _, _ *cable) {
		began := time.Now()
		a.Send(oneWay("nobody reads this"))
		a.Close()
		time.Sleep(lingerTime / 2)
		a.Close() // gives no further second
		wantEnd(t, a, began, lingerTime, closedHere)
	})
	// A connection without directions of its own.
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t, Options{})
		ours, peer := net.Pipe()
		a := linkOver(h, ours)
		if a.Local() != (rpcenv.Address{}) || a.Remote() != (rpcenv.Address{}) {
			t.Errorf("it goes from %s to %s", a.Local(), a.Remote())
		}
		began := time.Now()
		a.Close()
		wantEnd(t, a, began, lingerTime, closedHere)
		wiretest.WantClosed(t, "the peer's end", peer)
	})
}

func TestQueuedIsWhatIsNotWritten(t *testing.T) {
	onCable(t, func(t *testing.T, a end, _, peer *cable) {
		for _, content := range []string{"1", "22", strings.Repeat("3", 5<<19)} {
			a.Send(oneWay(content))
			synctest.Wait() // the first one is with the writer
		}
		left := a.Queued()
		if want := sizeOf(t, "1") + sizeOf(t, "22") + sizeOf(t, strings.Repeat("3", 5<<19)); left != want {
			t.Errorf("%d bytes are queued, want %d", left, want)
		}
		for _, n := range []int{sizeOf(t, "1"), segmentSize, segmentSize} {
			if _, err := io.CopyN(io.Discard, peer, int64(n)); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			if left -= n; a.Queued() != left {
				t.Errorf("%d bytes are queued after %d were read, want %d", a.Queued(), n, left)
			}
		}
		// What is left is given up with the link.
		_ = peer.Close()
		wantEnd(t, a, time.Now(), 0, "EOF")
	})
}

func TestALinkThatCannotWriteHearsThePeerForASecond(t *testing.T) {
	const broken = "send to : connection reset by peer: broken pipe"
	onCable(t, func(t *testing.T, a end, ours, peer *cable) {
		ours.broken.Store(true)
		began := time.Now()
		a.Send(oneWay("1"))
		synctest.Wait()
		a.Send(oneWay("2"))
		if n := a.Queued(); n != 0 {
			t.Errorf("%d bytes are queued for nobody", n)
		}
		if _, err := peer.Write(frameOf(t, "last words")); err != nil {
			t.Fatal(err)
		}
		if got := await(t, "last words", a.got); string(got.Content) != "last words" {
			t.Errorf("got %q", got.Content)
		}
		wantEnd(t, a, began, lingerTime, broken)
	})
	onCable(t, func(t *testing.T, a end, ours, peer *cable) {
		ours.broken.Store(true)
		began := time.Now()
		a.Send(oneWay("1"))
		time.Sleep(lingerTime / 2)
		_ = peer.Close()
		wantEnd(t, a, began, lingerTime/2, "EOF")
	})
	// Of two segments the second one is not tried: there would be a hole in the stream.
	onCable(t, func(t *testing.T, a end, ours, peer *cable) {
		a.Send(oneWay("1"))
		synctest.Wait() // it is with the writer
		for range 2 {
			a.Send(oneWay(strings.Repeat("x", segmentSize*2/3)))
		}
		began := time.Now()
		ours.broken.Store(true)
		wantFrames(t, peer, "1")
		wantEnd(t, a, began, lingerTime, broken)
		if n := ours.tried.Load(); n != 1 {
			t.Errorf("%d writes were tried on a broken connection", n)
		}
	})
	// The end of one's own making comes first.
	onCable(t, func(t *testing.T, a end, ours, _ *cable) {
		ours.broken.Store(true)
		began := time.Now()
		a.Send(oneWay("1"))
		synctest.Wait()
		a.Close()
		wantEnd(t, a, began, lingerTime, closedHere)
	})
}

func TestWhyALinkCannotReadIsTold(t *testing.T) {
	for _, c := range []struct {
		name string
		does func(ours, peer *cable)
		want string
	}{
		{"the peer closes", func(_, peer *cable) { _ = peer.Close() }, "EOF"},
		{"within a frame", func(_, peer *cable) { _, _ = peer.Write(make([]byte, 5)); _ = peer.Close() }, "receive from : connection ended within a frame"},
		{"an unknown type", func(_, peer *cable) { _, _ = peer.Write(wiretest.Hex("0000000000000009", "08")) }, "receive from : malformed frame: type 8 has no place in RPC"},
		{"a silence that nobody asked for", func(ours, _ *cable) { _ = ours.SetReadDeadline(time.Now()) }, "receive from : peer is silent: read pipe: i/o timeout"},
	} {
		t.Run(c.name, func(t *testing.T) {
			onCable(t, func(t *testing.T, a end, ours, peer *cable) {
				c.does(ours, peer)
				wantEnd(t, a, time.Now(), 0, c.want)
				a.Send(oneWay("nobody hears"))
				wiretest.WantClosed(t, "the peer's end", peer)
				if a.Queued() != 0 {
					t.Error("something is queued after the end")
				}
			})
		})
	}
}

func TestOverTCPAFrameIsBoundedToTheByte(t *testing.T) {
	most := HandshakeLimit + wire.LengthSize - sizeOf(t, "")
	onCable(t, func(t *testing.T, a end, _, peer *cable) {
		_, _ = peer.Write(frameOf(t, strings.Repeat("x", most)))
		await(t, "the longest message", a.got)
		_, _ = peer.Write(frameOf(t, strings.Repeat("x", most+1)))
		wantEnd(t, a, time.Now(), 0, "receive from : frame too large: 4097 bytes, allowed are 4096")
	})
	onCable(t, func(t *testing.T, a end, _, peer *cable) {
		a.Open()
		_, _ = peer.Write(frameOf(t, strings.Repeat("x", most+1)))
		await(t, "the longest message", a.got)
	})
}

func TestALinkOfAHostThatIsClosedEndsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := New(Options{})
		if err := h.Close(); err != nil {
			t.Fatal(err)
		}
		ours, peer := newCables()
		began := time.Now()
		a := linkOver(h, ours)
		_ = peer.Close()
		wantEnd(t, a, began, 0, closedHere)
	})
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t, Options{})
		ours, peer := newCables()
		h.link(ours, wire.NewReader(ours), func(rpcenv.Link) rpcenv.Receiver { return nil })
		wiretest.WantClosed(t, "a link that nobody wanted", peer)
		if kept(h) > 0 {
			t.Error("it is remembered")
		}
	})
}
