// Package tracer is the endpoint by which a process is looked at while it runs: it reads the ring of the process's trace
// by cursor, and switches what is recorded. Spark has nothing like it.
//
// Every daemon, driver and executor has one, under the name "Tracer", in the Env of its role. Its messages are untraced: to
// follow a run does not add to it.
package tracer

import (
	tracepb "github.com/coherer/coherer/messages/trace"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/trace/record"
)

// Name is the endpoint's.
const Name = "Tracer"

const (
	// defaultMax is how many records an answer has when nobody says.
	defaultMax = 1000
	// mostRecords is how many it has at most: about 2 MB.
	mostRecords = 10_000
)

// Ring is what is read: a *record.Recorder.
type Ring interface {
	// Since reads what came after a cursor, at most max records.
	Since(cursor []byte, limit int, latest bool) record.Reading
}

// Switch is what says what is recorded: a *rpcenv.Env.
type Switch interface {
	Record(endpoint string, on bool) (was bool, err error)
	Recording(endpoint string) bool
}

// Tracer is the endpoint. It has no state: what a reader has seen is in the reader's cursor.
type Tracer struct {
	ring Ring
	sw   Switch
}

// New makes a Tracer.
func New(ring Ring, sw Switch) *Tracer { return &Tracer{ring, sw} }

// Register gives an Env its Tracer.
func Register(e *rpcenv.Env) error {
	_, err := e.Register(Name, New(e.Recorder(), e), rpcenv.Untraced())
	return err
}

// Receive handles the Tracer's messages.
func (t *Tracer) Receive(c *rpcenv.Context, m rpcenv.Message) {
	switch m := m.(type) {
	case *tracepb.ReadTrace:
		t.readTrace(c, m)
	case *tracepb.SetRecording:
		t.setRecording(c, m)
	default:
		c.Unsupported(m)
	}
}

func (t *Tracer) readTrace(c *rpcenv.Context, m *tracepb.ReadTrace) {
	limit := int(min(m.GetMax(), mostRecords))
	if limit == 0 {
		limit = defaultMax
	}
	got := t.ring.Since(m.GetCursor(), limit, m.GetLatest())
	rpcenv.Reply(c, m, &tracepb.TraceRead{
		Records: got.Records, Next: got.Next, Lost: got.Lost, More: got.More, Recording: t.sw.Recording(""),
	})
}

func (t *Tracer) setRecording(c *rpcenv.Context, m *tracepb.SetRecording) {
	was, err := t.sw.Record(m.GetEndpoint(), m.GetOn())
	if err != nil {
		rpcenv.Fail(c, m, err)
		return
	}
	rpcenv.Reply(c, m, &tracepb.RecordingSet{Was: was})
}
