package trace

import (
	"math"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	tracepb "github.com/coherer/coherer/messages/trace"
)

// began is when the recordings of the tests begin.
var began = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func at(ms float64) uint64 {
	return uint64(began.Add(time.Duration(math.Round(ms*1000)) * time.Microsecond).UnixNano())
}

// tape makes the records of one process as the runtime makes them.
type tape struct {
	t       *testing.T
	records []*tracepb.Record
	local   map[uint32]uint64
}

func newTape(t *testing.T) *tape { return &tape{t: t, local: map[uint32]uint64{}} }

func (p *tape) add(r *tracepb.Record) { p.records = append(p.records, r) }

func (p *tape) env(env uint32, name, address string, ms float64) {
	p.add(&tracepb.Record{Kind: tracepb.Kind_ENV, Env: env, Peer: name, Address: address, Time: at(ms)})
}

// next is a local id.
func (p *tape) next(env uint32) *tracepb.Id {
	p.local[env]++
	return &tracepb.Id{Env: env, N: p.local[env]}
}

// item records something handled that is no message and returns its id, to be made before what it causes.
func (p *tape) item(env uint32, endpoint, name string, ms float64, id, cause *tracepb.Id) {
	p.add(&tracepb.Record{
		Kind: tracepb.Kind_ITEM, Id: id, Cause: cause, Env: env, Endpoint: endpoint, Name: name, Started: at(ms), Time: at(ms + 0.05),
	})
}

func (p *tape) sent(env uint32, endpoint, peer, to string, ms float64, id, cause *tracepb.Id, form tracepb.Form, m proto.Message) {
	p.t.Helper()
	body, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	if err != nil {
		p.t.Fatal(err)
	}
	p.add(&tracepb.Record{
		Kind: tracepb.Kind_SENT, Id: id, Cause: cause, Env: env, Endpoint: endpoint, Peer: peer, To: to, Time: at(ms), Form: form,
		Type: string(proto.MessageName(m)), Bytes: uint64(len(body)), Body: body,
	})
}

func (p *tape) handled(env uint32, endpoint string, ms float64, id *tracepb.Id, outcome string) {
	p.add(&tracepb.Record{
		Kind: tracepb.Kind_HANDLED, Id: id, Env: env, Endpoint: endpoint,
		Received: at(ms), Started: at(ms + 0.01), Time: at(ms + 0.1), Outcome: outcome,
	})
}

func (p *tape) conn(env uint32, id uint64, name, peer, address, why string, ms float64) {
	p.add(&tracepb.Record{
		Kind: tracepb.Kind_CONN, Id: &tracepb.Id{Conn: id}, Env: env, Peer: peer, Address: address, Name: name, Why: why, Time: at(ms),
	})
}

// wire names a message of a connection.
func wire(conn uint64, back bool, n uint64) *tracepb.Id {
	return &tracepb.Id{Conn: conn, Back: back, N: n}
}
