package transport

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"time"
)

// bulkPeer is a client's connection to a server of blocks or files. One fetch at a time uses it.
type bulkPeer struct {
	conn   net.Conn
	idle   time.Duration
	frames *frameReader
	heard  bool // some bytes came since the current fetch began
	lastID int64
	out    []byte
}

// Read is that of the connection, with a deadline.
func (p *bulkPeer) Read(b []byte) (int, error) {
	_ = p.conn.SetReadDeadline(time.Now().Add(p.idle))
	n, err := p.conn.Read(b)
	p.heard = p.heard || n > 0
	return n, readError(err)
}

// write writes p.out.
func (p *bulkPeer) write() error {
	_ = p.conn.SetWriteDeadline(time.Now().Add(p.idle))
	_, err := p.conn.Write(p.out)
	return readError(err)
}

var anyFrame = atMost(hardLimit)

// reply reads the length and the type of the next frame.
func (p *bulkPeer) reply() (n int, typ byte, err error) {
	if n, err = p.frames.length(anyFrame); err != nil {
		return 0, 0, gone(err)
	}
	b, err := p.frames.br.Peek(1)
	if err != nil {
		return 0, 0, gone(err)
	}
	// A chunk goes to its sink piece by piece. Every other frame is held in memory as a whole.
	if b[0] != typeChunkFetchSuccess && n > requestLimit {
		return 0, 0, fmt.Errorf("%w: %d bytes, allowed are %d", ErrFrameTooLarge, n, requestLimit)
	}
	return n, b[0], nil
}

// gone is the end of a connection from which an answer is due.
func gone(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%w: the peer closed the connection before it had answered: see whether its process still runs", ErrTruncated)
	}
	return err
}

// scan reads the n bytes of a frame whose type reply has returned.
func (p *bulkPeer) scan(n int) (*scanner, error) {
	frame, err := p.frames.rest(n)
	if err != nil {
		return nil, gone(err)
	}
	return &scanner{rest: frame[1:]}, nil
}

func (p *bulkPeer) fetchBlocks(ids []string, sink func(int, io.Reader, int64) error) error {
	stream, err := p.open(ids)
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
func (p *bulkPeer) open(ids []string) (stream int64, err error) {
	p.lastID++
	body := encodeOpenBlocks(ids)
	// 64 bytes are room for the header. A server closes the connection on a longer frame and gives no reason.
	if len(body) > requestLimit-64 {
		return 0, fmt.Errorf("%w: a request for %d blocks takes %d bytes: ask for fewer at a time", ErrFrameTooLarge, len(ids), len(body))
	}
	p.out = appendRPC(p.out[:0], typeRPCRequest, p.lastID, body)
	if err := p.write(); err != nil {
		return 0, err
	}
	n, typ, err := p.reply()
	if err != nil {
		return 0, err
	}
	s, err := p.scan(n)
	if err != nil {
		return 0, err
	}
	id := s.int64("request id")
	s.int32("body length") // not needed: the body is the rest of the frame
	switch {
	case s.err != nil:
		return 0, s.err
	case typ == typeRPCFailure && id == p.lastID:
		return 0, fmt.Errorf("%w: %s", ErrNotServed, clip(string(s.rest)))
	case typ != typeRPCResponse || id != p.lastID:
		return 0, fmt.Errorf("%w: type %d, request %d, where the answer to request %d is due", ErrMalformedFrame, int8(typ), id, p.lastID)
	}
	stream, chunks, err := decodeStreamHandle(s.rest)
	if err == nil && chunks != len(ids) {
		err = fmt.Errorf("%w: %d chunks for %d blocks", ErrMalformedFrame, chunks, len(ids))
	}
	return stream, err
}

func (p *bulkPeer) receiveChunk(stream int64, i int, sink func(int, io.Reader, int64) error) error {
	n, typ, err := p.reply()
	if err != nil {
		return err
	}
	if typ == typeChunkFetchFailure {
		s, err := p.scan(n)
		if err != nil {
			return err
		}
		s.int64("stream")
		s.int32("chunk")
		reason := s.text("reason")
		if err := s.end(); err != nil {
			return err
		}
		return fmt.Errorf("%w: %s", ErrNotServed, clip(reason))
	}
	if typ != typeChunkFetchSuccess || n < chunkHeader {
		return fmt.Errorf("%w: type %d with %d bytes, where a chunk is due", ErrMalformedFrame, int8(typ), n)
	}
	// Only the header is read here: scan would hold a chunk of up to 2 GiB in memory.
	head, err := p.frames.br.Peek(chunkHeader)
	if err != nil {
		return gone(err)
	}
	gotStream, gotIndex := int64(binary.BigEndian.Uint64(head[1:])), int(int32(binary.BigEndian.Uint32(head[9:])))
	if gotStream != stream || gotIndex != i {
		return fmt.Errorf("%w: chunk %d of stream %d, where chunk %d of %d is due", ErrMalformedFrame, gotIndex, gotStream, i, stream)
	}
	_, _ = p.frames.br.Discard(chunkHeader) // all of it is buffered
	body := &bodyReader{r: p.frames.br, left: int64(n - chunkHeader)}
	if err := sink(i, body, body.left); err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, body) // what sink has left: the next frame begins behind it
	return err
}

func (p *bulkPeer) fetchFile(path string, w io.Writer, limit int64) error {
	p.out = appendStream(p.out[:0], typeStreamRequest, path, nil)
	if err := p.write(); err != nil {
		return err
	}
	n, typ, err := p.reply()
	if err != nil {
		return err
	}
	if typ != typeStreamResponse && typ != typeStreamFailure {
		return fmt.Errorf("%w: type %d, where a file is due", ErrMalformedFrame, int8(typ))
	}
	s, err := p.scan(n)
	if err != nil {
		return err
	}
	s.text("stream id")
	if typ == typeStreamFailure {
		reason := s.text("reason")
		if err := s.end(); err != nil {
			return err
		}
		return fmt.Errorf("%w: %s", ErrNotServed, clip(reason))
	}
	size := s.int64("size")
	switch err := s.end(); {
	case err != nil:
		return err
	case size < 0 || size > limit: // refused before w gets its first byte
		return fmt.Errorf("%w: a file of %d bytes, allowed are %d", ErrFrameTooLarge, size, limit)
	}
	p.frames.settle() // a file's bytes follow the frame and are no part of it
	_, err = io.Copy(&store{w: w, size: size}, &bodyReader{r: p.frames.br, left: size})
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
		err = fmt.Errorf("%w: %d bytes are missing", ErrTruncated, b.left)
	}
	return n, err
}
