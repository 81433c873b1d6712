package bulk

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/transport/wire"
)

const (
	// maxStreams is how many lists of blocks a connection may have open. They stay in memory until they are fetched.
	maxStreams = 64
	// sendStep is how much of a body must go out before a peer counts as idle.
	sendStep = 4 << 20
)

// Serve serves blocks at an address of their own; port 0 is any free one. It returns the address bound and a Closer,
// which ends the server and its connections and waits for both.
func Serve(listen rpcenv.Address, b Source, opts Options) (rpcenv.Address, io.Closer, error) {
	opts.setDefaults()
	ln, bound, err := wire.Listen(context.Background(), listen)
	if err != nil {
		return rpcenv.Address{}, nil, err
	}
	s := &listener{blocks: b, opts: opts}
	s.acceptor = wire.NewAcceptor(ln, s.start)
	s.running.Go(s.acceptor.Run)
	return bound, s, nil
}

type listener struct {
	blocks   Source
	opts     Options
	acceptor *wire.Acceptor
	running  sync.WaitGroup
}

func (s *listener) start(conn net.Conn) {
	s.running.Go(func() {
		c := serverConn{conn: conn, frames: wire.NewReader(conn), idle: s.opts.IdleTimeout, blocks: s.blocks}
		c.serve()
		// Closed before it is dropped: at every moment either this function or the acceptor is going to close it.
		_ = conn.Close()
		s.acceptor.Drop(conn)
	})
}

// Close ends the server and waits for what it runs. It may be called twice.
func (s *listener) Close() error {
	err := s.acceptor.Close() // ends the reads and writes that running waits for
	s.running.Wait()
	return err
}

// OpenFile opens the file of a StreamRequest, such as /jars/x.jar, and returns its size. path is as the peer sent it.
type OpenFile func(path string) (r io.ReadCloser, size int64, err error)

// serverConn answers one connection: requests for blocks, for files, or for both.
type serverConn struct {
	conn   net.Conn
	frames *wire.Reader
	idle   time.Duration
	blocks Source   // nil: it serves no blocks
	files  OpenFile // nil: it serves no files

	streams    map[int64][]Chunk
	lastStream int64
	out        []byte
}

// serve answers until the peer goes, is idle, or breaks the protocol. The caller closes the connection.
func (c *serverConn) serve() {
	limit := wire.AtMost(requestLimit)
	for {
		_ = c.conn.SetReadDeadline(time.Now().Add(c.idle))
		frame, err := c.frames.Next(limit)
		if err != nil {
			return
		}
		s := wire.Scanner{Left: frame}
		switch s.Byte("type") {
		case wire.RPCRequest:
			err = c.openBlocks(&s)
		case wire.ChunkFetchRequest:
			err = c.fetchChunk(&s)
		case wire.StreamRequest:
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

// ServeFiles answers the requests for files on a connection, whose first bytes frames may hold, by open, until the peer goes
// or is idle for so long. The caller closes the connection.
func ServeFiles(conn net.Conn, frames *wire.Reader, idle time.Duration, open OpenFile) {
	(&serverConn{conn: conn, frames: frames, idle: idle, files: open}).serve()
}

// write writes c.out.
func (c *serverConn) write() error {
	_ = c.conn.SetWriteDeadline(time.Now().Add(c.idle))
	_, err := c.conn.Write(c.out)
	return err
}

// openBlocks answers a request for blocks by a stream, which is gone with its last chunk or with the connection.
func (c *serverConn) openBlocks(s *wire.Scanner) error {
	id := s.Int64("request id")
	s.Int32("body length")
	if s.Err != nil {
		return s.Err
	}
	if isGetLocalDirs(s.Left) {
		return c.localDirs(id, s.Left)
	}
	chunks, err := c.chunks(s.Left)
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
	c.out = appendRPC(c.out[:0], wire.RPCResponse, id, encodeStreamHandle(c.lastStream, len(chunks)))
	return c.write()
}

func appendRPCFailure(dst []byte, id int64, reason string) []byte {
	return appendRPC(dst, wire.RPCFailure, id, []byte(reason))
}

func (c *serverConn) chunks(body []byte) ([]Chunk, error) {
	if c.blocks == nil {
		return nil, errors.New("no blocks are served here")
	}
	if len(c.streams) >= maxStreams {
		return nil, fmt.Errorf("%d streams are open on this connection: fetch them first", len(c.streams))
	}
	of, ids, err := decodeOpenBlocks(body)
	if err != nil {
		return nil, err
	}
	var chunks []Chunk
	if all, ok := c.blocks.(OwnedSource); ok {
		chunks, err = all.OpenBlocksOf(of, ids)
	} else {
		chunks, err = c.blocks.OpenBlocks(ids)
	}
	if err == nil && len(chunks) != len(ids) {
		err = fmt.Errorf("%d blocks were asked for, the server has %d chunks", len(ids), len(chunks))
	}
	return chunks, err
}

func (c *serverConn) fetchChunk(s *wire.Scanner) error {
	stream, index := s.Int64("stream"), s.Int32("chunk")
	if err := s.End(); err != nil {
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

func (c *serverConn) failChunk(stream int64, index int, reason string) error {
	c.out = appendChunkFailure(c.out[:0], stream, index, clip(reason))
	return c.write()
}

func (c *serverConn) fetchFile(s *wire.Scanner) error {
	path := s.Text("stream id")
	if err := s.End(); err != nil {
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
	c.out = appendStream(c.out[:0], wire.StreamResponse, path, binary.BigEndian.AppendUint64(nil, uint64(size)))
	return c.writeBody(r, size)
}

func (c *serverConn) failFile(path, reason string) error {
	c.out = appendStream(c.out[:0], wire.StreamFailure, path, wire.AppendText(nil, clip(reason)))
	return c.write()
}

// writeBody writes c.out and then n bytes of r. When r has fewer, the connection has to end: the peer was promised n.
func (c *serverConn) writeBody(r io.Reader, n int64) error {
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
