package bulk

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/rpcenv/transport/wire"
	"github.com/coherer/coherer/rpcenv/transport/wire/wiretest"
)

// chunksOf is a Source that has these chunks, whatever it is asked for.
type chunksOf []Chunk

func (c chunksOf) OpenBlocks([]string) ([]Chunk, error) { return c, nil }

// aFile is an OpenFile with one file of five bytes, and one of a size that no file has.
func aFile(path string) (io.ReadCloser, int64, error) {
	size := map[string]int64{"/f": 5, "/short": 6, "/negative": -1}[path]
	if size == 0 {
		return nil, 0, errors.New("there is no such file")
	}
	return io.NopCloser(strings.NewReader("hello")), size, nil
}

// answers gives a server's connection these frames, and returns it and what it answered.
func answers(blocks Source, frames ...[]byte) (*serverConn, []byte) {
	conn := &tape{in: bytes.NewReader(slices.Concat(frames...))}
	c := &serverConn{conn: conn, frames: wire.NewReader(conn), idle: time.Second, blocks: blocks, files: aFile}
	c.serve()
	return c, conn.out.Bytes()
}

func openFor(request int64, ids ...string) []byte {
	return appendRPC(nil, wire.RPCRequest, request, encodeOpenBlocks(Owner{}, ids))
}

func handle(request, stream int64, chunks int) []byte {
	return appendRPC(nil, wire.RPCResponse, request, encodeStreamHandle(stream, chunks))
}

func chunk(stream int64, index int, content string) []byte {
	return append(appendChunkHead(nil, stream, index, int64(len(content))), content...)
}

func ask(stream int64, index int) []byte { return appendChunkRequest(nil, stream, index) }

func askFile(path string) []byte { return appendStream(nil, wire.StreamRequest, path, nil) }

const noChunk = "no such chunk: each may be fetched until the last one was"

func TestWhatABulkServerAnswers(t *testing.T) {
	missing := func() (io.ReadCloser, error) { return nil, errors.New("the block is lost") }
	s := shelf{"a": bytesChunk([]byte("A")), "b": bytesChunk([]byte("BB")), "short": {Size: 3, Open: bytesChunk([]byte("SS")).Open}}
	file := append(appendStream(nil, wire.StreamResponse, "/f", wiretest.Hex("0000000000000005")), "hello"...)
	tooLong := func(frame []byte) []byte { return wire.FinishFrame(append(slices.Clone(frame), 0), 0) }
	for _, c := range []struct {
		name   string
		blocks Source
		asked  [][]byte
		want   [][]byte
	}{
		{
			"streams side by side", s,
			[][]byte{openFor(8, "a", "b"), openFor(9, "b"), ask(1, 0), ask(2, 0), ask(1, 0), ask(1, 1)},
			[][]byte{handle(8, 1, 2), handle(9, 2, 1), chunk(1, 0, "A"), chunk(2, 0, "BB"), chunk(1, 0, "A"), chunk(1, 1, "BB")},
		},
		{
			"a stream is gone with its last chunk", s,
			[][]byte{openFor(8, "a", "b"), ask(1, 1), ask(1, 1), ask(1, 0)},
			[][]byte{handle(8, 1, 2), chunk(1, 1, "BB"), appendChunkFailure(nil, 1, 1, noChunk), appendChunkFailure(nil, 1, 0, noChunk)},
		},
		{
			"unknown chunks", s,
			[][]byte{openFor(8, "a", "b"), ask(1, 2), ask(1, -1), ask(2, 0), ask(1, 0)},
			[][]byte{
				handle(8, 1, 2), appendChunkFailure(nil, 1, 2, noChunk), appendChunkFailure(nil, 1, -1, noChunk),
				appendChunkFailure(nil, 2, 0, noChunk), chunk(1, 0, "A"),
			},
		},
		{"no blocks", s, [][]byte{openFor(8), openFor(9, "a")}, [][]byte{handle(8, 1, 0), handle(9, 2, 1)}},
		{
			"another number of chunks",
			chunksOf{s["a"]},
			[][]byte{openFor(8, "a", "b"), openFor(9)},
			[][]byte{
				appendRPCFailure(nil, 8, "2 blocks were asked for, the server has 1 chunks"),
				appendRPCFailure(nil, 9, "0 blocks were asked for, the server has 1 chunks"),
			},
		},
		{
			"no request for blocks", s,
			[][]byte{appendRPC(nil, wire.RPCRequest, 8, []byte("CX")), openFor(9, "a")},
			[][]byte{appendRPCFailure(nil, 8, "malformed frame: not a request for blocks"), handle(9, 1, 1)},
		},
		{
			"sizes",
			chunksOf{{Size: -1}, {Size: maxChunk, Open: missing}, {Size: maxChunk + 1}, {Size: 0, Open: bytesChunk(nil).Open}},
			[][]byte{openFor(8, "", "", "", ""), ask(1, 0), ask(1, 1), ask(1, 2), ask(1, 3)},
			[][]byte{
				handle(8, 1, 4),
				appendChunkFailure(nil, 1, 0, "the block has -1 bytes, a frame holds 2147483633: make more partitions"),
				appendChunkFailure(nil, 1, 1, "the block is lost"),
				appendChunkFailure(nil, 1, 2, "the block has 2147483634 bytes, a frame holds 2147483633: make more partitions"),
				chunk(1, 3, ""),
			},
		},
		{
			"fewer bytes than promised end the connection", s,
			[][]byte{openFor(8, "short", "a"), ask(1, 0), ask(1, 1)},
			[][]byte{handle(8, 1, 2), appendChunkHead(nil, 1, 0, 3), []byte("SS")},
		},
		{
			"files", s,
			[][]byte{askFile("/f"), askFile("/g"), askFile("/negative"), askFile("/f")},
			[][]byte{
				file, appendStream(nil, wire.StreamFailure, "/g", wire.AppendText(nil, "there is no such file")),
				appendStream(nil, wire.StreamFailure, "/negative", wire.AppendText(nil, "the file's size is -1")), file,
			},
		},
		{
			"a file that is shorter than promised ends the connection", s,
			[][]byte{askFile("/short"), askFile("/f")},
			[][]byte{appendStream(nil, wire.StreamResponse, "/short", wiretest.Hex("0000000000000006")), []byte("hello")},
		},
		{"a request without its id", s, [][]byte{wire.FinishFrame(append(make([]byte, wire.LengthSize), wire.RPCRequest, 0), 0), openFor(9, "a")}, nil},
		{"a chunk's request that is too long", s, [][]byte{openFor(8, "a"), tooLong(ask(1, 0)), ask(1, 0)}, [][]byte{handle(8, 1, 1)}},
		{"a file's request that is too long", s, [][]byte{tooLong(askFile("/f")), askFile("/f")}, nil},
		{"what is no request", s, [][]byte{handle(8, 1, 1), openFor(9, "a")}, nil},
	} {
		if _, got := answers(c.blocks, c.asked...); !bytes.Equal(got, slices.Concat(c.want...)) {
			t.Errorf("%s: answers\n%q\nwant\n%q", c.name, got, slices.Concat(c.want...))
		}
	}
}

func TestAConnectionHasSixtyFourStreamsOpen(t *testing.T) {
	s := shelf{"a": bytesChunk([]byte("A"))}
	var asked, want [][]byte
	for i := range int64(64) {
		asked = append(asked, openFor(i), openFor(i, "a")) // the one for nothing does not count
		want = append(want, handle(i, 2*i+1, 0), handle(i, 2*i+2, 1))
	}
	refused := appendRPCFailure(nil, 99, "64 streams are open on this connection: fetch them first")
	asked = append(asked, openFor(99, "a"), ask(2, 0), openFor(100, "a"))
	want = append(want, refused, chunk(2, 0, "A"), handle(100, 129, 1))
	c, got := answers(s, asked...)
	if !bytes.Equal(got, slices.Concat(want...)) {
		t.Errorf("answers\n%q\nwant\n%q", got, slices.Concat(want...))
	}
	if len(c.streams) != 64 {
		t.Errorf("%d streams are open", len(c.streams))
	}
}

// An answer that cannot be written ends the connection: the peer would take the next one for it.
func TestNothingIsAnsweredAfterAnAnswerThatCouldNotBeWritten(t *testing.T) {
	s := shelf{"a": bytesChunk([]byte("A")), "b": bytesChunk([]byte("B"))}
	for name, c := range map[string]struct {
		asked  [][]byte
		writes int
	}{
		"handle":       {[][]byte{openFor(1, "a")}, 0},
		"rpc failure":  {[][]byte{openFor(1, "all is lost")}, 0},
		"chunk":        {[][]byte{openFor(1, "a", "b"), ask(1, 0)}, 1},
		"body":         {[][]byte{openFor(1, "a", "b"), ask(1, 0)}, 2},
		"no chunk":     {[][]byte{ask(1, 0)}, 0},
		"file":         {[][]byte{askFile("/f")}, 0},
		"file content": {[][]byte{askFile("/f")}, 1},
		"no file":      {[][]byte{askFile("/g")}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			conn := &torn{&tape{in: bytes.NewReader(slices.Concat(append(c.asked, askFile("/f"))...))}, c.writes}
			bc := serverConn{conn: conn, frames: wire.NewReader(conn), idle: time.Second, blocks: s, files: aFile}
			bc.serve()
			if conn.writes != -1 {
				t.Errorf("%d writes after the one that failed", -1-conn.writes)
			}
		})
	}
}

func TestTheBodiesOfBulkMessages(t *testing.T) {
	handle := encodeStreamHandle(7, 2)
	for _, c := range []struct {
		body []byte
		want string
	}{
		{handle, "7 2 <nil>"},
		{wiretest.Hex("434803", "ffffffffffffffff", "ffffffff"), "-1 -1 <nil>"},
		{append(slices.Clone(handle), 1, 2), "7 2 malformed frame: 2 bytes too many"},
		{handle[:12], "7 0 malformed frame: number of chunks"},
		{wiretest.Hex("434800", "0000000000000007", "00000002"), "0 0 malformed frame: not a stream handle"},
		{wiretest.Hex("434903", "0000000000000007", "00000002"), "0 0 malformed frame: not a stream handle"},
		{nil, "0 0 malformed frame: stream handle"},
	} {
		stream, chunks, err := decodeStreamHandle(c.body)
		if got := fmt.Sprint(stream, chunks, err); got != c.want {
			t.Errorf("% x: %s, want %s", c.body, got, c.want)
		}
	}
	names := "434800" + "00000000" + "00000000"
	for _, c := range []struct{ body, want string }{
		{names + "00000000", "[] <nil>"},
		{names + "00000001" + "00000000", `[""] <nil>`},
		{names + "00000002" + "0000000161" + "0000000162", `["a" "b"] <nil>`},
		{names + "00000001" + "0000000161" + "62", `["a"] malformed frame: 1 bytes too many`},
		{names + "00000002" + "00000004", `[] malformed frame: 2 blocks in 4 bytes`},
		{names + "ffffffff", `[] malformed frame: -1 blocks in 0 bytes`},
		{names + "7fffffff" + "00000000", `[] malformed frame: 2147483647 blocks in 4 bytes`},
		{names + "00000001" + "0000000261", `[""] malformed frame: block id`},
		{"434803", `[] malformed frame: not a request for blocks`},
	} {
		_, ids, err := decodeOpenBlocks(wiretest.Hex(c.body))
		if got := fmt.Sprintf("%q %v", ids, err); got != c.want {
			t.Errorf("%s: %s, want %s", c.body, got, c.want)
		}
	}
	if got := clip(strings.Repeat("x", 65536)); len(got) != 65535 {
		t.Errorf("a reason of %d bytes", len(got))
	}
}
