package transport

import (
	"errors"
	"net"
	"sync"
	"time"
)

// acceptPause is how long an acceptor waits after an error that may pass, such as too many open files.
const acceptPause = 50 * time.Millisecond

// acceptor accepts connections and remembers them, to close them with itself.
type acceptor struct {
	ln net.Listener
	// handle takes over a connection, on a goroutine of its own. It calls drop when it no longer needs it, or when it is
	// no longer for the acceptor to close.
	handle func(net.Conn)
	closed chan struct{}

	mu    sync.Mutex
	conns map[net.Conn]struct{} // nil once closed
}

func newAcceptor(ln net.Listener, handle func(net.Conn)) *acceptor {
	return &acceptor{ln: ln, handle: handle, closed: make(chan struct{}), conns: map[net.Conn]struct{}{}}
}

// run accepts until close.
func (a *acceptor) run() {
	for {
		conn, err := a.ln.Accept()
		switch {
		case err == nil && a.hold(conn):
			a.handle(conn)
		case err == nil:
			// close ran since Accept and has not seen this connection.
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

func (a *acceptor) hold(conn net.Conn) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.conns == nil {
		return false
	}
	a.conns[conn] = struct{}{}
	return true
}

func (a *acceptor) drop(conn net.Conn) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.conns, conn)
}

// close ends the listener and its connections, without waiting. A second call does nothing.
func (a *acceptor) close() error {
	a.mu.Lock()
	conns := a.conns
	a.conns = nil // from here on hold refuses: no connection escapes the loop below
	a.mu.Unlock()
	if conns == nil {
		return nil
	}
	close(a.closed) // ends a pause of run; closing the listener ends its Accept
	for conn := range conns {
		_ = conn.Close()
	}
	return a.ln.Close()
}
