package wire

import (
	"bufio"
	"io"
	"os"
	"sync"
	"syscall"
)

// input reads ahead, as a bufio.Reader does. On a connection of the operating system it has a buffer only while bytes wait in it, so an
// idle connection holds none.
type input struct {
	from io.Reader
	raw  syscall.RawConn // of from; nil: from has none, and the buffer stays
	try  func(fd uintptr) bool

	buf       *[bufferSize]byte
	head, end int   // what is buffered
	err       error // of from, to be returned after the buffered bytes

	n int // how many bytes try has read, or its error
	e error
}

// bufferSize is the size of a buffer, in bytes.
const bufferSize = 64 << 10

// inputBuffers holds arrays, since a slice would be allocated anew each time.
var inputBuffers = sync.Pool{New: func() any { return new([bufferSize]byte) }}

func newInput(from io.Reader) *input {
	in := &input{from: from}
	if c, ok := from.(syscall.Conn); ok {
		in.raw, _ = c.SyscallConn() // an error means a closed connection, which Read reports
		in.try = in.tryRead
	}
	return in
}

// Buffered is how many bytes can be read without waiting.
func (in *input) Buffered() int { return in.end - in.head }

// Size is the most that can be buffered.
func (in *input) Size() int { return bufferSize }

// Peek returns the next n bytes, which stay; fewer with the error that says why. They are good until the next call.
func (in *input) Peek(n int) ([]byte, error) {
	for in.Buffered() < n {
		if n > bufferSize {
			return in.buffered(), bufio.ErrBufferFull
		}
		if in.err != nil {
			return in.buffered(), in.ended()
		}
		in.fill()
	}
	return in.buf[in.head : in.head+n], nil
}

func (in *input) buffered() []byte {
	if in.buf == nil {
		return nil
	}
	return in.buf[in.head:in.end]
}

// ended returns the error once, as a bufio.Reader does: after a deadline the next call reads on.
func (in *input) ended() error {
	err := in.err
	in.err = nil
	return err
}

// Discard skips n buffered bytes.
func (in *input) Discard(n int) { in.head += n }

// Read is io.Reader's. It waits only if nothing is buffered.
func (in *input) Read(p []byte) (int, error) {
	if in.Buffered() == 0 && in.err == nil {
		if len(p) >= bufferSize { // without a copy
			in.release()
			return in.from.Read(p)
		}
		in.fill()
	}
	if in.Buffered() == 0 {
		return 0, in.ended()
	}
	n := copy(p, in.buffered())
	in.head += n
	return n, nil
}

// fill reads once. Less than bufferSize is buffered, so there is room.
func (in *input) fill() {
	switch {
	case in.head == in.end:
		in.head, in.end = 0, 0
		in.release()
	case in.end == bufferSize:
		in.end = copy(in.buf[:], in.buf[in.head:in.end])
		in.head = 0
	}
	if in.buf == nil && in.raw != nil {
		in.n, in.e = 0, nil
		if err := in.raw.Read(in.try); err != nil {
			in.e = err
		}
		in.end, in.err = in.n, in.e
		return
	}
	if in.buf == nil {
		in.buf = inputBuffers.Get().(*[bufferSize]byte)
	}
	n, err := in.from.Read(in.buf[in.end:])
	in.end += n
	in.err = err
}

// release gives the empty buffer back to the pool, if the connection can wait without one.
func (in *input) release() {
	if in.raw != nil && in.buf != nil {
		inputBuffers.Put(in.buf)
		in.buf = nil
	}
}

// drop gives the buffer back, with what is in it.
func (in *input) drop() {
	in.head, in.end = 0, 0
	if in.buf != nil {
		inputBuffers.Put(in.buf)
		in.buf = nil
	}
}

// tryRead reads the bytes that have arrived into a buffer from the pool. It returns false if none have: then the runtime waits for some and
// calls it again.
func (in *input) tryRead(fd uintptr) bool {
	in.buf = inputBuffers.Get().(*[bufferSize]byte)
	for {
		n, err := readFD(fd, in.buf[:])
		switch {
		case err == syscall.EINTR: //nolint:errorlint // it is an Errno, not wrapped
			continue
		case err == syscall.EAGAIN: //nolint:errorlint // as above
			in.release()
			return false
		case err != nil:
			in.e = os.NewSyscallError("read", err)
		case n == 0:
			in.e = io.EOF
		}
		in.n = max(n, 0)
		return true
	}
}
