package transport

import (
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/transport/wire"
	"github.com/coherer/coherer/rpcenv/transport/wire/wiretest"
)

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
		{"HTTP", []byte("GET / HTTP/1.1\r\nHost: x\r\n\r\n"), wire.ErrMalformedFrame, "this is HTTP"},
		{"TLS", wiretest.Hex("16030100f8010000f40303ab"), wire.ErrMalformedFrame, "this is TLS"},
		{"random bytes", wiretest.Hex("9fe8a3c15d27b06644a10b7c"), wire.ErrMalformedFrame, "length"},
		{"2 GiB", wiretest.Hex("000000007ffffff0", "03"), wire.ErrFrameTooLarge, "allowed are 4096"},
		{"unknown type", wiretest.Hex("000000000000000a", "2a00"), wire.ErrMalformedFrame, "type 42"},
		{"cut off", wiretest.Hex("0000000000000100", "09000000"), wire.ErrTruncated, ""},
		{"three bytes", wiretest.Hex("000000"), wire.ErrTruncated, ""},
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
			if _, err := io.Copy(io.Discard, conn); err != nil && !errors.Is(wire.ReadError(err), wire.ErrPeerReset) {
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
	if err := await(t, "end", b.closed); !errors.Is(err, wire.ErrPeerReset) {
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
	if err := await(t, "end", b.closed); !errors.Is(err, wire.ErrClosed) {
		t.Errorf("ended with %v", err)
	}
}
