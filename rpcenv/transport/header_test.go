package transport

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/transport/wire"
	"github.com/coherer/coherer/rpcenv/transport/wire/wiretest"
)

// headers are envelopes each of which differs from the one before in one thing, or in nothing.
func headers() []*rpcenv.Envelope {
	first := rpcenv.Envelope{
		Kind: rpcenv.KindOneWay, Sender: rpcenv.Address{Host: "a", Port: 1}, Receiver: rpcenv.Address{Host: "b", Port: 2}, Endpoint: "Endpoint",
		Content: []byte("content"),
	}
	out := []*rpcenv.Envelope{&first}
	for _, change := range []func(*rpcenv.Envelope){
		func(*rpcenv.Envelope) {},
		func(e *rpcenv.Envelope) { e.Sender.Port = 9 },
		func(e *rpcenv.Envelope) { e.Receiver = rpcenv.Address{} },
		func(e *rpcenv.Envelope) { e.Endpoint = "Echo endpoint" },
		func(*rpcenv.Envelope) {},
		func(e *rpcenv.Envelope) { e.Endpoint = "Endpoint" },
		func(e *rpcenv.Envelope) { e.Endpoint = "Endpoint endpoint" },
		func(e *rpcenv.Envelope) { e.Sender = rpcenv.Address{} },
		func(e *rpcenv.Envelope) { e.Sender.Host = "c" },
		func(*rpcenv.Envelope) {},
	} {
		next := *out[len(out)-1]
		change(&next)
		out = append(out, &next)
	}
	return out
}

func TestAHeaderIsEncodedAnewWhenAnythingInItChanges(t *testing.T) {
	var enc envelopeEncoder
	for i, e := range headers() {
		want, err := AppendEnvelope(nil, e)
		if err != nil {
			t.Fatal(err)
		}
		size, err := enc.size(e)
		if got := enc.append(nil, e, size); err != nil || !bytes.Equal(got, want) {
			t.Errorf("envelope %d: %q, %v, want %q", i, got, err, want)
		}
		// And what is the same as the last one is not encoded again.
		before := enc.last.raw[0]
		enc.last.raw[0]++
		if _, err := enc.size(e); err != nil || enc.last.raw[0] == before {
			t.Errorf("envelope %d: the same header was encoded again, %v", i, err)
		}
		enc.last.raw[0] = before
	}
}

func TestAHeaderIsDecodedAnewWhenItsBytesChange(t *testing.T) {
	var decoder envelopeDecoder
	var last rpcenv.Envelope
	for i, e := range headers() {
		frame, err := AppendEnvelope(nil, e)
		if err != nil {
			t.Fatal(err)
		}
		got, err := decoder.decode(frame[wire.LengthSize:])
		if err != nil || got.Sender != e.Sender || got.Receiver != e.Receiver || got.Endpoint != e.Endpoint || string(got.Content) != "content" {
			t.Errorf("envelope %d: %+v, %v, want %+v", i, got, err, e)
		}
		same := last.Sender == e.Sender && last.Receiver == e.Receiver && last.Endpoint == e.Endpoint
		if again := unsafe.StringData(got.Endpoint) == unsafe.StringData(last.Endpoint); again != same {
			t.Errorf("envelope %d: the name is the string that the last one had: %v, want %v", i, again, same)
		}
		last = *got
	}
}

func TestAHeaderThatIsRefusedIsRefusedAgain(t *testing.T) {
	var decoder envelopeDecoder
	for range 2 {
		if _, err := decoder.decode(wiretest.Hex("09", "00000005", "0000", "0001", "ff")); wiretest.Says(err) != "malformed frame: endpoint name is not UTF-8" {
			t.Error(err)
		}
	}
}

// Receivers keep addresses and names; the frame's memory is used again.
func TestTheNamesOfADecodedEnvelopeShareNothingWithItsFrame(t *testing.T) {
	frame, err := AppendEnvelope(nil, headers()[0])
	if err != nil {
		t.Fatal(err)
	}
	e, err := decodeEnvelope(frame[wire.LengthSize:])
	if err != nil {
		t.Fatal(err)
	}
	clear(frame)
	if e.Endpoint != "Endpoint" || e.Sender.Host != "a" {
		t.Errorf("it became %+v", e)
	}
}

func TestTheLongestNameAndTheLongestMessage(t *testing.T) {
	name := rpcenv.Envelope{Kind: rpcenv.KindOneWay, Endpoint: strings.Repeat("x", math.MaxUint16)}
	if size, err := envelopeSize(&name); size != wire.LengthSize+1+4+2+2+math.MaxUint16 || err != nil {
		t.Errorf("a name of 65,535 bytes: %d, %v", size, err)
	}
	name.Endpoint += "x"
	want := `malformed frame: the name "` + strings.Repeat("x", 40) + `"... takes 65536 bytes, allowed are 65535`
	if size, err := envelopeSize(&name); size != 0 || wiretest.Says(err) != want {
		t.Errorf("a name of 65,536 bytes: %d, %v, want %s", size, err, want)
	}
	// Nobody touches this memory, so it takes none.
	content, err := unix.Mmap(-1, 0, wire.MaxFrame, unix.PROT_NONE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unix.Munmap(content) }()
	const head = 1 + 8 + 4
	e := rpcenv.Envelope{Kind: rpcenv.KindResponse, Content: content[:wire.MaxFrame-head]}
	if size, err := envelopeSize(&e); size != wire.LengthSize+wire.MaxFrame || err != nil {
		t.Errorf("the longest message: %d, %v", size, err)
	}
	e.Content = content[:wire.MaxFrame-head+1]
	if size, err := envelopeSize(&e); size != 0 || !errors.Is(err, wire.ErrFrameTooLarge) ||
		err.Error() != "frame too large: a message of 2147483647 bytes, a frame holds 2147483646" {
		t.Errorf("one byte more: %d, %v", size, err)
	}
}
