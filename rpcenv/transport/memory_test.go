package transport

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/transport/wire"
	"github.com/coherer/coherer/rpcenv/transport/wire/wiretest"
)

// inMemory runs a test with a Host in memory, on virtual time.
func inMemory(t *testing.T, f func(t *testing.T, h *Host, m *memory)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t, Options{Memory: true})
		f(t, h, h.net.(*memory))
		if t.Failed() {
			return
		}
		if err := h.Close(); err != nil {
			t.Error(err)
		}
		if kept(h) > 0 {
			t.Errorf("%d listeners or links are remembered after the end", kept(h))
		}
	})
}

func wantListen(t *testing.T, h *Host, at rpcenv.Address, want string) io.Closer {
	t.Helper()
	got, closer, err := h.Listen(at, func(rpcenv.Link) rpcenv.Receiver { return nil })
	if err != nil || got.String() != want {
		t.Fatalf("listens at %s, %v, want %s", got, err, want)
	}
	return closer
}

func TestPortsInMemoryAreGivenAwayInTurn(t *testing.T) {
	inMemory(t, func(t *testing.T, h *Host, m *memory) {
		wantListen(t, h, loopback, "127.0.0.1:32768")
		wantListen(t, h, rpcenv.Address{}, "127.0.0.1:32769")
		wantListen(t, h, rpcenv.Address{Host: "h"}, "h:32770")
		wantListen(t, h, rpcenv.Address{Host: "h", Port: 7077}, "h:7077")
		if a := dial(t, h, rpcenv.Address{Host: "h", Port: 7077}); a.Local().String() != "127.0.0.1:32771" || a.Remote().String() != "h:7077" {
			t.Errorf("a link from %s to %s", a.Local(), a.Remote())
		}
		m.lastPort = 65534
		wantListen(t, h, loopback, "127.0.0.1:65535")
		wantListen(t, h, loopback, "127.0.0.1:32770") // 32768 and 32769 are taken
	})
}

func TestAListenerInMemoryKeepsItsAddressUntilItIsClosed(t *testing.T) {
	inMemory(t, func(t *testing.T, h *Host, m *memory) {
		at := rpcenv.Address{Host: "h", Port: 7077}
		first := wantListen(t, h, at, "h:7077")
		_, _, err := h.Listen(at, nil)
		if want := "listen at h:7077: port 7077 is taken by another listener of this host: stop that, or choose another port " +
			"(0: any free one): address already in use"; wiretest.Says(err) != want {
			t.Errorf("%v, want %s", err, want)
		}
		_ = first.Close()
		if kept(h) > 0 {
			t.Error("the host remembers a listener that was closed")
		}
		failed := make(chan error, 1)
		h.Dial(at, func(_ rpcenv.Link, err error) rpcenv.Receiver { failed <- err; return nil })
		if err := await(t, "failure", failed); !errors.Is(err, wire.ErrRefused) ||
			err.Error() != "connect to h:7077: nobody listens there: start the process first, or check host and port" {
			t.Errorf("failed with %v", err)
		}
		wantListen(t, h, at, "h:7077")
		_ = first.Close() // a second time, which is not the new one's end
		dial(t, h, at)
	})
}

func TestAHostInMemoryServesNoFiles(t *testing.T) {
	inMemory(t, func(t *testing.T, h *Host, _ *memory) {
		s, err := h.FileServer(rpcenv.Address{Host: "h", Port: 1})
		if s != nil || wiretest.Says(err) != "serve files at h:1: a host in memory has no file server" {
			t.Errorf("%v, %v", s, err)
		}
	})
}

// A Host that ends while a dial is under way.
func TestADialInMemoryFailsWhenTheHostEnds(t *testing.T) {
	for name, end := range map[string]func(h *Host){
		"nothing may begin": func(h *Host) { h.tasks.close() },
		"nothing is kept":   func(h *Host) { h.cancel() },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := New(Options{Memory: true})
				at, accepted := listen(t, h)
				end(h)
				var failed error
				h.net.dial(at, func(l rpcenv.Link, err error) rpcenv.Receiver {
					if l != nil {
						t.Error("a link was made")
					}
					failed = err
					return nil
				})
				if !errors.Is(failed, ErrHostClosed) || failed.Error() != "connect to 127.0.0.1:32768: host is closed" {
					t.Errorf("failed with %v", failed)
				}
				h.tasks.close()
				if left := h.tasks.wait(time.Second); len(accepted) > 0 || left != nil {
					t.Errorf("%d links were accepted, and these run: %q", len(accepted), left)
				}
				_, _, err := h.Listen(loopback, nil)
				if name == "nothing is kept" && wiretest.Says(err) != "listen at 127.0.0.1:0: host is closed" {
					t.Errorf("listens all the same: %v", err)
				}
			})
		})
	}
}

// gate is an ear that begins to hear when it is opened, message by message.
func gate(e end) (open chan struct{}) {
	open = make(chan struct{}, 100)
	e.on = func(m *rpcenv.Envelope) {
		<-open
		e.got <- m
	}
	return open
}

func sizeOf(t *testing.T, content string) int {
	t.Helper()
	n, err := envelopeSize(oneWay(content))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestInMemoryQueuedIsWhatThePeerHasNotTaken(t *testing.T) {
	inMemory(t, func(t *testing.T, h *Host, _ *memory) {
		a, b := pair(t, h)
		if n := a.Queued(); n != 0 {
			t.Errorf("%d bytes are queued before anything was sent", n)
		}
		open := gate(b)
		want := 0
		for _, content := range []string{"taken", "a", "bc"} {
			a.Send(oneWay(content))
			synctest.Wait() // the first one is with the receiver
		}
		for _, left := range []string{"a", "bc"} {
			want += sizeOf(t, left)
		}
		if n := a.Queued(); n != want {
			t.Errorf("%d bytes are queued, want %d", n, want)
		}
		if len(b.got) > 0 {
			t.Error("two messages are received at a time")
		}
		open <- struct{}{}
		synctest.Wait()
		if n := a.Queued(); n != sizeOf(t, "bc") {
			t.Errorf("%d bytes are queued, want %d", n, sizeOf(t, "bc"))
		}
		close(open)
		synctest.Wait()
		if n := a.Queued(); n != 0 || len(b.got) != 3 {
			t.Errorf("%d bytes are queued after %d messages", n, len(b.got))
		}
	})
}

func TestInMemoryTheCloserHearsNothingMoreAndThePeerAllThatWasSent(t *testing.T) {
	inMemory(t, func(t *testing.T, h *Host, _ *memory) {
		a, b := pair(t, h)
		atA, atB := gate(a), gate(b)
		for _, content := range []string{"1", "2", "3"} {
			a.Send(oneWay(content))
			b.Send(oneWay(content))
			synctest.Wait()
		}
		a.Close()
		a.Send(oneWay("too late"))
		b.Send(oneWay("to a closed link"))
		close(atA)
		close(atB)
		synctest.Wait()
		if n := len(a.got); n != 1 {
			t.Errorf("the closer heard %d messages, want the one that was with it", n)
		}
		for _, want := range []string{"1", "2", "3"} {
			if got := await(t, "message", b.got); string(got.Content) != want {
				t.Errorf("got %q, want %q", got.Content, want)
			}
		}
		if err := await(t, "end", a.closed); !errors.Is(err, wire.ErrClosed) {
			t.Errorf("the closer's end was %v", err)
		}
		if err := await(t, "end at the peer", b.closed); !errors.Is(err, io.EOF) {
			t.Errorf("the peer's end was %v", err)
		}
		a.Close()
		b.Close()
		synctest.Wait()
		if len(a.got) > 1 || len(b.got)+len(a.closed)+len(b.closed)+a.Queued()+b.Queued() > 0 {
			t.Error("something happened after the end")
		}
	})
}

func TestInMemoryTheFirstCauseOfThisSideIsTold(t *testing.T) {
	bad := &rpcenv.Envelope{Kind: 6}
	const noFrame = "send to 127.0.0.1:32768: malformed frame: there is no envelope of kind 6"
	for _, c := range []struct {
		name       string
		does       func(a, b end)
		endA, endB string
	}{
		{"close", func(a, _ end) { a.Close() }, "link closed by this side", "EOF"},
		{"both close", func(a, b end) { a.Close(); b.Close() }, "link closed by this side", "link closed by this side"},
		{"no frame", func(a, _ end) { a.Send(bad) }, noFrame, "EOF"},
		{"no frame, then close", func(a, _ end) { a.Send(bad); a.Close() }, noFrame, "EOF"},
		{"close, then no frame", func(a, _ end) { a.Close(); a.Send(bad) }, "link closed by this side", "EOF"},
		{"no frame for a peer that closes", func(a, b end) { b.Close(); a.Send(bad) }, noFrame, "link closed by this side"},
	} {
		t.Run(c.name, func(t *testing.T) {
			inMemory(t, func(t *testing.T, h *Host, _ *memory) {
				a, b := pair(t, h)
				atA, atB := gate(a), gate(b)
				a.Send(oneWay("holds the receiver"))
				b.Send(oneWay("holds the receiver"))
				synctest.Wait()
				c.does(a, b)
				close(atA)
				close(atB)
				if err := await(t, "end", a.closed); wiretest.Says(err) != c.endA {
					t.Errorf("the end of a was %q, want %q", err, c.endA)
				}
				if err := await(t, "end", b.closed); wiretest.Says(err) != c.endB {
					t.Errorf("the end of b was %q, want %q", err, c.endB)
				}
			})
		})
	}
}

func TestInMemoryWhatIsSentBeforeThePeerAcceptsWaits(t *testing.T) {
	inMemory(t, func(t *testing.T, h *Host, _ *memory) {
		accepting, heard := make(chan struct{}), newEar()
		at, _, err := h.Listen(loopback, func(rpcenv.Link) rpcenv.Receiver {
			<-accepting
			return heard
		})
		if err != nil {
			t.Fatal(err)
		}
		h.Dial(at, func(l rpcenv.Link, _ error) rpcenv.Receiver {
			l.Send(oneWay("early"))
			return newEar()
		})
		synctest.Wait()
		close(accepting)
		if got := await(t, "message", heard.got); string(got.Content) != "early" {
			t.Errorf("got %q", got.Content)
		}
	})
}

func TestInMemoryAFrameIsBoundedAsOverTCP(t *testing.T) {
	inMemory(t, func(t *testing.T, h *Host, _ *memory) {
		a, b := pair(t, h)
		most := HandshakeLimit + wire.LengthSize - sizeOf(t, "")
		a.Send(oneWay(strings.Repeat("x", most)))
		await(t, "the longest message", b.got)
		a.Send(oneWay(strings.Repeat("x", most+1)))
		a.Send(oneWay("after it"))
		if err := await(t, "end", b.closed); wiretest.Says(err) != "receive from "+b.Remote().String()+": frame too large: 4097 bytes, allowed are 4096" {
			t.Errorf("ended with %v", err)
		}
		if err := await(t, "end", a.closed); !errors.Is(err, io.EOF) {
			t.Errorf("the sender's end was %v", err)
		}
		if len(b.got) > 0 {
			t.Error("there is a hole in the stream")
		}
	})
}

func TestCloseNamesTheLinksWhoseReceiversHang(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := New(Options{Memory: true, CloseTimeout: 3 * time.Second})
		a, b := pair(t, h)
		open := gate(b)
		a.Send(oneWay("holds the receiver"))
		synctest.Wait()
		began := time.Now()
		if err := h.Close(); wiretest.Says(err) != "close host: after 3s these still run: connection to 127.0.0.1:32769, inboxes: cancel them before the host is closed" {
			t.Errorf("got %v", err)
		}
		if took := time.Since(began); took != 3*time.Second+lingerTime {
			t.Errorf("it took %s", took)
		}
		close(open)
		if err := await(t, "end", b.closed); !errors.Is(err, wire.ErrClosed) {
			t.Errorf("ended with %v", err)
		}
	})
}
