package costs

import (
	"bytes"
	"encoding/binary"
	"strconv"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/codec"
	"github.com/coherer/coherer/rpcenv/transport"
)

// tapped is a pair of Envs From and To, whose connection goes through a tap, and what a connection sent before its first message.
func tapped(t *testing.T, size int, ask bool) (*pair, *tap) {
	t.Helper()
	to, from := newEnv(t, "To", nil), newEnv(t, "From", nil)
	x := newTap(t, to.Address())
	return newPair(t, from, to, x.address, size, ask), x
}

// lengths are those of frames.
func lengths(frames [][]byte) []int {
	var all []int
	for _, f := range frames {
		all = append(all, len(f))
	}
	return all
}

func TestBytesOnTheWire(t *testing.T) {
	x := table{
		title: "Bytes of an operation on the wire",
		about: "Whole frames, with their lengths. Each operation is one frame in one direction, an ask one in each.",
		head:  sizeNames("frame"),
	}
	tell, question, answer := []string{"remote tell"}, []string{"remote ask: question"}, []string{"remote ask: answer"}
	for _, size := range sizes {
		p, wire := tapped(t, size, false)
		run(t, p.tells, burst)
		wire.seen()
		run(t, p.tells, burst)
		there, back := wire.seen()
		if len(there) != burst || len(credits(t, back)) != len(back) {
			t.Fatalf("%d tells are %d frames there and %d back", burst, len(there), len(back))
		}
		checkFrame(t, there[0], rpcenv.KindOneWay, p)
		tell = append(tell, strconv.Itoa(len(there[0])))

		p, wire = tapped(t, size, true)
		run(t, p.asks, 1)
		wire.seen()
		run(t, p.asks, 1)
		there, back = wire.seen()
		if len(there) != 1 || len(back) != 1 {
			t.Fatalf("an ask is %d frames there and %d back", len(there), len(back))
		}
		checkFrame(t, there[0], rpcenv.KindRequest, p)
		checkFrame(t, back[0], rpcenv.KindResponse, p)
		question, answer = append(question, strconv.Itoa(len(there[0]))), append(answer, strconv.Itoa(len(back[0])))
	}
	x.add(tell...)
	x.add(question...)
	x.add(answer...)
	x.check(t)
}

func run(t *testing.T, f func(n int) error, n int) {
	t.Helper()
	if err := f(n); err != nil {
		t.Fatal(err)
	}
}

// credits are the lengths of those frames that give room back.
func credits(t *testing.T, frames [][]byte) []int {
	t.Helper()
	credit, err := content(&rpc.Credit{})
	if err != nil {
		t.Fatal(err)
	}
	var all []int
	for _, f := range frames {
		if bytes.Contains(f, append([]byte(rpcenv.VerifierName), credit...)) {
			all = append(all, len(f))
		}
	}
	return all
}

// checkFrame wants the frame to be the one that transport's own encoder makes, by which other tables count.
func checkFrame(t *testing.T, frame []byte, kind rpcenv.EnvelopeKind, p *pair) {
	t.Helper()
	c, err := content(p.m)
	if err != nil {
		t.Fatal(err)
	}
	e := &rpcenv.Envelope{Kind: kind, Content: c}
	if kind != rpcenv.KindOneWay {
		e.RequestID = int64(binary.BigEndian.Uint64(frame[9:])) // behind length and type
	}
	if kind != rpcenv.KindResponse {
		// The dialler calls its peer by the name that the peer gives itself, from the Welcome on.
		e.Sender, e.Receiver, e.Endpoint = p.from.Address(), p.sinkAt, "Sink"
	}
	want, err := transport.AppendEnvelope(nil, e)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(frame, want) {
		t.Errorf("kind %d: %d bytes, %.80x\nwant %d bytes, %.80x", kind, len(frame), frame, len(want), want)
	}
}

// content is what a frame carries for a message.
func content(m proto.Message) ([]byte, error) {
	table, err := codec.Load()
	if err != nil {
		return nil, err
	}
	return table.Append(nil, m)
}

func TestBytesOfAConnection(t *testing.T) {
	x := table{
		title: "Bytes of a connection",
		about: "What is sent beside messages: Hello and Welcome at the beginning, by Envs that are named From and To; a Credit each time that\n" +
			"an endpoint has handled half of its window.",
		head: []string{"frame", "bytes"},
	}
	p, wire := tapped(t, 1<<10, false)
	run(t, p.tells, burst)
	there, back := wire.seen()
	if len(there) != 1+burst || len(back) != 1 {
		t.Fatalf("a connection begins with %v there and %v back", lengths(there), lengths(back))
	}
	x.add("Hello", strconv.Itoa(len(there[0])))
	x.add("Welcome", strconv.Itoa(len(back[0])))
	const more = 64 * burst // of these 1,280 bytes count each: more than a window
	run(t, p.tells, more)
	_, back = wire.seen()
	c := credits(t, back)
	if len(c) == 0 || len(c) != len(back) {
		t.Fatalf("%d KiB brought the frames %v", more, lengths(back))
	}
	x.add("Credit", strconv.Itoa(c[0]))
	x.check(t)
}
