package transport

import (
	"errors"
	"io"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/transport/wire"
	"github.com/coherer/coherer/rpcenv/transport/wire/wiretest"
)

func TestAHostSaysWhereItListens(t *testing.T) {
	h := newHost(t, Options{})
	for _, c := range []struct{ host, want string }{{"127.0.0.1", "127.0.0.1"}, {"localhost", "localhost"}, {"", "::"}} {
		at, closer, err := h.Listen(rpcenv.Address{Host: c.host}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if at.Host != c.want && (c.host != "" || at.Host != "0.0.0.0") || at.Port == 0 {
			t.Errorf("%q: at %s, want %s", c.host, at, c.want)
		}
		if err := closer.Close(); err != nil || kept(h) > 0 {
			t.Errorf("closed with %v, %d are remembered", err, kept(h))
		}
	}
}

func TestTheEndOfAListenerEndsNoLinkAndNoOtherListener(t *testing.T) {
	inEachWorld(t, Options{}, func(t *testing.T, h *Host) {
		accepted := make(chan end, 1)
		accept := func(l rpcenv.Link) rpcenv.Receiver {
			e := end{l, newEar()}
			accepted <- e
			return e.ear
		}
		at, first, err := h.Listen(loopback, accept)
		if err != nil {
			t.Fatal(err)
		}
		a := dial(t, h, at)
		a.Send(oneWay("hello"))
		b := await(t, "accept", accepted)
		await(t, "hello", b.got)
		if err := first.Close(); err != nil {
			t.Fatal(err)
		}
		_, second, err := h.Listen(at, accept)
		if err != nil {
			t.Fatal(err)
		}
		if err := first.Close(); err != nil {
			t.Fatal(err)
		}
		a.Send(oneWay("still there?"))
		await(t, "message over the old link", b.got)
		dial(t, h, at).Send(oneWay("hello"))
		await(t, "message over a new link", await(t, "accept", accepted).got)
		if _, err := h.FileServer(at); !h.opts.Memory && err != nil {
			t.Errorf("the new listener is not found: %v", err)
		}
		if err := second.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := h.FileServer(at); !h.opts.Memory && wiretest.Says(err) != "serve files at "+at.String()+": this host does not listen there" {
			t.Errorf("after the end of both: %v", err)
		}
	})
}

// A Host that ends while it begins to listen or to dial.
func TestAHostThatEndsMakesNothingNew(t *testing.T) {
	for name, ends := range map[string]func(h *Host){
		"nothing may begin": func(h *Host) { h.tasks.close() },
		"nothing is kept":   func(h *Host) { h.cancel() },
	} {
		t.Run(name, func(t *testing.T) {
			other := newHost(t, Options{})
			at, _ := listen(t, other)
			free, closer, err := other.Listen(loopback, nil)
			if err != nil {
				t.Fatal(err)
			}
			_ = closer.Close()

			h := New(Options{})
			defer func() { _ = h.Close() }()
			ends(h)
			for range 2 { // the port is free again
				if _, _, err := h.Listen(free, nil); !errors.Is(err, ErrHostClosed) || err.Error() != "listen at "+free.String()+": host is closed" {
					t.Errorf("listens: %v", err)
				}
			}
			if kept(h) > 0 {
				t.Error("a listener is remembered")
			}
			if name == "nothing may begin" {
				return
			}
			var failed error
			h.net.dial(at, func(_ rpcenv.Link, err error) rpcenv.Receiver { failed = err; return nil })
			if !errors.Is(failed, ErrHostClosed) || failed.Error() != "connect to "+at.String()+": host is closed" {
				t.Errorf("dials: %v", failed)
			}
		})
	}
}

func TestAConnectionToAHostThatEndsIsClosed(t *testing.T) {
	h := New(Options{})
	at, accepted := listen(t, h)
	h.tasks.close()
	conn := stranger(t, at)
	if _, err := conn.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
		t.Errorf("it is open: %v", err)
	}
	l := h.net.(*tcp).listener(at)
	if err := l.Close(); err != nil || len(accepted) > 0 {
		t.Errorf("closed with %v, %d links", err, len(accepted))
	}
	h.tasks.wait(patience)
}

func TestAListenerIsFoundByItsAddressOrElseByItsPortAlone(t *testing.T) {
	one, two, three := &tcpListener{}, &tcpListener{}, &tcpListener{}
	n := tcp{listeners: map[rpcenv.Address]*tcpListener{
		{Host: "a", Port: 1}: one, {Host: "b", Port: 1}: two, {Host: "a", Port: 2}: three,
	}}
	for _, c := range []struct {
		at   rpcenv.Address
		want *tcpListener
	}{
		{rpcenv.Address{Host: "a", Port: 1}, one},
		{rpcenv.Address{Host: "b", Port: 1}, two},
		{rpcenv.Address{Host: "c", Port: 1}, nil}, // one of two
		{rpcenv.Address{Host: "c", Port: 2}, three},
		{rpcenv.Address{Host: "a", Port: 3}, nil},
	} {
		if got := n.listener(c.at); got != c.want {
			t.Errorf("%s: got another listener than that of its address or port", c.at)
		}
	}
}

// behind runs a test with a listener at a door, on virtual time.
func behind(t *testing.T, opts Options, f func(t *testing.T, h *Host, l *tcpListener, d *wiretest.Door)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t, opts)
		d := wiretest.NewDoor()
		l := &tcpListener{tcp: h.net.(*tcp), at: loopback, accept: func(rpcenv.Link) rpcenv.Receiver { return newEar() }}
		l.acceptor = wire.NewAcceptor(d, l.start)
		go l.acceptor.Run()
		f(t, h, l, d)
	})
}

func TestAConnectionIsALinkWithItsFirstFrame(t *testing.T) {
	opts := Options{FirstFrameTimeout: 7 * time.Second}
	behind(t, opts, func(t *testing.T, h *Host, l *tcpListener, d *wiretest.Door) {
		d.CloseErr = errors.New("cannot be closed")
		began := time.Now()
		silent, short, linked := d.Knock(), d.Knock(), d.Knock()
		_, _ = linked.Write(frameOf(t, "hello"))
		_, _ = short.Write(wiretest.Hex("0000000000000064")) // a length is no type yet
		synctest.Wait()
		if kept(h) != 1 || l.acceptor.Held() != 2 {
			t.Errorf("%d links, %d connections that are none yet", kept(h), l.acceptor.Held())
		}
		if _, err := silent.Read(make([]byte, 1)); !errors.Is(err, io.EOF) || time.Since(began) != opts.FirstFrameTimeout {
			t.Errorf("the silent one: %v after %s", err, time.Since(began))
		}
		synctest.Wait()
		if kept(h) != 2 || l.acceptor.Held() != 0 {
			t.Errorf("%d links, %d connections that are none yet", kept(h), l.acceptor.Held())
		}
		time.Sleep(time.Hour) // a link may be silent as long as it wants, but not in the middle of a frame
		synctest.Wait()
		if kept(h) != 1 {
			t.Errorf("%d links after an hour", kept(h))
		}
		if err := l.Close(); !errors.Is(err, d.CloseErr) {
			t.Errorf("closed with %v", err)
		}
		synctest.Wait()
		wiretest.WantOpen(t, "a link", linked)
		_, _ = short.Close(), linked.Close()
	})
}

func TestADownloadEndsWithItsListenerOrWhenItIsIdle(t *testing.T) {
	opts := Options{IdleTimeout: 7 * time.Second}
	behind(t, opts, func(t *testing.T, h *Host, l *tcpListener, d *wiretest.Door) {
		asks := func() net.Conn {
			conn := d.Knock()
			ask := wire.AppendText(append(make([]byte, wire.LengthSize), wire.StreamRequest), "/files/f")
			_, _ = conn.Write(wire.FinishFrame(ask, 0))
			frame, err := wire.NewReader(conn).Next(wire.AtMost(wire.MaxFrame))
			want := wire.AppendText(wire.AppendText([]byte{wire.StreamFailure}, "/files/f"), "no files are served here")
			if err != nil || string(frame) != string(want) {
				t.Errorf("%q, %v", frame, err)
			}
			return conn
		}
		began := time.Now()
		if _, err := asks().Read(make([]byte, 1)); !errors.Is(err, io.EOF) || time.Since(began) != opts.IdleTimeout {
			t.Errorf("the idle one: %v after %s", err, time.Since(began))
		}
		synctest.Wait()
		if l.acceptor.Held() > 0 {
			t.Error("its connection is remembered")
		}
		second := asks()
		if err := l.Close(); err != nil {
			t.Error(err)
		}
		wiretest.WantClosed(t, "a download", second)
		if kept(h) > 0 {
			t.Error("a download became a link")
		}
	})
}

func TestLinksOverTCPHaveTheAddressesOfTheirConnection(t *testing.T) {
	h := newHost(t, Options{})
	a, b := pair(t, h)
	if a.Local() != b.Remote() || a.Remote() != b.Local() || a.Local().Host != "127.0.0.1" {
		t.Errorf("from %s to %s, and at the other end from %s to %s", a.Local(), a.Remote(), b.Local(), b.Remote())
	}
}

func TestHostSettingsThatAreNotGivenAreSparks(t *testing.T) {
	minutes := func(n int) time.Duration { return time.Duration(n) * time.Minute }
	defaults := Options{ConnectTimeout: minutes(2), FirstFrameTimeout: 10 * time.Second, IdleTimeout: minutes(2), CloseTimeout: 5 * time.Second, MaxFrame: 128<<20 + 64<<10, MaxUnfinished: 256<<20 + 128<<10}
	least := Options{ConnectTimeout: 1, FirstFrameTimeout: 1, IdleTimeout: 1, CloseTimeout: 1, MaxFrame: 1, MaxUnfinished: 2}
	given := Options{ConnectTimeout: minutes(3), FirstFrameTimeout: minutes(4), IdleTimeout: minutes(5), CloseTimeout: minutes(6), MaxFrame: wire.MaxFrame, MaxUnfinished: 3 * wire.MaxFrame}
	beyond := given
	beyond.MaxFrame++
	for _, c := range []struct{ given, want Options }{
		{Options{}, defaults},
		{Options{ConnectTimeout: -1, FirstFrameTimeout: -1, IdleTimeout: -1, CloseTimeout: -1, MaxFrame: -1, MaxUnfinished: -1}, defaults},
		{least, least},
		{given, given},
		{beyond, given},
	} {
		h := newHost(t, c.given)
		got, want := h.opts, c.want
		if got.ConnectTimeout != want.ConnectTimeout || got.FirstFrameTimeout != want.FirstFrameTimeout || got.IdleTimeout != want.IdleTimeout ||
			got.CloseTimeout != want.CloseTimeout || got.MaxFrame != want.MaxFrame || got.MaxUnfinished != want.MaxUnfinished {
			t.Errorf("%+v became %+v, want %+v", c.given, got, want)
		}
	}
}
