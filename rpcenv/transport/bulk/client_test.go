package bulk

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/transport/wire"
)

func TestBulkSettingsThatAreNotGivenAreSparks(t *testing.T) {
	const day = 24 * time.Hour
	for _, c := range []struct{ given, want Options }{
		{Options{}, Options{2 * time.Minute, 2 * time.Minute, Owner{}, 1 << 40}},
		{Options{-1, -1, Owner{}, -1}, Options{2 * time.Minute, 2 * time.Minute, Owner{}, 1 << 40}},
		{Options{1, 1, Owner{"a", "0"}, 1}, Options{1, 1, Owner{"a", "0"}, 1}},
		{Options{day, 2 * day, Owner{}, 1 << 50}, Options{day, 2 * day, Owner{}, 1 << 50}},
	} {
		got := c.given
		if got.setDefaults(); got != c.want {
			t.Errorf("%+v became %+v, want %+v", c.given, got, c.want)
		}
	}
	if c := NewClient(Options{}); c.opts.MaxFile != 1<<40 {
		t.Errorf("a client has %+v", c.opts)
	}
}

func TestABulkServerSaysWhereItListens(t *testing.T) {
	for _, c := range []struct{ host, want string }{{"127.0.0.1", "127.0.0.1"}, {"localhost", "localhost"}, {"", "::"}} {
		at, closer, err := Serve(rpcenv.Address{Host: c.host}, shelf{}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if at.Host != c.want && (c.host != "" || at.Host != "0.0.0.0") || at.Port == 0 {
			t.Errorf("%q: at %s, want %s", c.host, at, c.want)
		}
		if c.host == "127.0.0.1" {
			_, _, err := Serve(at, shelf{}, Options{})
			if want := fmt.Sprintf("listen at %s: port %d is taken by another process: ", at, at.Port); err == nil || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("at a port that is taken: %v", err)
			}
		}
		if err := closer.Close(); err != nil {
			t.Error(err)
		}
	}
}

// wantPeers wants a number of connections, and how many of them are idle.
func wantPeers(t *testing.T, c *Client, at rpcenv.Address, all, idle int) {
	t.Helper()
	if len(c.all) != all || len(c.idle[at]) != idle {
		t.Errorf("%d connections, %d of them idle, want %d and %d", len(c.all), len(c.idle[at]), all, idle)
	}
}

func TestAClientKeepsAConnectionOnWhichAllWentWell(t *testing.T) {
	at := serve(t, shelf{"a": bytesChunk([]byte("a")), "b": bytesChunk([]byte("b"))})
	c := newClient(t, Options{})
	if err := c.FetchBlocks(t.Context(), rpcenv.Address{Host: "127.0.0.1", Port: 1}, nil, skip); err != nil {
		t.Errorf("no blocks, from nobody: %v", err)
	}
	fetched := func(sink func(int, io.Reader, int64) error) error {
		return c.FetchBlocks(t.Context(), at, []string{"a"}, sink)
	}
	// Two at a time need two connections.
	err := fetched(func(int, io.Reader, int64) error {
		wantPeers(t, c, at, 1, 0)
		return fetched(skip)
	})
	if err != nil {
		t.Fatal(err)
	}
	wantPeers(t, c, at, 2, 2)
	if err := fetched(skip); err != nil {
		t.Fatal(err)
	}
	wantPeers(t, c, at, 2, 2)
	full := errors.New("no room")
	if err := fetched(func(int, io.Reader, int64) error { return full }); !errors.Is(err, full) {
		t.Fatal(err)
	}
	wantPeers(t, c, at, 1, 1)

	// A fetch that ends well just when it is cancelled closes its connection all the same.
	ctx, cancel := context.WithCancel(t.Context())
	err = c.FetchBlocks(ctx, at, []string{"a"}, func(_ int, r io.Reader, _ int64) error {
		_, err := io.ReadAll(r)
		cancel()
		return err
	})
	if err != nil {
		t.Errorf("all was fetched, and yet: %v", err)
	}
	wantPeers(t, c, at, 0, 0)
}

func TestAClientThatIsClosedKeepsNothing(t *testing.T) {
	at := serve(t, shelf{"a": bytesChunk([]byte("a"))})
	c := NewClient(Options{})
	var used *clientConn
	err := c.FetchBlocks(t.Context(), at, []string{"a"}, func(_ int, r io.Reader, _ int64) error {
		_, err := io.ReadAll(r)
		for p := range c.all {
			used = p
		}
		return errors.Join(err, c.Close())
	})
	if err != nil || c.idle != nil || c.all != nil {
		t.Errorf("%v, idle are %v of %v", err, c.idle, c.all)
	}
	if _, err := used.conn.Read(make([]byte, 1)); !errors.Is(err, net.ErrClosed) {
		t.Errorf("its connection is open: %v", err)
	}
	// Closed while it dials.
	if p, err := c.dial(t.Context(), at); p != nil || !errors.Is(err, wire.ErrClosed) {
		t.Errorf("dialled: %v, %v", p, err)
	}
}

// A connection on which an answer began is not replaced: the sink would get blocks twice.
func TestAFetchIsTriedAgainOnlyIfNothingCame(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	at := wire.AddressOf(ln.Addr())
	done := make(chan struct{})
	go func() {
		defer close(done)
		conn, err := ln.Accept()
		if err != nil {
			return
		}
		defer func() { _ = conn.Close() }()
		frames := wire.NewReader(conn)
		for _, answer := range [][]byte{handle(1, 1, 1), chunk(1, 0, "a"), handle(2, 2, 1)[:12]} {
			if _, err := frames.Next(anyFrame); err != nil {
				return
			}
			_, _ = conn.Write(answer)
		}
	}()
	c := newClient(t, Options{})
	if _, err := fetch(t, c, at, "a"); err != nil {
		t.Fatal(err)
	}
	_ = ln.Close()
	_, closer, err := Serve(at, shelf{"a": bytesChunk([]byte("a"))}, Options{}) // it would answer a second try
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = closer.Close() }()
	if _, err := fetch(t, c, at, "a"); !errors.Is(err, wire.ErrTruncated) {
		t.Errorf("half an answer became %v", err)
	}
	<-done
}

func TestAFileChunkBeginsWithinItsFile(t *testing.T) {
	path := write(t, t.TempDir(), "f", "0123456789")
	r, err := FileChunk(path, 4, 3).Open()
	if err != nil {
		t.Fatal(err)
	}
	if rest, err := io.ReadAll(r); err != nil || string(rest) != "456789" {
		t.Errorf("it goes on with %q, %v", rest, err)
	}
	_ = r.Close()
	if r, err := FileChunk(path, -1, 3).Open(); r != nil || !errors.Is(err, syscall.EINVAL) {
		t.Errorf("before its file: %v, %v", r, err)
	}
}
