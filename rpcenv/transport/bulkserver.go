package transport

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"github.com/coherer/coherer/rpcenv"
)

const (
	// maxStreams is how many lists of blocks a connection may have open. They stay in memory until they are fetched.
	maxStreams = 64
	// sendStep is how much of a body must go out before a peer counts as idle.
	sendStep = 4 << 20
)

// ServeBulk serves blocks at an address of their own; port 0 is any free one. It returns the address bound and a Closer,
// which ends the server and its connections and waits for both.
func ServeBulk(listen rpcenv.Address, b BulkServer, opts BulkOptions) (rpcenv.Address, io.Closer, error) {
	opts.setDefaults()
	ln, err := net.Listen("tcp", join(listen))
	if err != nil {
		return rpcenv.Address{}, nil, listenError(listen, err)
	}
	bound := addressOf(ln.Addr())
	if listen.Host != "" {
		bound.Host = listen.Host
	}
	s := &bulkListener{blocks: b, opts: opts}
	s.acceptor = newAcceptor(ln, s.start)
	s.running.Go(s.acceptor.run)
	return bound, s, nil
}

type bulkListener struct {
	blocks   BulkServer
	opts     BulkOptions
	acceptor *acceptor
	running  sync.WaitGroup
}

func (s *bulkListener) start(conn net.Conn) {
	s.running.Go(func() {
		c := bulkConn{conn: conn, frames: newFrameReader(conn), idle: s.opts.IdleTimeout, blocks: s.blocks}
		c.serve()
		// Closed before it is dropped: at every moment either this function or the acceptor is going to close it.
		_ = conn.Close()
		s.acceptor.drop(conn)
	})
}

// Close ends the server and waits for what it runs. It may be called twice.
func (s *bulkListener) Close() error {
	err := s.acceptor.close() // ends the reads and writes that running waits for
	s.running.Wait()
	return err
}

// bulkConn answers one connection: requests for blocks, for files, or for both.
type bulkConn struct {
	conn   net.Conn
	frames *frameReader
	idle   time.Duration
	blocks BulkServer // nil: it serves no blocks
	files  openFile   // nil: it serves no files

	streams    map[int64][]Chunk
	lastStream int64
	out        []byte
}

// serve answers until the peer goes, is idle, or breaks the protocol. The caller closes the connection.
func (c *bulkConn) serve() {
	limit := atMost(requestLimit)
	for {
		_ = c.conn.SetReadDeadline(time.Now().Add(c.idle))
		frame, err := c.frames.next(limit)
		if err != nil {
			return
		}
		s := scanner{rest: frame}
		switch s.byte("type") {
		case typeRPCRequest:
			err = c.openBlocks(&s)
		case typeChunkFetchRequest:
			err = c.fetchChunk(&s)
		case typeStreamRequest:
			err = c.fetchFile(&s)
		default:
			return // as Spark closes a connection whose frames it cannot decode
		}
		if err != nil {
			// The request was malformed, or its answer was not written whole: the peer would take the next answer for it.
			return
		}
	}
}

// write writes c.out.
func (c *bulkConn) write() error {
	_ = c.conn.SetWriteDeadline(time.Now().Add(c.idle))
	_, err := c.conn.Write(c.out)
	return err
}

// openBlocks answers a request for blocks by a stream, which is gone with its last chunk or with the connection.
func (c *bulkConn) openBlocks(s *scanner) error {
	id := s.int64("request id")
	s.int32("body length")
	if s.err != nil {
		return s.err
	}
	chunks, err := c.chunks(s.rest)
	if err != nil {
		// The request had an id, so it gets an answer, and the connection stays good for the next one.
		c.out = appendRPCFailure(c.out[:0], id, clip(err.Error()))
		return c.write()
	}
	if c.streams == nil {
		c.streams = map[int64][]Chunk{}
	}
	c.lastStream++
	if len(chunks) > 0 { // an empty stream has no last chunk, whose request would remove it
		c.streams[c.lastStream] = chunks
	}
	c.out = appendRPC(c.out[:0], typeRPCResponse, id, encodeStreamHandle(c.lastStream, len(chunks)))
	return c.write()
}

func appendRPCFailure(dst []byte, id int64, reason string) []byte {
	return appendRPC(dst, typeRPCFailure, id, []byte(reason))
}

func (c *bulkConn) chunks(body []byte) ([]Chunk, error) {
	if c.blocks == nil {
		return nil, errors.New("no blocks are served here")
	}
	if len(c.streams) >= maxStreams {
		return nil, fmt.Errorf("%d streams are open on this connection: fetch them first", len(c.streams))
	}
	ids, err := decodeOpenBlocks(body)
	if err != nil {
		return nil, err
	}
	chunks, err := c.blocks.OpenBlocks(ids)
	if err == nil && len(chunks) != len(ids) {
		err = fmt.Errorf("%d blocks were asked for, the server has %d chunks", len(ids), len(chunks))
	}
	return chunks, err
}

func (c *bulkConn) fetchChunk(s *scanner) error {
	stream, index := s.int64("stream"), s.int32("chunk")
	if err := s.end(); err != nil {
		return err
	}
	if c.blocks == nil {
		return c.failChunk(stream, index, "no chunks are served here, only files as streams")
	}
	chunks := c.streams[stream]
	if index < 0 || index >= len(chunks) {
		return c.failChunk(stream, index, "no such chunk: each may be fetched until the last one was")
	}
	chunk := chunks[index]
	if index == len(chunks)-1 {
		delete(c.streams, stream) // also if this chunk fails below: nothing else would remove the stream
	}
	if chunk.Size < 0 || chunk.Size > maxChunk {
		return c.failChunk(stream, index, fmt.Sprintf("the block has %d bytes, a frame holds %d: make more partitions", chunk.Size, maxChunk))
	}
	r, err := chunk.Open()
	if err != nil {
		return c.failChunk(stream, index, err.Error())
	}
	defer func() { _ = r.Close() }()
	c.out = appendChunkHead(c.out[:0], stream, index, chunk.Size)
	return c.writeBody(r, chunk.Size)
}

func (c *bulkConn) failChunk(stream int64, index int, reason string) error {
	c.out = appendChunkFailure(c.out[:0], stream, index, clip(reason))
	return c.write()
}

func (c *bulkConn) fetchFile(s *scanner) error {
	path := s.text("stream id")
	if err := s.end(); err != nil {
		return err
	}
	if c.files == nil {
		return c.failFile(path, "no files are served here")
	}
	r, size, err := c.files(path)
	if err != nil {
		return c.failFile(path, err.Error())
	}
	defer func() { _ = r.Close() }()
	if size < 0 {
		return c.failFile(path, fmt.Sprintf("the file's size is %d", size))
	}
	c.out = appendStream(c.out[:0], typeStreamResponse, path, binary.BigEndian.AppendUint64(nil, uint64(size)))
	return c.writeBody(r, size)
}

func (c *bulkConn) failFile(path, reason string) error {
	c.out = appendStream(c.out[:0], typeStreamFailure, path, appendText(nil, clip(reason)))
	return c.write()
}

// writeBody writes c.out and then n bytes of r. When r has fewer, the connection has to end: the peer was promised n.
func (c *bulkConn) writeBody(r io.Reader, n int64) error {
	if err := c.write(); err != nil {
		return err
	}
	for n > 0 {
		step := min(n, sendStep)
		_ = c.conn.SetWriteDeadline(time.Now().Add(c.idle))
		// From an *os.File to a connection, this is sendfile.
		if _, err := io.CopyN(c.conn, r, step); err != nil {
			return err
		}
		n -= step
	}
	return nil
}
