package transport

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/coherer/coherer/rpcenv"
)

// checkExistence is the first frame of a real Spark driver, up to its Java stream: it asks for an endpoint, with request
// id 99. The body is 168 bytes.
func checkExistence() []byte {
	content := append([]byte{0xAC, 0xED, 0x00, 0x05}, make([]byte, 168-4-(1+2+8+4)*2-2-17)...)
	return slice(
		"00000000000000bd", "03", "0000000000000063", "000000a8",
		"010008", hex.EncodeToString([]byte("10.0.0.5")), "00009c41",
		"010008", hex.EncodeToString([]byte("10.0.0.1")), "00001ba5",
		"0011", hex.EncodeToString([]byte("endpoint-verifier")),
		hex.EncodeToString(content),
	)
}

func slice(parts ...string) []byte {
	b, err := hex.DecodeString(strings.Join(parts, ""))
	if err != nil {
		panic(err)
	}
	return b
}

func goldenFrames(t testing.TB, dir string) map[string][]byte {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", dir, "*.hex"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden frames: %v", err)
	}
	out := map[string][]byte{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		out[strings.TrimSuffix(filepath.Base(file), ".hex")] = slice(strings.Fields(string(text))...)
	}
	return out
}

func TestFirstFrameOfARealDriver(t *testing.T) {
	frame := checkExistence()
	e, err := DecodeEnvelope(frame[lengthSize:])
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
	for name, frame := range goldenFrames(t, "frames") {
		t.Run(name, func(t *testing.T) {
			e, err := DecodeEnvelope(frame[lengthSize:])
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
	if size, err := EnvelopeSize(e); size != len(want) || err != nil {
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
			if size, _ := EnvelopeSize(e); size != len(stream)-before {
				t.Fatalf("size %d, encoded %d", size, len(stream)-before)
			}
		}
		frames, decoder := newFrameReader(bytes.NewReader(stream)), new(envelopeDecoder)
		for _, want := range envelopes {
			frame, err := frames.next(anyFrame)
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
		if _, err := frames.next(anyFrame); !errors.Is(err, io.EOF) {
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
		{"end in the length", "000000", ErrTruncated, ""},
		{"end in the frame", "0000000000000010" + "09", ErrTruncated, ""},
		{"length that is negative", "ffffffffffffffff", ErrMalformedFrame, "length -1"},
		{"least length", "8000000000000000", ErrMalformedFrame, ""},
		{"length 0", "0000000000000000", ErrMalformedFrame, ""},
		{"length 8", "0000000000000008", ErrMalformedFrame, ""},
		{"2 GiB", "0000000080000000", ErrFrameTooLarge, "allowed are 1024"},
		{"beyond an int32", "0000000080000010", ErrMalformedFrame, ""},
		{"over the limit", "0000000000000409", ErrFrameTooLarge, "1025 bytes"},
		{"HTTP", hex.EncodeToString([]byte("GET / HTTP/1.1\r\n\r\n")), ErrMalformedFrame, "this is HTTP"},
		{"TLS", "160301020001000001fc0303", ErrMalformedFrame, "this is TLS"},
		{"type of another protocol", "0000000000000009" + "08", ErrMalformedFrame, "type 8"},
		{"type -1", "0000000000000009" + "ff", ErrMalformedFrame, "type -1"},
		{"no request id", "000000000000000a" + "0300", ErrMalformedFrame, "request id"},
		{"no body length", "000000000000000b" + "090000", ErrMalformedFrame, "body length"},
		{"body length too small", "000000000000000f" + "09" + "00000001" + "0000", ErrMalformedFrame, "body length 1, but 2"},
		{"failure with trailing bytes", "0000000000000017" + "05" + "0000000000000001" + "00000001" + "4142", ErrMalformedFrame, "body length 1, but 2"},
		{"no addresses", "000000000000000d" + "09" + "00000000", ErrMalformedFrame, "sender"},
		{"sender neither there nor not", "000000000000000e" + "09" + "00000001" + "02", ErrMalformedFrame, "begins with 2"},
		{"port 65536", "0000000000000014" + "09" + "00000007" + "01" + "0000" + "00010000", ErrMalformedFrame, "port 65536"},
		{"port -1", "0000000000000014" + "09" + "00000007" + "01" + "0000" + "ffffffff", ErrMalformedFrame, "port -1"},
		{"endpoint name cut off", "0000000000000012" + "09" + "00000005" + "0000" + "0005" + "41", ErrMalformedFrame, "endpoint name"},
		{"endpoint name of bad bytes", "0000000000000012" + "09" + "00000005" + "0000" + "0001" + "ff", ErrMalformedFrame, "not UTF-8"},
	} {
		t.Run(c.name, func(t *testing.T) {
			frame, err := newFrameReader(bytes.NewReader(slice(c.frame))).next(atMost(limit))
			if err == nil {
				_, err = DecodeEnvelope(frame)
			} else {
				err = readError(err)
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
		{"unknown kind", rpcenv.Envelope{Kind: 6}, ErrMalformedFrame},
		{"long name", rpcenv.Envelope{Kind: rpcenv.KindOneWay, Endpoint: strings.Repeat("x", 65536)}, ErrMalformedFrame},
		{"long host", rpcenv.Envelope{Kind: rpcenv.KindOneWay, Sender: rpcenv.Address{Host: strings.Repeat("\x00", 32768)}}, ErrMalformedFrame},
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
	frame := checkExistence()[lengthSize:]
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

func TestMemoryForAFrameGrowsAsItsBytesArrive(t *testing.T) {
	frame := binary.BigEndian.AppendUint64(nil, 1<<30)
	frame = append(frame, make([]byte, 100_000)...)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := newFrameReader(bytes.NewReader(frame)).next(anyFrame); !errors.Is(readError(err), ErrTruncated) {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; got > 4<<20 {
		t.Errorf("%d bytes were allocated for 100 kB", got)
	}
}

func FuzzDecodeEnvelope(f *testing.F) {
	for _, frame := range goldenFrames(f, "frames") {
		f.Add(frame[lengthSize:])
	}
	f.Add(checkExistence()[lengthSize:])
	f.Add(slice("05", "0000000000000001", "00000002", "4142"))
	f.Fuzz(func(t *testing.T, frame []byte) {
		e, err := DecodeEnvelope(frame)
		if err != nil {
			if !errors.Is(err, ErrMalformedFrame) {
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
		e2, err := DecodeEnvelope(again[lengthSize:])
		if err != nil || !reflect.DeepEqual(e, e2) {
			t.Fatalf("%+v became %+v, %v", e, e2, err)
		}
	})
}

func FuzzFrameReader(f *testing.F) {
	f.Add(checkExistence(), 1<<20)
	f.Add([]byte("GET / HTTP/1.1\r\n\r\n"), 4096)
	f.Add(slice("0000000000000009", "00", "ffffffffffffffff"), 10)
	f.Fuzz(func(t *testing.T, stream []byte, limit int) {
		frames, total := newFrameReader(bytes.NewReader(stream)), 0
		for {
			frame, err := frames.next(atMost(int64(limit)))
			if err != nil {
				return
			}
			if total += lengthSize + len(frame); len(frame) > limit || total > len(stream) {
				t.Fatalf("a frame of %d bytes from %d", len(frame), len(stream))
			}
		}
	})
}
