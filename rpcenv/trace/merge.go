package trace

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	"github.com/coherer/coherer/messages/option"
	tracepb "github.com/coherer/coherer/messages/trace"
)

// Merge is that of the zero Family, in which each Env is named by itself.
func Merge(files ...[]*tracepb.Record) *Trace { return Family{}.Merge(files...) }

// Merge joins what several processes recorded, one file each, into one picture. The records of a message's sender and of
// its receiver become one entry. Every Env gets a name of its own, that of the family for its members, W1#2 for the
// successor of another W1. The entries are in order of time; at the same time in the order in which a process recorded
// them. What was caused comes after its cause, also where clocks say otherwise. The order of the files makes no difference
// unless two begin with the same record.
func (f Family) Merge(files ...[]*tracepb.Record) *Trace {
	files = slices.Clone(files)
	slices.SortStableFunc(files, compareFiles)
	m := &merger{names: newNames(f, files), byKey: map[msgKey]int{}, firstCaused: map[msgKey]int{}}
	// Two passes: add counts times from the earliest record of all files, and places an item before what it caused, which
	// was recorded earlier than the item.
	for f, records := range files {
		for pos, r := range records {
			if t := firstTime(r); t != 0 && (m.start == 0 || t < m.start) {
				m.start = t
			}
			m.findCaused(f, pos, r)
		}
	}
	for f, records := range files {
		for pos, r := range records {
			m.add(f, pos, r)
		}
	}
	m.answers() // once all is read: the question of an answer may be in a later file
	slices.SortStableFunc(m.found, func(a, b *found) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.file, b.file), cmp.Compare(a.pos, b.pos))
	})
	t := &Trace{Start: time.Unix(0, int64(m.start)).UTC(), Entries: make([]Entry, 0, len(m.found))}
	for _, e := range m.found {
		t.Entries = append(t.Entries, e.Entry)
	}
	t.Entries = causesFirst(t.Entries)
	return t
}

func compareFiles(a, b []*tracepb.Record) int {
	if len(a) == 0 || len(b) == 0 {
		return cmp.Compare(len(a), len(b))
	}
	return cmp.Or(cmp.Compare(a[0].GetTime(), b[0].GetTime()), strings.Compare(a[0].GetPeer(), b[0].GetPeer()),
		strings.Compare(a[0].GetAddress(), b[0].GetAddress()))
}

// found is an Entry in the making.
type found struct {
	Entry
	key, cause msgKey
	raw        []byte
	fromRing   bool // it has no body
	fullType   string
	ownType    string // an answer's, where its record names both
	sent       bool
	at         int64
	file, pos  int
}

type merger struct {
	names *names
	start uint64
	found []*found
	byKey map[msgKey]int
	// firstCaused is where, in its file, the first record stands that a key caused. An item is recorded after its
	// handling: at equal times it must come before what was done in it.
	firstCaused map[msgKey]int
}

func (m *merger) findCaused(file, pos int, r *tracepb.Record) {
	if r.GetCause() == nil {
		return
	}
	k := m.names.key(file, r.GetEnv(), r.GetCause())
	if _, known := m.firstCaused[k]; !known {
		m.firstCaused[k] = pos
	}
}

// since turns a time of a record into one of the trace.
func (m *merger) since(t uint64) int64 {
	if t < m.start {
		return 0
	}
	return int64(min(t-m.start, math.MaxInt64))
}

// entry finds the entry that a record is about, or makes one. Only messages have two records.
func (m *merger) entry(file, pos int, r *tracepb.Record) *found {
	key := m.names.key(file, r.GetEnv(), r.GetId())
	message := key.n != 0 && (r.GetKind() == tracepb.Kind_SENT || r.GetKind() == tracepb.Kind_HANDLED)
	if i, ok := m.byKey[key]; ok && message {
		return m.found[i]
	}
	e := &found{key: key, file: file, pos: 2*pos + 1} // odd: the even places are for items that move before a record
	e.ID = m.names.id(key)
	if message {
		m.byKey[key] = len(m.found)
	}
	m.found = append(m.found, e)
	return e
}

func (m *merger) add(file, pos int, r *tracepb.Record) {
	if r.GetKind() == tracepb.Kind_ENV || r.GetKind() == tracepb.Kind_UNKNOWN {
		return
	}
	env := envKey{file, r.GetEnv()}
	here := Place(m.names.env(env), r.GetEndpoint())
	e := m.entry(file, pos, r)
	if r.GetCause() != nil && e.cause.n == 0 {
		e.cause = m.names.key(file, r.GetEnv(), r.GetCause())
		e.Cause = m.names.id(e.cause)
	}
	switch r.GetKind() {
	case tracepb.Kind_SENT:
		m.sent(e, file, pos, env, r)
	case tracepb.Kind_HANDLED:
		if r.GetEndpoint() == "" && Peer(e.To) == here {
			here = e.To // it was handled before it came to an endpoint
		}
		e.K, e.To, e.Handled = KindMsg, here, true
		e.Recv, e.Start, e.End = m.since(cmp.Or(r.GetReceived(), r.GetStarted(), r.GetTime())),
			m.since(cmp.Or(r.GetStarted(), r.GetTime())), m.since(r.GetTime())
		e.Outcome = r.GetOutcome()
		// The sender's record says more of a message. Until it comes, or if it never does, the receiver's stands in.
		if !e.sent {
			e.From = cmp.Or(e.From, cmp.Or(m.names.otherEnd(e.key.conn, env), m.local(e.key), Unknown))
			e.Sent, e.at = e.Recv, e.Recv
			if e.fullType == "" && r.GetType() != "" {
				m.describe(e, r)
			}
		}
	case tracepb.Kind_ITEM:
		e.K, e.At, e.Name, e.Outcome = KindItem, here, r.GetName(), r.GetOutcome()
		e.Start, e.End = m.since(cmp.Or(r.GetStarted(), r.GetTime())), m.since(r.GetTime())
		e.Sent = m.since(cmp.Or(r.GetReceived(), r.GetStarted(), r.GetTime()))
		e.at = e.Sent
		if r.GetPeer() != "" || r.GetAddress() != "" {
			e.To = m.names.stranger(r)
		}
		if first, ok := m.firstCaused[e.key]; ok && 2*first < e.pos {
			e.pos = 2 * first
		}
	case tracepb.Kind_CONN:
		e.K, e.At, e.Name, e.Why, e.Address = KindConn, here, r.GetName(), r.GetWhy(), r.GetAddress()
		e.To, e.Sent = m.names.receiver(env, r), m.since(r.GetTime())
		e.at = e.Sent
		if conn := r.GetId().GetConn(); conn != 0 {
			e.ID = m.names.conn(conn)
		}
	case tracepb.Kind_STATE:
		e.K, e.At, e.Name, e.Subject, e.Was, e.Is, e.Why = KindState, here, r.GetName(), r.GetSubject(), r.GetFrom(), r.GetTo(), r.GetWhy()
		e.Sent = m.since(r.GetTime())
		e.at = e.Sent
	case tracepb.Kind_DROP:
		m.sent(e, file, pos, env, r)
		e.K, e.Why = KindDrop, r.GetWhy()
	}
}

func (m *merger) sent(e *found, file, pos int, env envKey, r *tracepb.Record) {
	e.K, e.sent, e.file, e.pos = KindMsg, true, file, 2*pos+1
	e.From = Place(m.names.env(env), r.GetEndpoint())
	if !e.Handled { // else the receiver itself has recorded where it is
		e.To = m.names.receiver(env, r)
	}
	if EndpointOf(e.To) == "" {
		e.To = Place(e.To, r.GetTo())
	}
	e.Sent = m.since(r.GetTime())
	e.at = e.Sent
	m.describe(e, r)
}

// local is the peer of a message that stays in its Env.
func (m *merger) local(k msgKey) string {
	if k.conn != 0 || k.n == 0 {
		return ""
	}
	return m.names.env(k.env)
}

func (m *merger) describe(e *found, r *tracepb.Record) {
	e.fullType, e.ownType, e.raw, e.Bytes = r.GetType(), r.GetName(), r.GetBody(), r.GetBytes()
	e.fromRing = r.GetRing()
	e.Type = ShortName(e.fullType)
	switch r.GetForm() {
	case tracepb.Form_ASK:
		e.Form = FormAsk
	case tracepb.Form_REPLY:
		e.Form = FormReply
	case tracepb.Form_FAIL:
		e.Form = FormFail
	default:
		e.Form = FormSend
	}
}

// answers gives replies and failures the type of their question, and decodes all bodies. The record of an answer has the
// question's type and its own as name; one with a single type may have either.
func (m *merger) answers() {
	m.questions() // first: the loop below needs the types of the asks
	for _, e := range m.found {
		own := e.fullType
		if e.IsAnswer() {
			if i, ok := m.byKey[e.cause]; ok && e.cause.n != 0 {
				ask := m.found[i]
				own = answerType(ask.fullType, e.fullType)
				e.Type = cmp.Or(ShortName(ask.fullType), e.Type)
			}
			if own = cmp.Or(e.ownType, own); e.Form == FormFail {
				own = failureType
			}
		}
		e.Message = own
		switch e.Body, e.Cut = BodyJSON(own, e.raw); {
		case e.fromRing:
			e.Body, e.Cut = "", true
		case !e.isWhole():
			e.Cut = true // it ends between two fields
		}
	}
}

// questions describes asks whose senders were not recorded by their answers.
func (m *merger) questions() {
	for _, e := range m.found {
		i, ok := m.byKey[e.cause]
		if !ok || e.cause.n == 0 || !e.IsAnswer() || e.ownType == "" {
			continue
		}
		if ask := m.found[i]; ask.Form == "" {
			ask.Form, ask.fullType, ask.Type, ask.fromRing = FormAsk, e.fullType, e.Type, true
		}
	}
}

// isWhole reports whether the record has all bytes of the message. The recorded size of a message in a frame includes its
// header: four bytes, and, for a type without a number, the length of its name and the name.
func (e *found) isWhole() bool {
	rest := e.Bytes - min(e.Bytes, uint64(len(e.raw)))
	return rest == 0 || rest == 4 || rest == 5+uint64(len(e.Message))
}

const failureType = "rpc.Failure"

// answerType is the type of an answer, which a record may have named by its question.
func answerType(question, recorded string) string {
	if recorded != question && recorded != "" {
		return recorded
	}
	mt, err := protoregistry.GlobalTypes.FindMessageByName(protoreflect.FullName(question))
	if err != nil {
		return recorded
	}
	p, ok := proto.GetExtension(mt.Descriptor().Options(), option.E_Protocol).(*option.Protocol)
	if !ok || p.GetReply() == "" {
		return recorded
	}
	return p.GetReply()
}
