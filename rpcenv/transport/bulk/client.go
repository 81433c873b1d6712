package bulk

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/transport/wire"
)

var (
	// ErrNotServed says that a peer answered that it has no such block or file; its reason is in the text.
	ErrNotServed = errors.New("not served")
	// ErrNotStored says that what was fetched could not be written where it should go, for example on a full disk.
	ErrNotStored = errors.New("cannot be stored here")
)

// defaultTimeout2 is spark.network.timeout.
const defaultTimeout = 120 * time.Second

// Options say how blocks and files are served and fetched. The zero value is Spark's defaults.
type Options struct {
	// ConnectTimeout bounds a dial; spark.shuffle.io.connectionTimeout. 0 means 120 s.
	ConnectTimeout time.Duration
	// IdleTimeout ends a connection on which nothing moves; spark.network.timeout. 0 means 120 s.
	IdleTimeout time.Duration
	// Of is whose blocks a Client asks for. Servers with the blocks of one executor ignore it.
	Of Owner
	// MaxFile bounds a file that is fetched, in bytes. 0 means 1 TiB.
	MaxFile int64
}

func (o *Options) setDefaults() {
	if o.ConnectTimeout <= 0 {
		o.ConnectTimeout = defaultTimeout
	}
	if o.IdleTimeout <= 0 {
		o.IdleTimeout = defaultTimeout
	}
	if o.MaxFile <= 0 {
		o.MaxFile = 1 << 40
	}
}

// Client fetches blocks and files. It keeps connections and uses them again. Its methods may be called from any
// goroutine.
type Client struct {
	opts Options

	mu   sync.Mutex
	idle map[rpcenv.Address][]*clientConn
	all  map[*clientConn]struct{} // nil once closed
}

// NewClient returns a client; its owner closes it.
func NewClient(opts Options) *Client {
	opts.setDefaults()
	return &Client{opts: opts, idle: map[rpcenv.Address][]*clientConn{}, all: map[*clientConn]struct{}{}}
}

// Close closes all connections; what is being fetched fails. It may be called twice.
func (c *Client) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for p := range c.all {
		_ = p.conn.Close()
	}
	c.all, c.idle = nil, nil
	return nil
}

// FetchBlocks fetches blocks that [Serve] serves at an address, and calls sink for each one in the order of ids, with
// its number, content and size. What sink leaves unread is skipped. The first block that fails, or error of sink, ends
// it; the blocks before were given to sink.
func (c *Client) FetchBlocks(ctx context.Context, at rpcenv.Address, ids []string, sink func(i int, r io.Reader, n int64) error) error {
	if len(ids) == 0 {
		return nil
	}
	err := c.do(ctx, at, func(p *clientConn) error { return p.fetchBlocks(c.opts.Of, ids, sink) })
	if err != nil {
		return fmt.Errorf("fetch %d blocks from %s: %w", len(ids), at, err)
	}
	return nil
}

// FetchFile fetches what the FileServer of an Env serves under a URI, such as spark://HOST:PORT/files/NAME, and writes it
// to w. Its error is rpcenv.ErrInvalidURL; ErrNotServed when the peer refuses, with the reason; wire.ErrFrameTooLarge beyond
// MaxFile; ErrNotStored when w fails; else what happened to the connection. After an error w may have got a part of it. It
// mirrors RpcEnv.openChannel.
func (c *Client) FetchFile(ctx context.Context, uri string, w io.Writer) error {
	at, path, err := rpcenv.ParseFileURI(uri)
	if err != nil {
		return fmt.Errorf("fetch: %w", err)
	}
	if err := c.fetchPath(ctx, at, path, w); err != nil {
		return fmt.Errorf("fetch %s: %w", uri, err)
	}
	return nil
}

func (c *Client) fetchPath(ctx context.Context, at rpcenv.Address, path string, w io.Writer) error {
	return c.do(ctx, at, func(p *clientConn) error { return p.fetchFile(path, w, c.opts.MaxFile) })
}

// do calls f with a connection, kept for the next one if all went well. A connection that was idle may have been closed
// by the peer meanwhile: if nothing came on it, f is called again with another one.
func (c *Client) do(ctx context.Context, at rpcenv.Address, f func(*clientConn) error) error {
	for {
		p, err := c.take(at)
		if p == nil && err == nil {
			p, err = c.dial(ctx, at)
		}
		if err != nil {
			return err
		}
		used := p.heard // only a connection that served an earlier call has heard anything yet
		p.heard = false
		// Reads and writes know no context: closing the connection ends them.
		stop := context.AfterFunc(ctx, func() { _ = p.conn.Close() })
		err = f(p)
		// When stop comes too late, the connection is closed or about to be. It must not go back to the idle ones.
		if stop() && err == nil {
			c.give(at, p)
			return nil
		}
		c.end(p)
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return fmt.Errorf("%w: %w", ctx.Err(), err)
		case !used || p.heard:
			// Either the connection was new, and another one would fare no better, or the answer had begun: a second
			// attempt would give sink the same blocks again.
			return err
		}
	}
}

// take returns an idle connection, or nil.
func (c *Client) take(at rpcenv.Address) (*clientConn, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.all == nil {
		return nil, wire.ErrClosed
	}
	peers := c.idle[at]
	if len(peers) == 0 {
		return nil, nil
	}
	p := peers[len(peers)-1]
	c.idle[at] = peers[:len(peers)-1]
	return p, nil
}

func (c *Client) dial(ctx context.Context, at rpcenv.Address) (*clientConn, error) {
	conn, err := wire.Dial(ctx, at, c.opts.ConnectTimeout)
	if err != nil {
		return nil, err
	}
	p := &clientConn{conn: conn, idle: c.opts.IdleTimeout}
	p.frames = wire.NewReader(p)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.all == nil { // Close ran during the dial, and has not seen this connection
		_ = conn.Close()
		return nil, wire.ErrClosed
	}
	c.all[p] = struct{}{}
	return p, nil
}

func (c *Client) give(at rpcenv.Address, p *clientConn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.all != nil {
		c.idle[at] = append(c.idle[at], p)
	}
}

func (c *Client) end(p *clientConn) {
	_ = p.conn.Close()
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.all, p)
}
