package transport

import (
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/transport/bulk"
	"github.com/coherer/coherer/rpcenv/transport/wire"
)

// tcp makes links of TCP connections.
type tcp struct {
	host *Host

	mu        sync.Mutex
	listeners map[rpcenv.Address]*tcpListener
}

func newTCP(h *Host) *tcp { return &tcp{host: h, listeners: map[rpcenv.Address]*tcpListener{}} }

func (t *tcp) dial(to rpcenv.Address, done func(rpcenv.Link, error) rpcenv.Receiver) {
	conn, err := wire.Dial(t.host.ctx, to, t.host.opts.ConnectTimeout)
	switch {
	case t.host.ctx.Err() != nil: // first: otherwise a dial that Close cancelled would look like a fault of the network
		if err == nil {
			_ = conn.Close()
		}
		done(nil, fmt.Errorf("connect to %s: %w", to, ErrHostClosed))
	case err != nil:
		done(nil, err)
	default:
		t.host.link(conn, wire.NewReader(conn), func(l rpcenv.Link) rpcenv.Receiver { return done(l, nil) })
	}
}

// link makes a link of a connection, asks whose for its Receiver, and reads until the end.
func (h *Host) link(conn net.Conn, frames *wire.Reader, whose func(rpcenv.Link) rpcenv.Receiver) {
	frames.Shared = h.large
	l := newTCPLink(h, conn, frames)
	if !h.keepLink(l) {
		// The Host is closed. The link still gets its Receiver, which hears of its end as of any other.
		l.Close()
	}
	defer h.forget(l)
	r := whose(l)
	if r == nil {
		_ = conn.Close()
		return
	}
	l.run(r)
}

func (t *tcp) listen(at rpcenv.Address, accept func(rpcenv.Link) rpcenv.Receiver) (rpcenv.Address, io.Closer, error) {
	ln, bound, err := wire.Listen(t.host.ctx, at)
	if err != nil {
		return rpcenv.Address{}, nil, err
	}
	l := &tcpListener{tcp: t, at: bound, accept: accept}
	l.acceptor = wire.NewAcceptor(ln, l.start)
	task := "listener at " + bound.String()
	if !t.host.keep(l, l.Close) || !t.host.tasks.begin(task) {
		t.host.forget(l)
		return rpcenv.Address{}, nil, errors.Join(fmt.Errorf("listen at %s: %w", at, ErrHostClosed), ln.Close())
	}
	t.mu.Lock()
	t.listeners[bound] = l
	t.mu.Unlock()
	go func() {
		defer t.host.tasks.end(task)
		l.acceptor.Run()
	}()
	return bound, l, nil
}

func (t *tcp) fileServer(at rpcenv.Address) (*bulk.FileServer, error) {
	l := t.listener(at)
	if l == nil {
		return nil, fmt.Errorf("serve files at %s: this host does not listen there", at)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.files == nil {
		l.files = bulk.NewFileServer(at)
	}
	return l.files, nil
}

// listener returns the listener at an address or, since an Env may advertise another host than it is bound to, the only
// one at that port.
func (t *tcp) listener(at rpcenv.Address) *tcpListener {
	t.mu.Lock()
	defer t.mu.Unlock()
	if l := t.listeners[at]; l != nil {
		return l
	}
	var found []*tcpListener
	for bound, l := range t.listeners {
		if bound.Port == at.Port {
			found = append(found, l)
		}
	}
	if len(found) != 1 {
		return nil
	}
	return found[0]
}

// tcpListener accepts connections and separates RPC from downloads of files.
type tcpListener struct {
	tcp      *tcp
	at       rpcenv.Address
	accept   func(rpcenv.Link) rpcenv.Receiver
	acceptor *wire.Acceptor // of the connections that are no links

	mu    sync.Mutex
	files *bulk.FileServer
}

func (l *tcpListener) start(conn net.Conn) {
	task := "connection from " + conn.RemoteAddr().String()
	if !l.tcp.host.tasks.begin(task) {
		l.end(conn)
		return
	}
	go func() {
		defer l.tcp.host.tasks.end(task)
		l.serve(conn)
	}()
}

func (l *tcpListener) end(conn net.Conn) {
	_ = conn.Close()
	l.acceptor.Drop(conn)
}

// serve looks at the first frame's type. A connection that says nothing is no link, and nobody hears of it.
func (l *tcpListener) serve(conn net.Conn) {
	opts := &l.tcp.host.opts
	frames := wire.NewReader(conn)
	_ = conn.SetReadDeadline(time.Now().Add(opts.FirstFrameTimeout))
	head, _ := frames.Peek(wire.LengthSize + 1)
	_ = conn.SetReadDeadline(time.Time{})
	switch {
	case len(head) == 0:
		l.end(conn)
	case len(head) > wire.LengthSize && head[wire.LengthSize] == wire.StreamRequest:
		bulk.ServeFiles(conn, frames, opts.IdleTimeout, l.openFile)
		l.end(conn)
	default:
		// Also with less than a whole head: the link's error then says that the frame was cut short. The connection leaves
		// the acceptor, since the end of a listener ends no link.
		l.acceptor.Drop(conn)
		l.tcp.host.link(conn, frames, l.accept)
	}
}

func (l *tcpListener) openFile(path string) (io.ReadCloser, int64, error) {
	l.mu.Lock()
	files := l.files
	l.mu.Unlock()
	if files == nil {
		return nil, 0, errors.New("no files are served here")
	}
	return files.Open(path)
}

// Close ends the listener and the downloads, but no link. It may be called twice.
func (l *tcpListener) Close() error {
	l.tcp.mu.Lock()
	if l.tcp.listeners[l.at] == l {
		delete(l.tcp.listeners, l.at)
	}
	l.tcp.mu.Unlock()
	l.tcp.host.forget(l)
	return l.acceptor.Close()
}
