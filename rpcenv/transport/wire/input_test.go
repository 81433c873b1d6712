package wire

import (
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"testing"
	"testing/iotest"
	"time"

	"pgregory.net/rapid"
)

// Whatever is read in between, and however the bytes come, an input says what its source does.
func TestAnInputSaysWhatItsSourceDoes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := make([]byte, rapid.IntRange(0, 3*bufferSize).Draw(t, "size"))
		for i := range want {
			want[i] = byte(i * 7)
		}
		source := rapid.SampledFrom([]func(io.Reader) io.Reader{
			func(r io.Reader) io.Reader { return r }, iotest.HalfReader, iotest.DataErrReader,
		}).Draw(t, "source")
		in := newInput(source(bytes.NewReader(want)))
		for {
			n := rapid.SampledFrom([]int{1, 8, 1000, bufferSize, bufferSize + 1, 2 * bufferSize}).Draw(t, "n")
			if rapid.Bool().Draw(t, "read") {
				p := make([]byte, n)
				m, err := in.Read(p)
				if !bytes.HasPrefix(want, p[:m]) {
					t.Fatal("read something else")
				}
				if want = want[m:]; errors.Is(err, io.EOF) && m == 0 {
					break
				}
				continue
			}
			p, err := in.Peek(min(n, bufferSize))
			if !bytes.HasPrefix(want, p) || err == nil && len(p) != min(n, bufferSize) || err != nil && len(p) != len(want) {
				t.Fatalf("peeked %d bytes of %d, %v", len(p), len(want), err)
			}
			in.Discard(len(p) / 2)
			want = want[len(p)/2:]
			if len(want) == 0 {
				break
			}
		}
		if in.Buffered() != 0 && len(want) != in.Buffered() {
			t.Fatalf("%d bytes are buffered at the end", in.Buffered())
		}
	})
}

// pair is a connection over loopback.
func pair(t *testing.T) (a, b net.Conn) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if a, err = net.Dial("tcp", l.Addr().String()); err != nil {
		t.Fatal(err)
	}
	if b, err = l.Accept(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = a.Close()
		_ = b.Close()
	})
	return a, b
}

// A connection that waits for its peer, and one whose frames are read, holds no buffer.
func TestAnIdleConnectionHoldsNoBuffer(t *testing.T) {
	a, b := pair(t)
	f := NewReader(a)
	for range 3 {
		if _, err := b.Write([]byte{0, 0, 0, 0, 0, 0, 0, 10, 9, 9}); err != nil {
			t.Fatal(err)
		}
		frame, err := f.Next(AtMost(100))
		if err != nil || len(frame) != 2 || f.buf == nil {
			t.Fatal(frame, err, f.buf == nil)
		}
		_ = a.SetReadDeadline(time.Now()) // over at once
		if _, err := f.Begun(); !errors.Is(err, os.ErrDeadlineExceeded) || f.buf != nil {
			t.Fatalf("%v, a buffer: %t", err, f.buf != nil)
		}
		_ = a.SetReadDeadline(time.Time{})
	}
	_ = b.Close()
	if _, err := f.Begun(); !errors.Is(err, io.EOF) {
		t.Error(err)
	}
	_ = a.Close()
	if _, err := f.Begun(); !errors.Is(err, net.ErrClosed) {
		t.Error(err)
	}
}

func TestAnInputReportsThatTheConnectionBroke(t *testing.T) {
	a, b := pair(t)
	if err := b.(*net.TCPConn).SetLinger(0); err != nil {
		t.Fatal(err)
	}
	_ = b.Close()
	if _, err := NewReader(a).Begun(); !errors.Is(ReadError(err), ErrPeerReset) {
		t.Error(err)
	}
}

// A connection that is over may stay in memory for long.
func TestAReaderThatIsDoneHoldsNothing(t *testing.T) {
	a, b := pair(t)
	r := NewReader(b)
	if _, err := a.Write([]byte("what nobody reads")); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Peek(1); err != nil || r.buf == nil {
		t.Fatal(err)
	}
	r.Done()
	r.Done()
	if r.buf != nil || r.Buffered() != 0 {
		t.Error(r.Buffered(), "bytes are held")
	}
}
