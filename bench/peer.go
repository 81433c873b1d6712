package bench

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"runtime"

	"github.com/coherer/coherer/bench/measure"
)

// peer is the machine where [Serve] starts the receiving sides.
type peer struct {
	address string
	welcome
	// far and near are the hosts at which the receiving and the sending sides listen; empty: both machines are one.
	far, near string
}

// askPeer asks the server at an address for its machine and its contenders.
func askPeer(ctx context.Context, address string) (*peer, error) {
	p := &peer{address: address}
	conn, _, err := p.dial(ctx, "")
	if err != nil {
		return nil, err
	}
	far, near := hostOf(conn.RemoteAddr()), hostOf(conn.LocalAddr())
	if far != measure.Loopback {
		p.far, p.near = far, near
	}
	return p, conn.Close()
}

func hostOf(a net.Addr) string { return a.(*net.TCPAddr).IP.String() }

// dial makes a connection for one contender. What comes after the welcome is to be read from in.
func (p *peer) dial(ctx context.Context, contender string) (conn net.Conn, in *bufio.Reader, err error) {
	if conn, err = new(net.Dialer).DialContext(ctx, "tcp", p.address); err != nil {
		return nil, nil, fmt.Errorf("connect: %w: does coherer bench serve listen there?", err)
	}
	// A read waits for a deadline alone: the end of ctx moves that to now.
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	in = bufio.NewReader(conn)
	p.welcome = welcome{}
	err = writeLine(conn, greeting{Format, contender, runtime.GOMAXPROCS(0)})
	if err == nil {
		err = readLine(conn, in, maxGreeting, &p.welcome)
	}
	if err == nil && p.Error != "" {
		err = errors.New(p.Error)
	}
	if err != nil {
		_ = conn.Close()
		if ctx.Err() != nil {
			return nil, nil, context.Cause(ctx)
		}
		return nil, nil, fmt.Errorf("connect: %s: %w", p.address, err)
	}
	return conn, in, nil
}

// refuses is why the peer cannot have the receiving side of a contender; empty: it can.
func (p *peer) refuses(n measure.Named) string {
	for _, there := range p.Contenders {
		switch {
		case there.Name != n.Name:
		case there.Version != n.Version:
			return fmt.Sprintf("%s has version %s of it, here it is %s", p.address, there.Version, n.Version)
		default:
			return ""
		}
	}
	return p.address + " does not have it"
}

// start starts the receiving side of a contender at the peer.
func (p *peer) start(ctx context.Context, contender, role string) (*child, error) {
	conn, in, err := p.dial(ctx, contender)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", role, err)
	}
	c := newChild(role)
	c.in, c.kill = half{conn}, func() { _ = conn.Close() }
	go c.readFar(conn, in, p.address)
	c, _, err = c.greet(ctx, p.address)
	return c, err
}

// half closes the writing half of a connection: the end of the process's stdin, while its last lines still come.
type half struct{ net.Conn }

func (h half) Close() error { return h.Conn.(*net.TCPConn).CloseWrite() }

// readFar passes on the lines of the far process, and how it ended.
func (c *child) readFar(conn net.Conn, in io.Reader, address string) {
	defer close(c.answers)
	defer conn.Close()
	last := ending{-1, ": the connection to " + address + " ended"}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, measure.MaxLine)
	for lines.Scan() {
		var f farewell
		if json.Unmarshal(lines.Bytes(), &f) == nil && f.Ended != nil {
			last = *f.Ended
			break
		}
		c.answers <- c.parse(lines.Bytes())
	}
	c.ended <- last
}
