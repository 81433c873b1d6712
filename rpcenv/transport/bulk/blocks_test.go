package bulk

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/transport/wire"
	"github.com/coherer/coherer/rpcenv/transport/wire/wiretest"
)

// shelf is a Source of the blocks in it.
type shelf map[string]Chunk

func (s shelf) OpenBlocks(ids []string) ([]Chunk, error) {
	if len(ids) > 0 && ids[0] == "all is lost" {
		return nil, errors.New("the disk is gone")
	}
	var out []Chunk
	for _, id := range ids {
		c, ok := s[id]
		if !ok {
			c.Open = func() (io.ReadCloser, error) { return nil, fmt.Errorf("block %s is not here", id) }
		}
		out = append(out, c)
	}
	return out, nil
}

// bytesChunk is a Chunk of b.
func bytesChunk(b []byte) Chunk {
	return Chunk{Size: int64(len(b)), Open: func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(b)), nil
	}}
}

func serve(t testing.TB, s shelf) rpcenv.Address {
	t.Helper()
	at, closer, err := Serve(rpcenv.Address{Host: "127.0.0.1"}, s, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(closer.Close(), closer.Close()); err != nil {
			t.Error(err)
		}
	})
	return at
}

func newClient(t testing.TB, opts Options) *Client {
	c := NewClient(opts)
	t.Cleanup(func() { _ = errors.Join(c.Close(), c.Close()) })
	return c
}

// fetch returns the blocks' contents as strings.
func fetch(t testing.TB, c *Client, at rpcenv.Address, ids ...string) ([]string, error) {
	t.Helper()
	var got []string
	err := c.FetchBlocks(t.Context(), at, ids, func(i int, r io.Reader, n int64) error {
		b, err := io.ReadAll(r)
		if i != len(got) || err == nil && n != int64(len(b)) {
			t.Errorf("block %d of %d bytes, where %d with %d is due", i, n, len(got), len(b))
		}
		got = append(got, string(b))
		return err
	})
	return got, err
}

func TestBlocks(t *testing.T) {
	file := filepath.Join(t.TempDir(), "data")
	big := bytes.Repeat([]byte("0123456789abcdef"), 1<<19) // 8 MiB: two steps of sending
	if err := os.WriteFile(file, big, 0o600); err != nil {
		t.Fatal(err)
	}
	s := shelf{
		"empty": bytesChunk(nil), "small": bytesChunk([]byte("small")),
		"region": FileChunk(file, 3, 10), "big": FileChunk(file, 0, int64(len(big))),
		"gone": FileChunk(file+".gone", 0, 1), "short": FileChunk(file, 0, int64(len(big))+1),
		"huge": {Size: 1 << 31},
	}
	var many, manyContents []string
	for i := range 100 {
		id := fmt.Sprintf("shuffle_0_%d_0", i)
		many, manyContents = append(many, id), append(manyContents, "content of "+id)
		s[id] = bytesChunk([]byte("content of " + id))
	}
	at := serve(t, s)
	c := newClient(t, Options{})
	for _, x := range []struct {
		name string
		ids  []string
		want []string
		err  error
		says []string
	}{
		{"none", nil, nil, nil, nil},
		{"one", []string{"small"}, []string{"small"}, nil, nil},
		{"the same again", []string{"small", "small"}, []string{"small", "small"}, nil, nil},
		{"from memory and file", []string{"region", "empty", "big"}, []string{"3456789abc", "", string(big)}, nil, nil},
		{"many", many, manyContents, nil, nil},
		{"one is missing", []string{"small", "what", "small"}, []string{"small"}, ErrNotServed, []string{"block what", "is not here", at.String()}},
		{"a file is gone", []string{"gone"}, nil, ErrNotServed, []string{"no such file"}},
		{"too big for a frame", []string{"huge"}, nil, ErrNotServed, []string{"make more partitions"}},
		{"all refused", []string{"all is lost"}, nil, ErrNotServed, []string{"the disk is gone"}},
		{"fewer bytes than promised", []string{"short"}, []string{string(big)}, wire.ErrTruncated, []string{"1 bytes are missing"}},
	} {
		t.Run(x.name, func(t *testing.T) {
			got, err := fetch(t, c, at, x.ids...)
			if !errors.Is(err, x.err) || !slices.Equal(got, x.want) {
				t.Fatalf("got %d blocks, %v, want %d, %v", len(got), err, len(x.want), x.err)
			}
			for _, says := range x.says {
				if !strings.Contains(err.Error(), says) {
					t.Errorf("%q does not say %q", err, says)
				}
			}
		})
	}
}

func TestWhatSinkLeavesIsSkipped(t *testing.T) {
	at := serve(t, shelf{"a": bytesChunk(make([]byte, 1<<20)), "b": bytesChunk([]byte("b"))})
	c := newClient(t, Options{})
	for range 2 {
		var last []byte
		err := c.FetchBlocks(t.Context(), at, []string{"a", "b"}, func(i int, r io.Reader, _ int64) (err error) {
			if i == 1 {
				last, err = io.ReadAll(r)
			}
			return err
		})
		if err != nil || string(last) != "b" {
			t.Errorf("got %q, %v", last, err)
		}
	}
	if n := len(c.all); n != 1 {
		t.Errorf("%d connections, want the same one again", n)
	}
	full := errors.New("no room")
	if err := c.FetchBlocks(t.Context(), at, []string{"a", "b"}, func(int, io.Reader, int64) error { return full }); !errors.Is(err, full) {
		t.Errorf("an error of sink became %v", err)
	}
}

func TestConnectionsAreUsedAgainOrReplaced(t *testing.T) {
	s := shelf{"a": bytesChunk([]byte("a"))}
	at, closer, err := Serve(rpcenv.Address{Host: "127.0.0.1"}, s, Options{})
	if err != nil {
		t.Fatal(err)
	}
	c := newClient(t, Options{})
	if _, err := fetch(t, c, at, "a"); err != nil {
		t.Fatal(err)
	}
	if err := closer.Close(); err != nil {
		t.Fatal(err)
	}
	if _, closer, err = Serve(at, s, Options{}); err != nil {
		t.Fatal(err)
	}
	if got, err := fetch(t, c, at, "a"); err != nil || len(got) != 1 {
		t.Errorf("from a server that restarted: %q, %v", got, err)
	}
	if err := closer.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := fetch(t, c, at, "a"); !errors.Is(err, wire.ErrRefused) {
		t.Errorf("from a server that is gone: %v", err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := fetch(t, c, at, "a"); !errors.Is(err, wire.ErrClosed) {
		t.Errorf("by a closed client: %v", err)
	}
}

func TestFetchIsCancelled(t *testing.T) {
	opened := make(chan struct{})
	r, w := io.Pipe()
	defer func() { _ = w.Close() }()
	at := serve(t, shelf{"slow": {Size: 1, Open: func() (io.ReadCloser, error) {
		close(opened)
		return r, nil
	}}})
	c := newClient(t, Options{})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-opened
		cancel()
		_ = w.Close()
	}()
	err := c.FetchBlocks(ctx, at, []string{"slow"}, func(_ int, r io.Reader, _ int64) error {
		_, err := io.ReadAll(r)
		return err
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// liar answers a client's first request with answer, whatever was asked.
func liar(t *testing.T, answer []byte) rpcenv.Address {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		conn, err := ln.Accept()
		if err != nil {
			return
		}
		defer func() { _ = conn.Close() }()
		frames := wire.NewReader(conn)
		if _, err := frames.Next(anyFrame); err == nil {
			_, _ = conn.Write(answer)
			_ = conn.(*net.TCPConn).CloseWrite()
			_, _ = io.Copy(io.Discard, conn)
		}
	}()
	t.Cleanup(func() {
		_ = ln.Close()
		<-done
	})
	return wire.AddressOf(ln.Addr())
}

func TestServersThatLie(t *testing.T) {
	opened := appendRPC(nil, wire.RPCResponse, 1, encodeStreamHandle(7, 1))
	response := appendStream(nil, wire.StreamResponse, "/f", wiretest.Hex("0000000000000005"))
	for _, x := range []struct {
		name   string
		answer []byte
		want   error
	}{
		{"nothing", nil, wire.ErrTruncated},
		{"half a frame", opened[:12], wire.ErrTruncated},
		{"garbage", []byte("HTTP/1.1 400 Bad Request\r\n"), wire.ErrMalformedFrame},
		{"another request", appendRPC(nil, wire.RPCResponse, 2, encodeStreamHandle(7, 1)), wire.ErrMalformedFrame},
		{"too many chunks", appendRPC(nil, wire.RPCResponse, 1, encodeStreamHandle(7, 2)), wire.ErrMalformedFrame},
		{"no stream handle", appendRPC(nil, wire.RPCResponse, 1, []byte("CH")), wire.ErrMalformedFrame},
		{"chunk of another stream", append(slices.Clone(opened), appendChunkHead(nil, 8, 0, 0)...), wire.ErrMalformedFrame},
		{"another chunk", append(slices.Clone(opened), appendChunkHead(nil, 7, 1, 0)...), wire.ErrMalformedFrame},
		{"another type", append(slices.Clone(opened), opened...), wire.ErrMalformedFrame},
		{"half a chunk", append(slices.Clone(opened), appendChunkHead(nil, 7, 0, 1)...), wire.ErrTruncated},
		{"a big failure", wiretest.Hex("0000000040000000", "05"), wire.ErrFrameTooLarge},
		{"bad failure", append(slices.Clone(opened), wiretest.Hex("0000000000000019", "02", "0000000000000007", "00000000", "00000009")...), wire.ErrMalformedFrame},
	} {
		t.Run(x.name, func(t *testing.T) {
			at := liar(t, x.answer)
			_, err := fetch(t, newClient(t, Options{}), at, "block")
			if !errors.Is(err, x.want) || !strings.Contains(err.Error(), at.String()) {
				t.Errorf("got %v, want %v", err, x.want)
			}
		})
	}
	for _, x := range []struct {
		name   string
		answer []byte
		want   error
	}{
		{"another type", opened, wire.ErrMalformedFrame},
		{"negative size", appendStream(nil, wire.StreamResponse, "/f", wiretest.Hex("ffffffffffffffff")), wire.ErrFrameTooLarge},
		{"half a file", append(slices.Clone(response), "abc"...), wire.ErrTruncated},
		{"no reason", appendStream(nil, wire.StreamFailure, "/f", nil), wire.ErrMalformedFrame},
	} {
		t.Run("file/"+x.name, func(t *testing.T) {
			err := newClient(t, Options{}).FetchFile(t.Context(), liar(t, x.answer).SparkURL()+"/f", io.Discard)
			if !errors.Is(err, x.want) {
				t.Errorf("got %v, want %v", err, x.want)
			}
		})
	}
}

func TestClientEndsWithASilentServer(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = ln.Close() }()
	_, err = fetch(t, newClient(t, Options{IdleTimeout: time.Millisecond}), wire.AddressOf(ln.Addr()), "a")
	if !errors.Is(err, wire.ErrIdle) {
		t.Errorf("got %v", err)
	}
}

func TestBulkFramesOfRealSpark(t *testing.T) {
	frames := wiretest.Frames(t, "frames")
	// Our body is that of Spark behind two bytes.
	request := frames["RpcRequest-0"]
	body := append([]byte(bulkMagic), request[wire.LengthSize+1+8+4:]...)
	if _, ids, err := decodeOpenBlocks(withoutNames(body)); err != nil || !slices.Equal(ids, []string{"broadcast_0_piece0"}) {
		t.Errorf("opens %q, %v", ids, err)
	}
	if got := withoutNames(body); !bytes.Equal(got, encodeOpenBlocks(Owner{}, []string{"broadcast_0_piece0"})) {
		t.Errorf("Spark's request is % x", got)
	}
	answer := frames["RpcResponse"]
	stream, chunks, err := decodeStreamHandle(append([]byte(bulkMagic), answer[wire.LengthSize+1+8+4:]...))
	if err != nil || chunks != 1 {
		t.Errorf("%d chunks, %v", chunks, err)
	}
	if got := appendChunkRequest(nil, stream, 0); !bytes.Equal(got, frames["ChunkFetchRequest"]) {
		t.Errorf("asks for the chunk by % x", got)
	}
	success := frames["ChunkFetchSuccess"]
	size := len(success) - wire.LengthSize - chunkHeader
	if got := appendChunkHead(nil, stream, 0, int64(size)); !bytes.HasPrefix(success, got) {
		t.Errorf("answers % x, Spark % x", got, success[:len(got)])
	}
}

// withoutNames is Spark's OpenBlocks without the names of application and executor.
func withoutNames(body []byte) []byte {
	s := wire.Scanner{Left: body}
	magic(&s, tagOpenBlocks, "request for blocks")
	s.Text("application")
	s.Text("executor")
	return append(append([]byte(bulkMagic), tagOpenBlocks, 0, 0, 0, 0, 0, 0, 0, 0), s.Left...)
}

func FuzzDecodeOpenBlocks(f *testing.F) {
	f.Add(encodeOpenBlocks(Owner{}, []string{"rdd_0_0", "shuffle_1_2_3"}))
	f.Add(wiretest.Hex("434800", "00000000", "00000000", "7fffffff"))
	f.Fuzz(func(t *testing.T, body []byte) {
		of, ids, err := decodeOpenBlocks(body)
		if err != nil {
			if !errors.Is(err, wire.ErrMalformedFrame) {
				t.Fatalf("untyped error %v", err)
			}
			return
		}
		who, again, err := decodeOpenBlocks(encodeOpenBlocks(of, ids))
		if err != nil || who != of || !reflect.DeepEqual(ids, again) {
			t.Fatalf("%q became %q, %v", ids, again, err)
		}
	})
}

// FuzzBulkServer gives a server's connection any bytes: it must end, and answer nothing but frames.
func FuzzBulkServer(f *testing.F) {
	open := appendRPC(nil, wire.RPCRequest, 1, encodeOpenBlocks(Owner{}, []string{"a", "b"}))
	f.Add(open)
	f.Add(append(slices.Clone(open), appendChunkRequest(nil, 1, 0)...))
	f.Add(append(slices.Clone(open), appendChunkRequest(nil, 1, -1)...))
	f.Add(appendStream(nil, wire.StreamRequest, "/jars/x", nil))
	f.Fuzz(func(t *testing.T, says []byte) {
		conn := &tape{in: bytes.NewReader(says)}
		c := serverConn{conn: conn, frames: wire.NewReader(conn), idle: time.Second, blocks: shelf{"a": bytesChunk([]byte("a"))}}
		c.serve()
		answers := wire.NewReader(&conn.out)
		for {
			if _, err := answers.Next(anyFrame); errors.Is(err, io.EOF) {
				return
			} else if err != nil {
				t.Fatal(err)
			}
		}
	})
}

// tape is a connection that was recorded.
type tape struct {
	net.Conn
	in  io.Reader
	out bytes.Buffer
}

func (t *tape) Read(b []byte) (int, error)       { return t.in.Read(b) }
func (t *tape) Write(b []byte) (int, error)      { return t.out.Write(b) }
func (t *tape) SetReadDeadline(time.Time) error  { return nil }
func (t *tape) SetWriteDeadline(time.Time) error { return nil }
