package transport

import (
	"fmt"
	"net"
	"syscall"
	"time"

	"github.com/coherer/coherer/rpcenv/transport/wire"
)

// output is what is being written to a connection. One goroutine at a time writes: whoever set busy, with the link's lock held.
type output struct {
	busy  bool
	batch segments
	at    int // the segment that is being written
	off   int // how much of it was written

	raw syscall.RawConn       // nil: the connection has none
	try func(fd uintptr) bool // tryFD, made once
	n   int                   // what try has written
}

func (o *output) init(conn net.Conn) {
	c, ok := conn.(syscall.Conn)
	if !ok {
		return
	}
	if raw, err := c.SyscallConn(); err == nil { // an error means a closed connection, which Write reports
		o.raw, o.try = raw, o.tryFD
	}
}

// rest is the part of the segment that comes next; empty when all is written.
func (o *output) rest() []byte {
	if o.at == len(o.batch) {
		return nil
	}
	return o.batch[o.at][o.off:]
}

// wrote counts n bytes more as written.
func (o *output) wrote(n int) {
	if o.off += n; o.off == len(o.batch[o.at]) {
		o.at, o.off = o.at+1, 0
	}
}

// end frees the batch.
func (o *output) end() {
	o.batch.free()
	o.batch, o.at, o.off = o.batch[:0], 0, 0
}

// tryFD writes what finds room in the connection's buffer. It returns true, so that the runtime does not wait for more room.
func (o *output) tryFD(fd uintptr) bool {
	for b := o.rest(); len(b) > 0; b = o.rest() {
		n, err := wire.WriteFD(fd, b)
		switch {
		case err == syscall.EINTR: //nolint:errorlint // it is an Errno, not wrapped
			continue
		case err != nil || n <= 0: // no room, or an error that the writer will meet too
			return true
		}
		o.n += n
		o.wrote(n)
	}
	return true
}

// takeLocked makes the caller the one that writes, if there is something to write and no other goroutine writes. l.mu is held.
func (l *tcpLink) takeLocked() bool {
	o := &l.out
	if o.busy {
		return false
	}
	if len(o.batch) == 0 {
		o.batch, l.pending = l.pending, o.batch
	}
	o.busy = len(o.batch) > 0
	return o.busy
}

// flush writes what is pending, as much as the connection takes at once; the writer goes on with the rest. The reading goroutine calls it
// after a batch: to wake the writer for an answer costs more than to write it.
func (l *tcpLink) flush() {
	l.mu.Lock()
	l.corked.Store(false) // under the lock: from here on Send wakes the writer
	mine := false
	if len(l.pending) > 0 && l.writeErr == nil {
		if mine = l.out.raw != nil && l.takeLocked(); !mine {
			l.signal()
		}
	}
	l.mu.Unlock()
	if mine {
		l.writeNow()
	}
}

// writeNow writes of the batch that this goroutine has taken what the connection takes at once.
func (l *tcpLink) writeNow() {
	l.out.n = 0
	_ = l.out.raw.Write(l.out.try) // an error is the writer's to meet
	l.queued.Add(-int64(l.out.n))
	l.mu.Lock()
	defer l.mu.Unlock()
	l.releaseLocked()
}

// releaseLocked leaves the rest to the writer. If the writer woke meanwhile it found the output busy: so it is woken again. l.mu is held.
func (l *tcpLink) releaseLocked() {
	o := &l.out
	if len(o.rest()) == 0 {
		o.end()
	}
	o.busy = false
	if len(o.batch) > 0 || len(l.pending) > 0 || l.closing.Load() {
		l.signal()
	}
}

// uncork leaves to the writer what the reading goroutine has not written, and may not write for long.
func (l *tcpLink) uncork() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.corked.Store(false)
	if len(l.pending) > 0 {
		l.signal()
	}
}

// write is the writer's goroutine: it writes what Send queued, each time all of it.
func (l *tcpLink) write() {
	defer close(l.written)
	for {
		l.mu.Lock()
		mine := l.takeLocked()
		// Under the same lock: once closing is set Send adds nothing. So if nobody writes and nothing is pending, all is written.
		last := l.closing.Load() && !mine && !l.out.busy
		l.mu.Unlock()
		switch {
		case mine:
			if !l.writeAll() {
				return // busy stays set, so nobody writes after an error: the stream would have a hole
			}
		case last:
			l.closeWrite()
			return
		default:
			<-l.wake
		}
	}
}

// writeAll writes the batch.
func (l *tcpLink) writeAll() bool {
	o := &l.out
	for b := o.rest(); len(b) > 0; b = o.rest() {
		n, err := l.conn.Write(b)
		l.queued.Add(-int64(n))
		if err != nil {
			l.failed(err)
			o.end()
			return false
		}
		o.wrote(n)
	}
	o.end()
	l.mu.Lock()
	defer l.mu.Unlock()
	o.busy = false
	return true
}

// failed is the end of writing. Nothing goes out any more, and the reader gets a moment for what the peer sent before; it learns by
// itself why the connection ended, in most cases.
func (l *tcpLink) failed(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.writeErr = fmt.Errorf("send to %s: %w", l.remote, wire.ReadError(err))
	l.drop()
	_ = l.conn.SetReadDeadline(time.Now().Add(lingerTime))
}

// drop forgets what is queued. The caller holds l.mu.
func (l *tcpLink) drop() {
	l.pending.free()
	l.pending = nil
	l.queued.Store(0)
}

func (l *tcpLink) closeWrite() {
	if half, ok := l.conn.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite() // fails only on a connection that is gone
	}
}
