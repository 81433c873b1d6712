package wire

import (
	"errors"
	"net"
	"sync"
	"time"
)

// acceptPause is how long an Acceptor waits after an error that may pass, such as too many open files.
const acceptPause = 50 * time.Millisecond

// Acceptor accepts connections and remembers them, to close them with itself.
type Acceptor struct {
	ln     net.Listener
	handle func(net.Conn)
	closed chan struct{}

	mu    sync.Mutex
	conns map[net.Conn]struct{} // nil once closed
}

// NewAcceptor returns an Acceptor whose owner calls Run. handle takes over a connection, on a goroutine of its own. It calls
// Drop when it no longer needs it, or when it is no longer for the Acceptor to close.
func NewAcceptor(ln net.Listener, handle func(net.Conn)) *Acceptor {
	return &Acceptor{ln: ln, handle: handle, closed: make(chan struct{}), conns: map[net.Conn]struct{}{}}
}

// Run accepts until Close.
func (a *Acceptor) Run() {
	for {
		conn, err := a.ln.Accept()
		switch {
		case err == nil && a.hold(conn):
			a.handle(conn)
		case err == nil:
			// Close ran since Accept and has not seen this connection.
			_ = conn.Close()
		case errors.Is(err, net.ErrClosed):
			return
		default:
			// With too many open files Accept works again as soon as one is closed: give it time instead of giving up.
			select {
			case <-a.closed:
			case <-time.After(acceptPause):
			}
		}
	}
}

func (a *Acceptor) hold(conn net.Conn) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.conns == nil {
		return false
	}
	a.conns[conn] = struct{}{}
	return true
}

// Drop forgets a connection.
func (a *Acceptor) Drop(conn net.Conn) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.conns, conn)
}

// Held is how many connections Close would close.
func (a *Acceptor) Held() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.conns)
}

// Close ends the listener and its connections, without waiting. A second call does nothing.
func (a *Acceptor) Close() error {
	a.mu.Lock()
	conns := a.conns
	a.conns = nil // from here on hold refuses: no connection escapes the loop below
	a.mu.Unlock()
	if conns == nil {
		return nil
	}
	close(a.closed) // ends a pause of Run; closing the listener ends its Accept
	for conn := range conns {
		_ = conn.Close()
	}
	return a.ln.Close()
}
