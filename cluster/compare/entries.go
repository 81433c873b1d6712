package compare

import (
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	"github.com/coherer/coherer/messages/option"
	"github.com/coherer/coherer/rpcenv/trace"
	"github.com/coherer/coherer/rpcenv/trace/show"
)

// FromEntries puts a trace of ours in the form in which it is compared. Messages within one process are left out: the
// recordings of Spark were made between processes. Names are those of Spark's classes where the protocol's option has them.
func FromEntries(entries []trace.Entry) *Sequence {
	s := &Sequence{}
	asked := map[string]asking{}
	for i := range entries {
		e := &entries[i]
		conn, _, remote := strings.Cut(e.ID, ".")
		if e.K != trace.KindMsg || !remote || trace.Peer(e.From) == trace.Peer(e.To) {
			continue
		}
		if e.IsAnswer() { // no message of its own: only its type is compared, with its question
			if q, ok := asked[e.Cause]; ok {
				q.on.answer(q.m, sparkClass(e.Message, "Failure"))
			}
			continue
		}
		m := Message{
			From: role(trace.Peer(e.From)), To: role(trace.Peer(e.To)), Endpoint: trace.EndpointOf(e.To),
			Name: sparkClass(e.Message, e.Type), Ask: e.Form == trace.FormAsk,
		}
		if detail := show.Detail(e); detail != "" {
			m.Name += "(" + detail + ")"
		}
		on := s.add(conn, m)
		if m.Ask {
			asked[e.ID] = asking{on, m}
		}
	}
	return s
}

// sparkClass is the short name of Spark's class for one of our messages.
func sparkClass(message, otherwise string) string {
	mt, err := protoregistry.GlobalTypes.FindMessageByName(protoreflect.FullName(message))
	if err != nil {
		return otherwise
	}
	p, _ := proto.GetExtension(mt.Descriptor().Options(), option.E_Protocol).(*option.Protocol)
	switch name := trace.ShortName(p.GetSpark()); name {
	case "":
		return trace.ShortName(message)
	case "Boolean":
		return "Bool"
	case "RpcFailure":
		return "Failure"
	default:
		return name
	}
}
