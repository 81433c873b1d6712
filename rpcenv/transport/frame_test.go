package transport

import (
	"bytes"
	"encoding/hex"
	"errors"
	"io"
	"syscall"
	"testing"
	"testing/iotest"
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
		{"0000000080000006", hardLimit, ""},
		{"0000000080000006", hardLimit - 1, "frame too large: 2147483646 bytes, allowed are 2147483645"},
		{"0000000080000007", 1 << 40, "malformed frame: length 2147483655"},
		{"1503010200010000", limit, "malformed frame: length 1514055007828246528"},
		{"1603010200010000", limit, "malformed frame: length 1586112601866174464: this is TLS: the port does not speak it"},
		{hex.EncodeToString([]byte("GET / HTTP")), limit, "malformed frame: length 5135603447292250196" + http},
		{hex.EncodeToString([]byte("HTTP/1.1")), limit, "malformed frame: length 5211883372140375601" + http},
	} {
		n, err := newFrameReader(bytes.NewReader(slice(c.field))).length(atMost(c.limit))
		if saysOf(err) != c.want {
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
		stream = append(stream, finishFrame(append(make([]byte, lengthSize), body...), 0)...)
	}
	for name, r := range map[string]io.Reader{
		"at once": bytes.NewReader(stream), "by halves": iotest.HalfReader(bytes.NewReader(stream)), "with the end": iotest.DataErrReader(bytes.NewReader(stream)),
	} {
		frames := newFrameReader(r)
		var got []byte
		for _, size := range sizes {
			frame, err := frames.next(anyFrame)
			if err != nil || len(frame) != size {
				t.Fatalf("%s: a frame of %d bytes, %v, want %d", name, len(frame), err, size)
			}
			got = append(got, frame...)
		}
		if _, err := frames.next(anyFrame); !bytes.Equal(got, all) || !errors.Is(err, io.EOF) {
			t.Errorf("%s: the frames have other bytes, or the end is %v", name, err)
		}
	}
}

// What breaks a connection within a frame is not its end.
func TestTheEndOfAStreamIsToldFromABreak(t *testing.T) {
	frame := func(size int) []byte { return finishFrame(make([]byte, lengthSize+size), 0) }
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
		if _, err := newFrameReader(r).next(anyFrame); !errors.Is(err, c.want) {
			t.Errorf("%s: %v became %v", c.name, c.err, err)
		}
	}
}

func TestAfterWhatDoesNotFitAScannerGivesNothing(t *testing.T) {
	for name, fail := range map[string]func(s *scanner){
		"a text of negative length": func(s *scanner) { s.text("a text") },
		"what is said to fail":      func(s *scanner) { s.fail("a text") },
	} {
		s := &scanner{rest: slice("ffffffff", "0000000000000001")}
		fail(s)
		s.fail("something later")
		if b, n, m, text := s.byte("byte"), s.int32("int32"), s.int64("int64"), s.text("text"); b != 0 || n != 0 || m != 0 || text != "" {
			t.Errorf("%s: then %d, %d, %d, %q", name, b, n, m, text)
		}
		if err := s.end(); saysOf(err) != "malformed frame: a text" {
			t.Errorf("%s: %v", name, err)
		}
	}
	s := &scanner{rest: slice("0000000261620001")}
	if text := s.text("text"); text != "ab" {
		t.Errorf("got %q", text)
	}
	if err := s.end(); saysOf(err) != "malformed frame: 2 bytes too many" {
		t.Error(err)
	}
}
