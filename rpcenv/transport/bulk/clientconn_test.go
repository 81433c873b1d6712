package bulk

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/coherer/coherer/rpcenv/transport/wire"
	"github.com/coherer/coherer/rpcenv/transport/wire/wiretest"
)

// recorded is a clientConn whose server says answer and goes.
func recorded(answer ...[]byte) (*clientConn, *tape) {
	conn := &tape{in: bytes.NewReader(slices.Concat(answer...))}
	p := &clientConn{conn: conn, idle: time.Second}
	p.frames = wire.NewReader(p)
	return p, conn
}

// skip is a sink that reads nothing.
func skip(int, io.Reader, int64) error { return nil }

// opened is the answer that opens stream 7 with one block.
func opened() []byte { return appendRPC(nil, wire.RPCResponse, 1, encodeStreamHandle(7, 1)) }

const goneAway = "connection ended within a frame: the peer closed the connection before it had answered: see whether its process still runs"

func TestWhatAServerAnswersWronglyIsSaid(t *testing.T) {
	frame := func(hex ...string) []byte {
		return wire.FinishFrame(append(make([]byte, wire.LengthSize), wiretest.Hex(hex...)...), 0)
	}
	chunkFailure := appendChunkFailure(nil, 7, 0, "a reason")
	for _, c := range []struct {
		name   string
		answer [][]byte
		want   string
	}{
		{"nothing", nil, goneAway},
		{"a length alone", [][]byte{opened()[:wire.LengthSize]}, goneAway},
		{"half an answer", [][]byte{opened()[:20]}, goneAway},
		{"too short an answer", [][]byte{frame("04", "0000")}, "malformed frame: request id"},
		{"failure of another request", [][]byte{appendRPCFailure(nil, 2, "x")}, "malformed frame: type 5, request 2, where the answer to request 1 is due"},
		{"failure", [][]byte{appendRPCFailure(nil, 1, "a reason")}, "not served: a reason"},
		{"answer to another request", [][]byte{appendRPC(nil, wire.RPCResponse, 2, encodeStreamHandle(7, 1))}, "malformed frame: type 4, request 2, where the answer to request 1 is due"},
		{"no answer", [][]byte{appendRPC(nil, wire.RPCRequest, 1, encodeStreamHandle(7, 1))}, "malformed frame: type 3, request 1, where the answer to request 1 is due"},
		{"no handle", [][]byte{appendRPC(nil, wire.RPCResponse, 1, nil)}, "malformed frame: stream handle"},
		{"another number of blocks", [][]byte{appendRPC(nil, wire.RPCResponse, 1, encodeStreamHandle(7, 3))}, "malformed frame: 3 chunks for 1 blocks"},

		{"no chunk", [][]byte{opened()}, "block b: " + goneAway},
		{"half a failure", [][]byte{opened(), chunkFailure[:20]}, "block b: " + goneAway},
		{"failure that is too long", [][]byte{opened(), frame("02", "0000000000000007", "00000000", "00000001", "4142")}, "block b: malformed frame: 1 bytes too many"},
		{"failure of the block", [][]byte{opened(), chunkFailure}, "block b: not served: a reason"},
		{"another type", [][]byte{opened(), opened()}, "block b: malformed frame: type 4 with 28 bytes, where a chunk is due"},
		{"too short a chunk", [][]byte{opened(), frame("01", "0000000000000007", "000000")}, "block b: malformed frame: type 1 with 12 bytes, where a chunk is due"},
		{"half the head of a chunk", [][]byte{opened(), appendChunkHead(nil, 7, 0, 5)[:15]}, "block b: " + goneAway},
		{"chunk of another stream", [][]byte{opened(), appendChunkHead(nil, 8, 0, 0)}, "block b: malformed frame: chunk 0 of stream 8, where chunk 0 of 7 is due"},
		{"another chunk", [][]byte{opened(), appendChunkHead(nil, 7, 1, 0)}, "block b: malformed frame: chunk 1 of stream 7, where chunk 0 of 7 is due"},
		{"half a chunk", [][]byte{opened(), appendChunkHead(nil, 7, 0, 5), []byte("ab")}, "block b: connection ended within a frame: 3 bytes are missing"},
		{"a chunk", [][]byte{opened(), appendChunkHead(nil, 7, 0, 5), []byte("abcde")}, ""},
		{"an empty chunk", [][]byte{opened(), appendChunkHead(nil, 7, 0, 0)}, ""},
	} {
		p, _ := recorded(c.answer...)
		if err := p.fetchBlocks(Owner{}, []string{"b"}, skip); wiretest.Says(err) != c.want {
			t.Errorf("%s: %q\nwant %q", c.name, err, c.want)
		}
	}
	for _, c := range []struct {
		name   string
		answer [][]byte
		want   string
	}{
		{"nothing", nil, goneAway},
		{"another type", [][]byte{opened()}, "malformed frame: type 4, where a file is due"},
		{"half an answer", [][]byte{appendStream(nil, wire.StreamFailure, "/f", nil)[:12]}, goneAway},
		{"failure without a reason", [][]byte{appendStream(nil, wire.StreamFailure, "/f", nil)}, "malformed frame: reason"},
		{"failure", [][]byte{appendStream(nil, wire.StreamFailure, "/f", wire.AppendText(nil, "a reason"))}, "not served: a reason"},
		{"no size", [][]byte{appendStream(nil, wire.StreamResponse, "/f", nil)}, "malformed frame: size"},
		{"more than a size", [][]byte{appendStream(nil, wire.StreamResponse, "/f", make([]byte, 9))}, "malformed frame: 1 bytes too many"},
		{"negative size", [][]byte{appendStream(nil, wire.StreamResponse, "/f", wiretest.Hex("ffffffffffffffff"))}, "frame too large: a file of -1 bytes, allowed are 5"},
		{"too large", [][]byte{appendStream(nil, wire.StreamResponse, "/f", wiretest.Hex("0000000000000006"))}, "frame too large: a file of 6 bytes, allowed are 5"},
		{"half a file", [][]byte{appendStream(nil, wire.StreamResponse, "/f", wiretest.Hex("0000000000000005")), []byte("ab")}, "connection ended within a frame: 3 bytes are missing"},
		{"a file", [][]byte{appendStream(nil, wire.StreamResponse, "/f", wiretest.Hex("0000000000000005")), []byte("abcde")}, ""},
	} {
		p, _ := recorded(c.answer...)
		if err := p.fetchFile("/f", io.Discard, 5); wiretest.Says(err) != c.want {
			t.Errorf("a file, %s: %q\nwant %q", c.name, err, c.want)
		}
	}
}

func TestOnlyAChunkMayBeLongerThanARequest(t *testing.T) {
	head := func(n int, typ byte) []byte {
		return append(wiretest.Hex(fmt.Sprintf("%016x", wire.LengthSize+n)), typ)
	}
	for _, c := range []struct {
		n    int
		typ  byte
		want string
	}{
		{requestLimit, wire.RPCFailure, ""},
		{requestLimit + 1, wire.RPCFailure, "frame too large: 16777217 bytes, allowed are 16777216"},
		{requestLimit + 1, wire.StreamResponse, "frame too large: 16777217 bytes, allowed are 16777216"},
		{requestLimit + 1, wire.ChunkFetchSuccess, ""},
		{wire.MaxFrame, wire.ChunkFetchSuccess, ""},
	} {
		p, _ := recorded(head(c.n, c.typ))
		n, typ, err := p.reply()
		if wiretest.Says(err) != c.want || err == nil && (n != c.n || typ != c.typ) {
			t.Errorf("%d bytes of type %d: %d, %d, %v, want %q", c.n, c.typ, n, typ, err, c.want)
		}
	}
}

func TestARequestForTooManyBlocksIsNotSent(t *testing.T) {
	most := requestLimit - 64 - len(encodeOpenBlocks(Owner{}, []string{""}))
	p, conn := recorded()
	if err := p.fetchBlocks(Owner{}, []string{strings.Repeat("x", most)}, skip); wiretest.Says(err) != goneAway || conn.out.Len() < most {
		t.Errorf("the longest: %v, %d bytes were sent", err, conn.out.Len())
	}
	p, conn = recorded()
	err := p.fetchBlocks(Owner{}, []string{strings.Repeat("x", most+1)}, skip)
	if wiretest.Says(err) != "frame too large: a request for 1 blocks takes 16777153 bytes: ask for fewer at a time" || conn.out.Len() > 0 {
		t.Errorf("one longer: %v, %d bytes were sent", err, conn.out.Len())
	}
}

// torn is a tape whose connection breaks after some writes.
type torn struct {
	*tape
	writes int
}

func (t *torn) Write(b []byte) (int, error) {
	if t.writes--; t.writes < 0 {
		return 0, syscall.EPIPE
	}
	return t.tape.Write(b)
}

func TestAConnectionThatBreaksWhileItIsAskedIsReset(t *testing.T) {
	const broken = "connection reset by peer: broken pipe"
	for _, c := range []struct {
		writes int
		fetch  func(p *clientConn) error
		want   string
	}{
		{0, func(p *clientConn) error { return p.fetchBlocks(Owner{}, []string{"b"}, skip) }, broken},
		{1, func(p *clientConn) error { return p.fetchBlocks(Owner{}, []string{"b"}, skip) }, "block b: " + broken},
		{0, func(p *clientConn) error { return p.fetchFile("/f", io.Discard, 5) }, broken},
	} {
		p, conn := recorded(opened(), appendChunkHead(nil, 7, 0, 0))
		p.conn = &torn{conn, c.writes}
		if err := c.fetch(p); wiretest.Says(err) != c.want || !errors.Is(err, wire.ErrPeerReset) {
			t.Errorf("after %d writes: %v, want %s", c.writes, err, c.want)
		}
	}
}

// Half a window at a time: many small blocks share a write, and there is always something to answer.
func TestChunksAreAskedForHalfAWindowAhead(t *testing.T) {
	const n = 35
	answers := appendRPC(nil, wire.RPCResponse, 1, encodeStreamHandle(7, n))
	ids := make([]string, n)
	for i := range n {
		ids[i] = fmt.Sprint(i)
		answers = appendChunkHead(answers, 7, i, 0)
	}
	p, conn := recorded(answers)
	w := &diary{tape: conn}
	p.conn = w
	err := p.fetchBlocks(Owner{}, ids, func(i int, _ io.Reader, _ int64) error {
		w.took = i + 1
		return nil
	})
	want := []string{"0 taken: 0 to 15", "8 taken: 16 to 23", "16 taken: 24 to 31", "24 taken: 32 to 34"}
	if err != nil || !slices.Equal(w.lines[1:], want) {
		t.Errorf("%v, the requests after that for the stream are\n%s\nwant\n%s", err, strings.Join(w.lines[1:], "\n"), strings.Join(want, "\n"))
	}
}

// diary is a tape that notes which chunks each write asks for.
type diary struct {
	*tape
	took  int
	lines []string
}

func (d *diary) Write(b []byte) (int, error) {
	asked := []int{}
	frames := wire.NewReader(bytes.NewReader(b))
	for {
		frame, err := frames.Next(anyFrame)
		if err != nil {
			break
		}
		s := wire.Scanner{Left: frame[1+8:]}
		asked = append(asked, s.Int32("chunk"))
	}
	line := fmt.Sprintf("%d taken: %v", d.took, asked)
	if len(asked) > 0 {
		line = fmt.Sprintf("%d taken: %d to %d", d.took, asked[0], asked[len(asked)-1])
	}
	d.lines = append(d.lines, line)
	return d.tape.Write(b)
}
