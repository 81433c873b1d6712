package wiretest

import (
	"errors"
	"io"
	"net"
	"testing"
	"time"
)

// Door is a net.Listener of the connections and errors that a test puts there.
type Door struct {
	Next     chan any // net.Conn or error
	CloseErr error    // the answer of Close
	closed   chan struct{}
}

// NewDoor returns a Door with room for ten.
func NewDoor() *Door { return &Door{Next: make(chan any, 10), closed: make(chan struct{})} }

// Accept takes what was put there next.
func (d *Door) Accept() (net.Conn, error) {
	select {
	case <-d.closed:
		return nil, net.ErrClosed
	default:
	}
	select {
	case x := <-d.Next:
		if err, ok := x.(error); ok {
			return nil, err
		}
		return x.(net.Conn), nil
	case <-d.closed:
		return nil, net.ErrClosed
	}
}

// Close ends Accept.
func (d *Door) Close() error {
	close(d.closed)
	return d.CloseErr
}

// Addr is some address.
func (d *Door) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1} }

// Knock puts a connection there, and returns the peer's end.
func (d *Door) Knock() net.Conn {
	ours, theirs := net.Pipe()
	d.Next <- ours
	return theirs
}

// WantClosed wants that a connection was closed at the other end already.
func WantClosed(t *testing.T, name string, conn net.Conn) {
	t.Helper()
	_ = conn.SetReadDeadline(time.Now())
	if _, err := conn.Read(make([]byte, 1)); !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("%s: it is open: %v", name, err)
	}
}

// WantOpen wants that a connection is open at the other end.
func WantOpen(t *testing.T, name string, conn net.Conn) {
	t.Helper()
	_ = conn.SetReadDeadline(time.Now())
	if _, err := conn.Read(make([]byte, 1)); err == nil || errors.Is(err, io.EOF) {
		t.Errorf("%s: it was closed: %v", name, err)
	}
}
