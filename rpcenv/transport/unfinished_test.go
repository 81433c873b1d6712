package transport

import (
	"bytes"
	"errors"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coherer/coherer/rpcenv/transport/wire"
)

const unfinished = "receive from : frame is not complete: its rest did not come within 2m0s"

func TestAFrameThatIsNotFinishedEndsItsLink(t *testing.T) {
	whole := frameOf(t, "hello")
	big := frameOf(t, string(make([]byte, 1<<20)))
	for name, begin := range map[string][]byte{
		"a byte of a length":       whole[:1],
		"a length":                 whole[:wire.LengthSize],
		"all but a byte":           whole[:len(whole)-1],
		"one after a whole one":    append(bytes.Clone(whole), whole[:9]...),
		"a big one's beginning":    big[:20],
		"all but a byte, of a big": big[:len(big)-1],
	} {
		t.Run(name, func(t *testing.T) {
			onCable(t, func(t *testing.T, a end, _, peer *cable) {
				a.Open()
				time.Sleep(time.Hour) // until its beginning comes it has no clock
				if _, err := peer.Write(begin); err != nil {
					t.Fatal(err)
				}
				began := time.Now()
				time.Sleep(2*time.Minute - time.Millisecond)
				if len(a.closed) > 0 {
					t.Error("too early")
				}
				wantEnd(t, a, began, 2*time.Minute, unfinished)
			})
		})
	}
}

func TestAFrameThatComesByDripsEndsItsLink(t *testing.T) {
	onCable(t, func(t *testing.T, a end, _, peer *cable) {
		began := time.Now()
		for _, b := range frameOf(t, string(make([]byte, 1000))) {
			if _, err := peer.Write([]byte{b}); err != nil {
				break // the link has ended
			}
			time.Sleep(time.Second)
		}
		// The drip of the last moment may still be taken.
		if took := time.Since(began); took < 2*time.Minute || took > 2*time.Minute+time.Second {
			t.Error("it took", took)
		}
		wantEnd(t, a, time.Now(), 0, unfinished)
	})
}

// The clock is that of one frame: one that is finished in time leaves none behind.
func TestASlowFrameIsReceived(t *testing.T) {
	onCable(t, func(t *testing.T, a end, _, peer *cable) {
		frame := frameOf(t, "hello")
		for range 3 {
			for _, half := range [][]byte{frame[:12], frame[12:]} {
				if _, err := peer.Write(half); err != nil {
					t.Fatal(err)
				}
				time.Sleep(2*time.Minute - time.Millisecond)
			}
			if got := await(t, "a slow frame", a.got); string(got.Content) != "hello" {
				t.Errorf("got %q", got.Content)
			}
			time.Sleep(time.Hour)
		}
		if len(a.closed) > 0 {
			t.Error("the link ended")
		}
	})
}

// A link that is closed while a frame is unfinished ends as any other: its deadline stays that of the end.
func TestALinkIsClosedWithinAFrame(t *testing.T) {
	onCable(t, func(t *testing.T, a end, _, peer *cable) {
		frame := frameOf(t, "hello")
		_, _ = peer.Write(frame[:10])
		synctest.Wait()
		began := time.Now()
		a.Close()
		time.Sleep(lingerTime / 2)
		_, _ = peer.Write(frame[10:]) // it must not take the deadline away
		wantEnd(t, a, began, lingerTime, closedHere)
	})
}

// What is unfinished has a bound in all. A link that wants more ends, the others go on; what ended holds nothing.
func TestUnfinishedFramesHaveOneBound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t, Options{MaxFrame: 3 << 20})
		frame := frameOf(t, string(make([]byte, 3<<20-100)))
		first, second := linkOn(t, h), linkOn(t, h)
		_, _ = first.peer.Write(frame[:len(frame)-1])
		synctest.Wait()
		held := h.large.Used()
		if n := int64(len(frame) - wire.LengthSize); held != n {
			t.Errorf("%d bytes are held of a frame of %d", held, n)
		}
		go func() { _, _ = second.peer.Write(frame[:len(frame)-1]) }()
		if err := await(t, "end", second.closed); !errors.Is(err, wire.ErrTooMuchUnfinished) || !strings.HasSuffix(err.Error(), ", allowed are 6291456") {
			t.Error(err)
		}
		synctest.Wait()
		if h.large.Used() != held {
			t.Errorf("%d bytes are held, want %d", h.large.Used(), held)
		}
		_, _ = first.peer.Write(frame[len(frame)-1:])
		await(t, "the first frame", first.got)
		synctest.Wait()
		if h.large.Used() != 0 {
			t.Errorf("an idle link holds %d bytes", h.large.Used())
		}
		// Within the bound it goes on as before, also for one that has just been refused.
		_, _ = first.peer.Write(frame)
		await(t, "another frame", first.got)
		_ = errors.Join(first.peer.Close(), second.peer.Close())
	})
}

// cabled is a link over a cable, and the peer's end of that.
type cabled struct {
	end
	peer *cable
}

func linkOn(t *testing.T, h *Host) cabled {
	t.Helper()
	ours, peer := newCables()
	c := cabled{linkOver(h, ours), peer}
	c.Open()
	return c
}

// Eight peers send the most of a large frame over TCP and stop. No more of them live than have room while their frames grow: one.
func TestPeersThatStopWithinLargeFramesShareABound(t *testing.T) {
	h := newHost(t, Options{MaxFrame: 3 << 20})
	at, accepted := listen(t, h)
	frame, ended := frameOf(t, string(make([]byte, 3<<20-100))), make(chan error, 8)
	var peers []net.Conn
	for range 8 {
		conn := stranger(t, at)
		_, _ = conn.Write(frameOf(t, "hello"))
		b := await(t, "accept", accepted)
		await(t, "hello", b.got)
		b.Open()
		peers = append(peers, conn)
		go func() { ended <- <-b.closed }()
		go func() { _, _ = conn.Write(frame[:len(frame)-1]) }() // an error says that the link ended
	}
	for range 7 {
		if err := await(t, "an end", ended); !errors.Is(err, wire.ErrTooMuchUnfinished) {
			t.Error(err)
		}
	}
	if used := h.large.Used(); used > 6<<20 {
		t.Errorf("%d bytes are held", used)
	}
	for _, conn := range peers {
		_ = conn.Close()
	}
	if err := await(t, "the last end", ended); err == nil {
		t.Error("the last link ended without a reason")
	}
	if used := h.large.Used(); used != 0 {
		t.Errorf("%d bytes are held after all ends", used)
	}
}
