package trace

import (
	"strconv"
	"strings"
	"time"
)

// Format names the form of a JSONL trace, in its first line.
const Format = "coherer-trace/1"

// Trace is what happened in a run: in order of time, and where the clocks of processes tie or contradict, in order of cause.
type Trace struct {
	// Source says where it was recorded: "run", "sim" or "tap". Merge leaves it to the caller, as Compat and Seed.
	Source string
	Compat string
	Seed   uint64
	// Program is what ran, an application or a script, and Version the version of the program that recorded it; both are
	// empty when the caller does not say. A simulation leaves Version out: its trace is the same from every build.
	Program, Version string
	// Start is the moment from which the times of the entries count: that of the first record.
	Start   time.Time
	Entries []Entry
}

// Kinds of entries.
const (
	KindMsg   = "msg"
	KindItem  = "item"
	KindConn  = "conn"
	KindState = "state"
	KindDrop  = "drop"
)

// Forms of a message.
const (
	FormSend  = "send"
	FormAsk   = "ask"
	FormReply = "reply"
	FormFail  = "fail"
)

// Unknown is the name of a peer that no record names.
const Unknown = "?"

// Entry is one thing that happened. K says what; which fields it has is said at them. Times are nanoseconds from the
// start of the trace.
type Entry struct {
	// K is one of KindMsg, KindItem, KindConn, KindState and KindDrop.
	K string
	// ID names a message (CONN.DIR.N, or PEER.N within a process), an item (PEER.N) and a connection (CONN).
	ID string
	// Cause is the ID of the entry in whose handling this one was made; empty when nothing caused it.
	Cause string
	// From and To are PEER/ENDPOINT of a message and of a drop; of a connection and of an item about one, To is the peer at
	// the other end. The endpoint is missing where no record names it.
	From, To string
	// At is PEER/ENDPOINT where an item was handled or a state changed, and the PEER that recorded a connection.
	At string
	// Name is an item's ("OnStart", "timer SendHeartbeat"), the kind of a state, what became of a connection.
	Name string
	// Type is the short name of a message. Replies and failures carry that of the question.
	Type string
	// Message is the full protobuf name of what Body holds: of a reply, the reply's own. Messages that stay within
	// one process have their Go type here and no Body.
	Message string
	// Form is one of FormSend, FormAsk, FormReply and FormFail.
	Form string
	// Bytes is the size of the encoded message.
	Bytes uint64
	// Sent is when a message left its sender, an item came into its inbox, and when anything else happened.
	Sent int64
	// Handled says that a message arrived and was handled: Recv, Start and End say when. An item has Start and End.
	Handled          bool
	Recv, Start, End int64
	// Outcome is empty when handling went well, record.OutcomeDeferred when an ask was kept to be answered later, else the
	// error's text.
	Outcome string
	// Subject is whose state changed, Was and Is are the states.
	Subject, Was, Is string
	// Address is where a connection led.
	Address string
	// Why is the reason of a state, a drop, the end of a connection.
	Why string
	// Body is the decoded message as a canonical JSON object: see BodyJSON. Cut says that its end is missing.
	Body string
	Cut  bool
}

// Peer is the part of PEER/ENDPOINT before the slash.
func Peer(place string) string {
	peer, _, _ := strings.Cut(place, "/")
	return peer
}

// EndpointOf is the part of PEER/ENDPOINT behind the slash; empty for a mere PEER.
func EndpointOf(place string) string {
	_, name, _ := strings.Cut(place, "/")
	return name
}

// Place is PEER/ENDPOINT.
func Place(peer, endpoint string) string {
	if endpoint == "" {
		return peer
	}
	return peer + "/" + endpoint
}

// ShortName is the name of a message without its package: of a protobuf name or of a Go type.
func ShortName(typ string) string {
	if i := strings.LastIndexByte(typ, '.'); i >= 0 {
		typ = typ[i+1:]
	}
	return strings.TrimLeft(typ, "*")
}

// IsAnswer reports whether e is a reply or a failure.
func (e *Entry) IsAnswer() bool { return e.Form == FormReply || e.Form == FormFail }

// Role is what numbered peers have in common: Worker1 and Worker2 are Worker, Exec2.0 is Exec, Driver2 is Driver.
func Role(peer string) string {
	peer, _, _ = strings.Cut(peer, "#") // Worker1#2 is the successor of Worker1: see Merge
	if role := strings.TrimRight(peer, "0123456789."); role != "" {
		return role
	}
	return peer
}

// Ordinal is the number at the end of an ID; 0 when it has none.
func Ordinal(id string) int {
	n, err := strconv.Atoi(id[strings.LastIndexByte(id, '.')+1:])
	if err != nil {
		return 0
	}
	return n
}
