package costs

import (
	"bufio"
	"encoding/json"
	"os"
	"strconv"
	"testing"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	_ "github.com/coherer/coherer/messages/app"
	_ "github.com/coherer/coherer/messages/deploy"
	_ "github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/transport"
)

// example is a message of a real run, from the trace of `coherer run pi` or `coherer run --yarn pi`.
type example struct {
	What    string `json:"what"`
	Message string `json:"message"`
	Kind    string `json:"kind"` // send, ask or reply
	// From is empty for a process that does not listen, and To for the peer of such a process.
	From, To string
	Endpoint string          `json:"endpoint"`
	Body     json.RawMessage `json:"body"`
}

func TestBytesOfTheProtocol(t *testing.T) {
	x := table{
		title: "Bytes of the protocol's own messages",
		about: "Messages of runs of `pi`, as testdata/messages.jsonl has them: one Worker or node of three, an application of two executors.",
		head:  []string{"message", "encoded", "frame"},
	}
	file, err := os.Open("testdata/messages.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		var e example
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			t.Fatal(err)
		}
		m, frame := e.frame(t)
		x.add(e.Message+": "+e.What, strconv.Itoa(proto.Size(m)), strconv.Itoa(frame))
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	x.check(t)
}

// frame returns the message and the length of its frame.
func (e *example) frame(t *testing.T) (proto.Message, int) {
	t.Helper()
	typ, err := protoregistry.GlobalTypes.FindMessageByName(protoreflect.FullName(e.Message))
	if err != nil {
		t.Fatal(err)
	}
	m := typ.New().Interface()
	if err := protojson.Unmarshal(e.Body, m); err != nil {
		t.Fatalf("%s: %v", e.What, err)
	}
	c, err := content(m)
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]rpcenv.EnvelopeKind{"send": rpcenv.KindOneWay, "ask": rpcenv.KindRequest, "reply": rpcenv.KindResponse}
	envelope := &rpcenv.Envelope{Kind: kinds[e.Kind], RequestID: 1, Endpoint: e.Endpoint, Sender: address(t, e.From), Receiver: address(t, e.To), Content: c}
	f, err := transport.AppendEnvelope(nil, envelope)
	if err != nil {
		t.Fatalf("%s: %v", e.What, err)
	}
	return m, len(f)
}

func address(t *testing.T, s string) rpcenv.Address {
	t.Helper()
	if s == "" {
		return rpcenv.Address{}
	}
	a, err := rpcenv.ParseAddress(s)
	if err != nil {
		t.Fatal(err)
	}
	return a
}
