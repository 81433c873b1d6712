package wire

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io"
	"runtime"
	"syscall"
	"testing"
	"testing/iotest"

	"github.com/coherer/coherer/rpcenv/transport/wire/wiretest"
)

func TestLengthsOfFrames(t *testing.T) {
	const limit = 1 << 10
	const http = ": this is HTTP: the port speaks Spark's RPC, pages are on another one"
	for _, c := range []struct {
		field string
		limit int64
		want  string // empty: the length is taken
	}{
		{"0000000000000009", limit, ""},
		{"0000000000000408", limit, ""},
		{"0000000000000409", limit, "frame too large: 1025 bytes, allowed are 1024"},
		{"0000000000000008", limit, "malformed frame: length 8"},
		{"0000000000000000", limit, "malformed frame: length 0"},
		{"ffffffffffffffff", limit, "malformed frame: length -1"},
		{"0000000080000006", MaxFrame, ""},
		{"0000000080000006", MaxFrame - 1, "frame too large: 2147483646 bytes, allowed are 2147483645"},
		{"0000000080000007", 1 << 40, "malformed frame: length 2147483655"},
		{"1503010200010000", limit, "malformed frame: length 1514055007828246528"},
		{"1603010200010000", limit, "malformed frame: length 1586112601866174464: this is TLS: the port does not speak it"},
		{hex.EncodeToString([]byte("GET / HTTP")), limit, "malformed frame: length 5135603447292250196" + http},
		{hex.EncodeToString([]byte("HTTP/1.1")), limit, "malformed frame: length 5211883372140375601" + http},
	} {
		n, err := NewReader(bytes.NewReader(wiretest.Hex(c.field))).Length(AtMost(c.limit))
		if wiretest.Says(err) != c.want {
			t.Errorf("%s: %v, want %s", c.field, err, c.want)
		}
		if want := c.field[8:]; err == nil && want != hex.EncodeToString([]byte{byte((n + 8) >> 24), byte((n + 8) >> 16), byte((n + 8) >> 8), byte(n + 8)}) {
			t.Errorf("%s: %d bytes follow", c.field, n)
		}
	}
}

func TestFramesOfAllSizesAreReadWhole(t *testing.T) {
	var stream, all []byte
	sizes := []int{1, 2, bufferSize - 1, bufferSize, bufferSize + 1, 5 * bufferSize, 1}
	for i, size := range sizes {
		body := bytes.Repeat([]byte{byte(i + 1)}, size)
		all = append(all, body...)
		stream = append(stream, FinishFrame(append(make([]byte, LengthSize), body...), 0)...)
	}
	for name, r := range map[string]io.Reader{
		"at once": bytes.NewReader(stream), "by halves": iotest.HalfReader(bytes.NewReader(stream)), "with the end": iotest.DataErrReader(bytes.NewReader(stream)),
	} {
		frames := NewReader(r)
		var got []byte
		for _, size := range sizes {
			frame, err := frames.Next(AtMost(MaxFrame))
			if err != nil || len(frame) != size {
				t.Fatalf("%s: a frame of %d bytes, %v, want %d", name, len(frame), err, size)
			}
			got = append(got, frame...)
		}
		if _, err := frames.Next(AtMost(MaxFrame)); !bytes.Equal(got, all) || !errors.Is(err, io.EOF) {
			t.Errorf("%s: the frames have other bytes, or the end is %v", name, err)
		}
	}
}

// What breaks a connection within a frame is not its end.
func TestTheEndOfAStreamIsToldFromABreak(t *testing.T) {
	frame := func(size int) []byte { return FinishFrame(make([]byte, LengthSize+size), 0) }
	for _, c := range []struct {
		name string
		got  []byte
		err  error
		want error
	}{
		{"before a frame", nil, io.EOF, io.EOF},
		{"in its length", frame(10)[:3], io.EOF, io.ErrUnexpectedEOF},
		{"after its length", frame(10)[:8], io.EOF, io.ErrUnexpectedEOF},
		{"in a big one", frame(2 * bufferSize)[:100], io.EOF, io.ErrUnexpectedEOF},
		{"before a frame", nil, syscall.ECONNRESET, syscall.ECONNRESET},
		{"in its length", frame(10)[:3], syscall.ECONNRESET, syscall.ECONNRESET},
		{"in it", frame(10)[:9], syscall.ECONNRESET, syscall.ECONNRESET},
		{"in a big one", frame(2 * bufferSize)[:100], syscall.ECONNRESET, syscall.ECONNRESET},
	} {
		r := io.MultiReader(bytes.NewReader(c.got), iotest.ErrReader(c.err))
		if _, err := NewReader(r).Next(AtMost(MaxFrame)); !errors.Is(err, c.want) {
			t.Errorf("%s: %v became %v", c.name, c.err, err)
		}
	}
}

func TestAfterWhatDoesNotFitAScannerGivesNothing(t *testing.T) {
	for name, fail := range map[string]func(s *Scanner){
		"a text of negative length": func(s *Scanner) { s.Text("a text") },
		"what is said to fail":      func(s *Scanner) { s.Fail("a text") },
	} {
		s := &Scanner{Left: wiretest.Hex("ffffffff", "0000000000000001")}
		fail(s)
		s.Fail("something later")
		if b, n, m, text := s.Byte("byte"), s.Int32("int32"), s.Int64("int64"), s.Text("text"); b != 0 || n != 0 || m != 0 || text != "" {
			t.Errorf("%s: then %d, %d, %d, %q", name, b, n, m, text)
		}
		if err := s.End(); wiretest.Says(err) != "malformed frame: a text" {
			t.Errorf("%s: %v", name, err)
		}
	}
	s := &Scanner{Left: wiretest.Hex("0000000261620001")}
	if text := s.Text("text"); text != "ab" {
		t.Errorf("got %q", text)
	}
	if err := s.End(); wiretest.Says(err) != "malformed frame: 2 bytes too many" {
		t.Error(err)
	}
}

func TestMemoryForAFrameGrowsAsItsBytesArrive(t *testing.T) {
	frame := binary.BigEndian.AppendUint64(nil, 1<<30)
	frame = append(frame, make([]byte, 100_000)...)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := NewReader(bytes.NewReader(frame)).Next(AtMost(MaxFrame)); !errors.Is(ReadError(err), ErrTruncated) {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; got > 4<<20 {
		t.Errorf("%d bytes were allocated for 100 kB", got)
	}
}

func FuzzFrameReader(f *testing.F) {
	f.Add(FinishFrame(append(make([]byte, LengthSize), RPCRequest, 0, 0, 0, 1), 0), 1<<20)
	f.Add([]byte("GET / HTTP/1.1\r\n\r\n"), 4096)
	f.Add(wiretest.Hex("0000000000000009", "00", "ffffffffffffffff"), 10)
	f.Fuzz(func(t *testing.T, stream []byte, limit int) {
		frames, total := NewReader(bytes.NewReader(stream)), 0
		for {
			frame, err := frames.Next(AtMost(int64(limit)))
			if err != nil {
				return
			}
			if total += LengthSize + len(frame); len(frame) > limit || total > len(stream) {
				t.Fatalf("a frame of %d bytes from %d", len(frame), len(stream))
			}
		}
	})
}
