package transport

import (
	"bytes"
	"encoding/hex"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/transport/wire"
	"github.com/coherer/coherer/rpcenv/transport/wire/wiretest"
)

// checkExistence is the first frame of a real Spark driver, up to its Java stream: it asks for an endpoint, with request
// id 99. The body is 168 bytes.
func checkExistence() []byte {
	content := append([]byte{0xAC, 0xED, 0x00, 0x05}, make([]byte, 168-4-(1+2+8+4)*2-2-17)...)
	return wiretest.Hex(
		"00000000000000bd", "03", "0000000000000063", "000000a8",
		"010008", hex.EncodeToString([]byte("10.0.0.5")), "00009c41",
		"010008", hex.EncodeToString([]byte("10.0.0.1")), "00001ba5",
		"0011", hex.EncodeToString([]byte("endpoint-verifier")),
		hex.EncodeToString(content),
	)
}

// envelopeSize is how many bytes e takes on the wire.
func envelopeSize(e *rpcenv.Envelope) (int, error) { return new(envelopeEncoder).size(e) }

// decodeEnvelope reads a frame as AppendEnvelope writes it, without its length field, by a decoder of its own.
func decodeEnvelope(frame []byte) (*rpcenv.Envelope, error) {
	return new(envelopeDecoder).decode(frame)
}

func TestFirstFrameOfARealDriver(t *testing.T) {
	frame := checkExistence()
	e, err := decodeEnvelope(frame[wire.LengthSize:])
	if err != nil {
		t.Fatal(err)
	}
	want := rpcenv.Envelope{
		Kind: rpcenv.KindRequest, RequestID: 99,
		Sender:   rpcenv.Address{Host: "10.0.0.5", Port: 40001},
		Receiver: rpcenv.Address{Host: "10.0.0.1", Port: 7077},
		Endpoint: "endpoint-verifier", Content: frame[len(frame)-119:],
	}
	if !reflect.DeepEqual(*e, want) {
		t.Errorf("decoded %+v, want %+v", *e, want)
	}
	wantBytes(t, e, frame)
}

func TestRecordedFramesOfRealSpark(t *testing.T) {
	for name, frame := range wiretest.Frames(t, "frames") {
		t.Run(name, func(t *testing.T) {
			e, err := decodeEnvelope(frame[wire.LengthSize:])
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.HasPrefix(e.Content, []byte{0xAC, 0xED, 0x00, 0x05}) {
				t.Errorf("content begins with % x, want a Java stream", e.Content[:4])
			}
			wantBytes(t, e, frame)
		})
	}
}

func wantBytes(t *testing.T, e *rpcenv.Envelope, want []byte) {
	t.Helper()
	got, err := AppendEnvelope([]byte("before"), e)
	if err != nil {
		t.Fatal(err)
	}
	if got = got[len("before"):]; !bytes.Equal(got, want) {
		t.Errorf("encoded\n% x\nwant\n% x", got, want)
	}
	if size, err := envelopeSize(e); size != len(want) || err != nil {
		t.Errorf("size %d, %v, want %d", size, err, len(want))
	}
}

func genEnvelope() *rapid.Generator[*rpcenv.Envelope] {
	address := rapid.Custom(func(t *rapid.T) rpcenv.Address {
		if rapid.Bool().Draw(t, "none") {
			return rpcenv.Address{}
		}
		return rpcenv.Address{Host: rapid.String().Draw(t, "host"), Port: rapid.IntRange(0, 65535).Draw(t, "port")}
	})
	return rapid.Custom(func(t *rapid.T) *rpcenv.Envelope {
		e := &rpcenv.Envelope{Kind: rapid.SampledFrom([]rpcenv.EnvelopeKind{3, 4, 5, 9}).Draw(t, "kind")}
		if e.Kind != rpcenv.KindOneWay {
			e.RequestID = rapid.Int64().Draw(t, "id")
		}
		switch e.Kind {
		case rpcenv.KindFailure:
			e.Error = rapid.String().Draw(t, "error")
			return e
		case rpcenv.KindRequest, rpcenv.KindOneWay:
			e.Sender, e.Receiver = address.Draw(t, "sender"), address.Draw(t, "receiver")
			e.Endpoint = rapid.String().Draw(t, "endpoint")
		}
		e.Content = append([]byte{}, rapid.SliceOf(rapid.Byte()).Draw(t, "content")...)
		return e
	})
}

func TestEnvelopesSurvive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		envelopes := rapid.SliceOfN(genEnvelope(), 1, 5).Draw(t, "envelopes")
		var stream []byte
		for _, e := range envelopes {
			before := len(stream)
			stream, _ = AppendEnvelope(stream, e)
			if size, _ := envelopeSize(e); size != len(stream)-before {
				t.Fatalf("size %d, encoded %d", size, len(stream)-before)
			}
		}
		frames, decoder := wire.NewReader(bytes.NewReader(stream)), new(envelopeDecoder)
		for _, want := range envelopes {
			frame, err := frames.Next(wire.AtMost(wire.MaxFrame))
			if err != nil {
				t.Fatal(err)
			}
			got, err := decoder.decode(frame)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("got %+v, want %+v", got, want)
			}
		}
		if _, err := frames.Next(wire.AtMost(wire.MaxFrame)); !errors.Is(err, io.EOF) {
			t.Fatalf("after the last frame: %v", err)
		}
	})
}

func TestFramesThatAreRefused(t *testing.T) {
	const limit = 1 << 10
	for _, c := range []struct {
		name, frame string
		want        error
		says        string
	}{
		{"end before a frame", "", io.EOF, ""},
		{"end in the length", "000000", wire.ErrTruncated, ""},
		{"end in the frame", "0000000000000010" + "09", wire.ErrTruncated, ""},
		{"length that is negative", "ffffffffffffffff", wire.ErrMalformedFrame, "length -1"},
		{"least length", "8000000000000000", wire.ErrMalformedFrame, ""},
		{"length 0", "0000000000000000", wire.ErrMalformedFrame, ""},
		{"length 8", "0000000000000008", wire.ErrMalformedFrame, ""},
		{"2 GiB", "0000000080000000", wire.ErrFrameTooLarge, "allowed are 1024"},
		{"beyond an int32", "0000000080000010", wire.ErrMalformedFrame, ""},
		{"over the limit", "0000000000000409", wire.ErrFrameTooLarge, "1025 bytes"},
		{"HTTP", hex.EncodeToString([]byte("GET / HTTP/1.1\r\n\r\n")), wire.ErrMalformedFrame, "this is HTTP"},
		{"TLS", "160301020001000001fc0303", wire.ErrMalformedFrame, "this is TLS"},
		{"type of another protocol", "0000000000000009" + "08", wire.ErrMalformedFrame, "type 8"},
		{"type -1", "0000000000000009" + "ff", wire.ErrMalformedFrame, "type -1"},
		{"no request id", "000000000000000a" + "0300", wire.ErrMalformedFrame, "request id"},
		{"no body length", "000000000000000b" + "090000", wire.ErrMalformedFrame, "body length"},
		{"body length too small", "000000000000000f" + "09" + "00000001" + "0000", wire.ErrMalformedFrame, "body length 1, but 2"},
		{"failure with trailing bytes", "0000000000000017" + "05" + "0000000000000001" + "00000001" + "4142", wire.ErrMalformedFrame, "body length 1, but 2"},
		{"no addresses", "000000000000000d" + "09" + "00000000", wire.ErrMalformedFrame, "sender"},
		{"sender neither there nor not", "000000000000000e" + "09" + "00000001" + "02", wire.ErrMalformedFrame, "begins with 2"},
		{"port 65536", "0000000000000014" + "09" + "00000007" + "01" + "0000" + "00010000", wire.ErrMalformedFrame, "port 65536"},
		{"port -1", "0000000000000014" + "09" + "00000007" + "01" + "0000" + "ffffffff", wire.ErrMalformedFrame, "port -1"},
		{"endpoint name cut off", "0000000000000012" + "09" + "00000005" + "0000" + "0005" + "41", wire.ErrMalformedFrame, "endpoint name"},
		{"endpoint name of bad bytes", "0000000000000012" + "09" + "00000005" + "0000" + "0001" + "ff", wire.ErrMalformedFrame, "not UTF-8"},
	} {
		t.Run(c.name, func(t *testing.T) {
			frame, err := wire.NewReader(bytes.NewReader(wiretest.Hex(c.frame))).Next(wire.AtMost(limit))
			if err == nil {
				_, err = decodeEnvelope(frame)
			} else {
				err = wire.ReadError(err)
			}
			if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v, want %v with %q", err, c.want, c.says)
			}
		})
	}
}

func TestEnvelopesThatHaveNoFrame(t *testing.T) {
	for _, c := range []struct {
		name string
		e    rpcenv.Envelope
		want error
	}{
		{"unknown kind", rpcenv.Envelope{Kind: 6}, wire.ErrMalformedFrame},
		{"long name", rpcenv.Envelope{Kind: rpcenv.KindOneWay, Endpoint: strings.Repeat("x", 65536)}, wire.ErrMalformedFrame},
		{"long host", rpcenv.Envelope{Kind: rpcenv.KindOneWay, Sender: rpcenv.Address{Host: strings.Repeat("\x00", 32768)}}, wire.ErrMalformedFrame},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := AppendEnvelope([]byte("as it was"), &c.e)
			if !errors.Is(err, c.want) || string(got) != "as it was" {
				t.Errorf("got %q, %v", got, err)
			}
		})
	}
}

func TestHeaderLikeTheLastOneCostsNoAllocation(t *testing.T) {
	frame := checkExistence()[wire.LengthSize:]
	decoder := new(envelopeDecoder)
	if _, err := decoder.decode(frame); err != nil {
		t.Fatal(err)
	}
	allocs := testing.AllocsPerRun(100, func() {
		if _, err := decoder.decode(frame); err != nil {
			t.Fatal(err)
		}
	})
	if allocs > 0 {
		t.Errorf("%v allocations", allocs)
	}
}

func FuzzDecodeEnvelope(f *testing.F) {
	for _, frame := range wiretest.Frames(f, "frames") {
		f.Add(frame[wire.LengthSize:])
	}
	f.Add(checkExistence()[wire.LengthSize:])
	f.Add(wiretest.Hex("05", "0000000000000001", "00000002", "4142"))
	f.Fuzz(func(t *testing.T, frame []byte) {
		e, err := decodeEnvelope(frame)
		if err != nil {
			if !errors.Is(err, wire.ErrMalformedFrame) {
				t.Fatalf("untyped error %v", err)
			}
			return
		}
		again, err := AppendEnvelope(nil, e)
		if err != nil {
			if len(frame) < 1<<16 { // standard UTF-8 may grow beyond what a name may have
				t.Fatal(err)
			}
			return
		}
		e2, err := decodeEnvelope(again[wire.LengthSize:])
		if err != nil || !reflect.DeepEqual(e, e2) {
			t.Fatalf("%+v became %+v, %v", e, e2, err)
		}
	})
}
