package tracetest

import (
	"math"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	tracepb "github.com/coherer/coherer/messages/trace"
)

// Began is when the recordings of the tests begin.
var Began = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// At is a time of the recordings, in milliseconds from their begin.
func At(ms float64) uint64 {
	return uint64(Began.Add(time.Duration(math.Round(ms*1000)) * time.Microsecond).UnixNano())
}

// Tape makes the records of one process as the runtime makes them.
type Tape struct {
	t       *testing.T
	Records []*tracepb.Record
	local   map[uint32]uint64
}

// NewTape returns a Tape without records.
func NewTape(t *testing.T) *Tape { return &Tape{t: t, local: map[uint32]uint64{}} }

// Add takes a record.
func (p *Tape) Add(r *tracepb.Record) { p.Records = append(p.Records, r) }

// Env records an Env and its name.
func (p *Tape) Env(env uint32, name, address string, ms float64) {
	p.Add(&tracepb.Record{Kind: tracepb.Kind_ENV, Env: env, Peer: name, Address: address, Time: At(ms)})
}

// Next is a local id.
func (p *Tape) Next(env uint32) *tracepb.Id {
	p.local[env]++
	return &tracepb.Id{Env: env, N: p.local[env]}
}

// Item records something handled that is no message and returns its id, to be made before what it causes.
func (p *Tape) Item(env uint32, endpoint, name string, ms float64, id, cause *tracepb.Id) {
	p.Add(&tracepb.Record{
		Kind: tracepb.Kind_ITEM, Id: id, Cause: cause, Env: env, Endpoint: endpoint, Name: name, Started: At(ms), Time: At(ms + 0.05),
	})
}

// Sent records a message at its sender.
func (p *Tape) Sent(env uint32, endpoint, peer, to string, ms float64, id, cause *tracepb.Id, form tracepb.Form, m proto.Message) {
	p.t.Helper()
	body, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	if err != nil {
		p.t.Fatal(err)
	}
	p.Add(&tracepb.Record{
		Kind: tracepb.Kind_SENT, Id: id, Cause: cause, Env: env, Endpoint: endpoint, Peer: peer, To: to, Time: At(ms), Form: form,
		Type: string(proto.MessageName(m)), Bytes: uint64(len(body)), Body: body,
	})
}

// Handled records a message at its receiver.
func (p *Tape) Handled(env uint32, endpoint string, ms float64, id *tracepb.Id, outcome string) {
	p.Add(&tracepb.Record{
		Kind: tracepb.Kind_HANDLED, Id: id, Env: env, Endpoint: endpoint,
		Received: At(ms), Started: At(ms + 0.01), Time: At(ms + 0.1), Outcome: outcome,
	})
}

func (p *Tape) conn(env uint32, id uint64, name, peer, address, why string, ms float64) {
	p.Add(&tracepb.Record{
		Kind: tracepb.Kind_CONN, Id: &tracepb.Id{Conn: id}, Env: env, Peer: peer, Address: address, Name: name, Why: why, Time: At(ms),
	})
}

// Wire names a message of a connection.
func Wire(conn uint64, back bool, n uint64) *tracepb.Id {
	return &tracepb.Id{Conn: conn, Back: back, N: n}
}
