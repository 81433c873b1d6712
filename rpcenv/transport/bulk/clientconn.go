package bulk

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/coherer/coherer/rpcenv/transport/wire"
)

// clientConn is a client's connection to a server of blocks or files. One fetch at a time uses it.
type clientConn struct {
	conn   net.Conn
	idle   time.Duration
	frames *wire.Reader
	heard  bool // some bytes came since the current fetch began
	lastID int64
	out    []byte
}

// Read is that of the connection, with a deadline.
func (p *clientConn) Read(b []byte) (int, error) {
	_ = p.conn.SetReadDeadline(time.Now().Add(p.idle))
	n, err := p.conn.Read(b)
	p.heard = p.heard || n > 0
	return n, wire.ReadError(err)
}

// write writes p.out.
func (p *clientConn) write() error {
	_ = p.conn.SetWriteDeadline(time.Now().Add(p.idle))
	_, err := p.conn.Write(p.out)
	return wire.ReadError(err)
}

var anyFrame = wire.AtMost(wire.MaxFrame)

// reply reads the length and the type of the next frame.
func (p *clientConn) reply() (n int, typ byte, err error) {
	if n, err = p.frames.Length(anyFrame); err != nil {
		return 0, 0, gone(err)
	}
	b, err := p.frames.Peek(1)
	if err != nil {
		return 0, 0, gone(err)
	}
	// A chunk goes to its sink piece by piece. Every other frame is held in memory as a whole.
	if b[0] != wire.ChunkFetchSuccess && n > requestLimit {
		return 0, 0, fmt.Errorf("%w: %d bytes, allowed are %d", wire.ErrFrameTooLarge, n, requestLimit)
	}
	return n, b[0], nil
}

// gone is the end of a connection from which an answer is due.
func gone(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%w: the peer closed the connection before it had answered: see whether its process still runs", wire.ErrTruncated)
	}
	return err
}

// scan reads the n bytes of a frame whose type reply has returned.
func (p *clientConn) scan(n int) (*wire.Scanner, error) {
	frame, err := p.frames.Rest(n)
	if err != nil {
		return nil, gone(err)
	}
	return &wire.Scanner{Left: frame[1:]}, nil
}

func (p *clientConn) fetchBlocks(of Owner, ids []string, sink func(int, io.Reader, int64) error) error {
	stream, err := p.open(of, ids)
	if err != nil {
		return err
	}
	asked := 0
	for i, id := range ids {
		// Half a window at a time: many small blocks share a write, and the server always has requests to work on.
		if asked-i <= fetchWindow/2 && asked < len(ids) {
			p.out = p.out[:0]
			for ; asked < min(i+fetchWindow, len(ids)); asked++ {
				p.out = appendChunkRequest(p.out, stream, asked)
			}
			if err := p.write(); err != nil {
				return fmt.Errorf("block %s: %w", id, err)
			}
		}
		if err := p.receiveChunk(stream, i, sink); err != nil {
			return fmt.Errorf("block %s: %w", id, err)
		}
	}
	return nil
}

// open asks for a stream of blocks.
func (p *clientConn) open(of Owner, ids []string) (stream int64, err error) {
	body := encodeOpenBlocks(of, ids)
	// 64 bytes are room for the header. A server closes the connection on a longer frame and gives no reason.
	if len(body) > requestLimit-64 {
		return 0, fmt.Errorf("%w: a request for %d blocks takes %d bytes: ask for fewer at a time", wire.ErrFrameTooLarge, len(ids), len(body))
	}
	answer, err := p.rpc(body)
	if err != nil {
		return 0, err
	}
	stream, chunks, err := decodeStreamHandle(answer)
	if err == nil && chunks != len(ids) {
		err = fmt.Errorf("%w: %d chunks for %d blocks", wire.ErrMalformedFrame, chunks, len(ids))
	}
	return stream, err
}

// rpc asks, and returns the body of the answer, which is good until the next frame is read.
func (p *clientConn) rpc(body []byte) ([]byte, error) {
	p.lastID++
	p.out = appendRPC(p.out[:0], wire.RPCRequest, p.lastID, body)
	if err := p.write(); err != nil {
		return nil, err
	}
	n, typ, err := p.reply()
	if err != nil {
		return nil, err
	}
	s, err := p.scan(n)
	if err != nil {
		return nil, err
	}
	id := s.Int64("request id")
	s.Int32("body length") // not needed: the body is the rest of the frame
	switch {
	case s.Err != nil:
		return nil, s.Err
	case typ == wire.RPCFailure && id == p.lastID:
		return nil, fmt.Errorf("%w: %s", ErrNotServed, clip(string(s.Left)))
	case typ != wire.RPCResponse || id != p.lastID:
		return nil, fmt.Errorf("%w: type %d, request %d, where the answer to request %d is due", wire.ErrMalformedFrame, int8(typ), id, p.lastID)
	}
	return s.Left, nil
}

func (p *clientConn) receiveChunk(stream int64, i int, sink func(int, io.Reader, int64) error) error {
	n, typ, err := p.reply()
	if err != nil {
		return err
	}
	if typ == wire.ChunkFetchFailure {
		s, err := p.scan(n)
		if err != nil {
			return err
		}
		s.Int64("stream")
		s.Int32("chunk")
		reason := s.Text("reason")
		if err := s.End(); err != nil {
			return err
		}
		return fmt.Errorf("%w: %s", ErrNotServed, clip(reason))
	}
	if typ != wire.ChunkFetchSuccess || n < chunkHeader {
		return fmt.Errorf("%w: type %d with %d bytes, where a chunk is due", wire.ErrMalformedFrame, int8(typ), n)
	}
	// Only the header is read here: scan would hold a chunk of up to 2 GiB in memory.
	head, err := p.frames.Peek(chunkHeader)
	if err != nil {
		return gone(err)
	}
	gotStream, gotIndex := int64(binary.BigEndian.Uint64(head[1:])), int(int32(binary.BigEndian.Uint32(head[9:])))
	if gotStream != stream || gotIndex != i {
		return fmt.Errorf("%w: chunk %d of stream %d, where chunk %d of %d is due", wire.ErrMalformedFrame, gotIndex, gotStream, i, stream)
	}
	p.frames.Discard(chunkHeader) // all of it is buffered
	body := &bodyReader{r: p.frames, left: int64(n - chunkHeader)}
	if err := sink(i, body, body.left); err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, body) // what sink has left: the next frame begins behind it
	return err
}

func (p *clientConn) fetchFile(path string, w io.Writer, limit int64) error {
	p.out = appendStream(p.out[:0], wire.StreamRequest, path, nil)
	if err := p.write(); err != nil {
		return err
	}
	n, typ, err := p.reply()
	if err != nil {
		return err
	}
	if typ != wire.StreamResponse && typ != wire.StreamFailure {
		return fmt.Errorf("%w: type %d, where a file is due", wire.ErrMalformedFrame, int8(typ))
	}
	s, err := p.scan(n)
	if err != nil {
		return err
	}
	s.Text("stream id")
	if typ == wire.StreamFailure {
		reason := s.Text("reason")
		if err := s.End(); err != nil {
			return err
		}
		return fmt.Errorf("%w: %s", ErrNotServed, clip(reason))
	}
	size := s.Int64("size")
	switch err := s.End(); {
	case err != nil:
		return err
	case size < 0 || size > limit: // refused before w gets its first byte
		return fmt.Errorf("%w: a file of %d bytes, allowed are %d", wire.ErrFrameTooLarge, size, limit)
	}
	p.frames.Settle() // a file's bytes follow the frame and are no part of it
	_, err = io.Copy(&store{w: w, size: size}, &bodyReader{r: p.frames, left: size})
	return err
}

// store writes a body of a known size. It marks errors of writing, which io.Copy does not distinguish from those of reading.
type store struct {
	w          io.Writer
	size, done int64
}

func (s *store) Write(p []byte) (int, error) {
	n, err := s.w.Write(p)
	if s.done += int64(n); err != nil {
		err = fmt.Errorf("%w: %d of %d bytes were written: %w", ErrNotStored, s.done, s.size, err)
	}
	return n, err
}

// bodyReader reads a body of a known size. It ends early with ErrTruncated, never with io.EOF.
type bodyReader struct {
	r    io.Reader
	left int64
}

func (b *bodyReader) Read(p []byte) (int, error) {
	if b.left == 0 {
		return 0, io.EOF
	}
	// Never beyond the body: behind it the next frame begins.
	n, err := b.r.Read(p[:min(int64(len(p)), b.left)])
	if b.left -= int64(n); errors.Is(err, io.EOF) {
		err = fmt.Errorf("%w: %d bytes are missing", wire.ErrTruncated, b.left)
	}
	return n, err
}
