package tracer_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"
	"google.golang.org/protobuf/types/known/wrapperspb"

	tracepb "github.com/coherer/coherer/messages/trace"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
	"github.com/coherer/coherer/rpcenv/sim"
	"github.com/coherer/coherer/rpcenv/trace"
	"github.com/coherer/coherer/rpcenv/trace/record"
	"github.com/coherer/coherer/rpcenv/tracer"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// echo is an endpoint under observation: it sends what it gets to another one of its Env.
type echo struct{ to string }

func (e echo) Receive(c *rpcenv.Context, m rpcenv.Message) {
	if e.to != "" {
		c.Send(c.Env().Ref(c.Env().Address(), e.to), m)
	}
}

// stage is an Env with the endpoints A, which tells B, and Tracer, and a Probe elsewhere.
type stage struct {
	t      *testing.T
	w      *rpctest.World
	env    *rpcenv.Env
	a, ref rpcenv.Ref
	p      *rpctest.Probe
}

func newStage(t *testing.T) *stage {
	s := &stage{t: t, w: rpctest.New(t, 1)}
	s.env = s.w.Env("Master", nil)
	if err := tracer.Register(s.env); err != nil {
		t.Fatal(err)
	}
	s.w.Register(s.env, "B", echo{})
	s.a = s.w.Register(s.env, "A", echo{"B"})
	s.p = s.w.Probe("Reader")
	s.ref = s.env.Ref(s.env.Address(), tracer.Name)
	return s
}

func (s *stage) send(text string) {
	s.t.Helper()
	s.p.Send(s.a, wrapperspb.String(text))
	s.w.Settle()
}

func (s *stage) read(q *tracepb.ReadTrace) *tracepb.TraceRead {
	s.t.Helper()
	got, err := rpctest.Ask[*tracepb.TraceRead](s.p, s.ref, q)
	if err != nil {
		s.t.Fatal(err)
	}
	return got
}

func (s *stage) set(endpoint string, on bool) (was bool) {
	s.t.Helper()
	got, err := rpctest.Ask[*tracepb.RecordingSet](s.p, s.ref, &tracepb.SetRecording{Endpoint: endpoint, On: on})
	if err != nil {
		s.t.Fatal(err)
	}
	return got.GetWas()
}

// messages are the records of messages, "kind endpoint to type".
func messages(records []*tracepb.Record) (out []string) {
	for _, r := range records {
		if r.GetKind() == tracepb.Kind_SENT || r.GetKind() == tracepb.Kind_HANDLED {
			out = append(out, strings.Join(strings.Fields(fmt.Sprint(r.GetKind(), " ", r.GetEndpoint(), " ", r.GetTo(), " ", trace.ShortName(r.GetType()))), " "))
		}
	}
	return out
}

// Reading goes on where it ended, and following a run adds nothing to it.
func TestAReaderFollowsARun(t *testing.T) {
	s := newStage(t)
	cursor := s.read(&tracepb.ReadTrace{Latest: true}).GetNext()
	want := []string{"SENT Reader A StringValue", "SENT A B StringValue", "HANDLED A", "HANDLED B"}
	for range 3 {
		s.send("x")
		got := s.read(&tracepb.ReadTrace{Cursor: cursor})
		if m := messages(got.GetRecords()); !slices.Equal(m, want) || got.GetLost() != 0 || got.GetMore() || !got.GetRecording() {
			t.Fatalf("read %q, want %q; lost %d, more %v, recording %v", m, want, got.GetLost(), got.GetMore(), got.GetRecording())
		}
		cursor = got.GetNext()
	}
	if n := s.w.Recorder().Untraced(); n == 0 {
		t.Error("the Tracer's own messages were not counted")
	}
	for _, r := range s.w.Recorder().Records() {
		if r.GetEndpoint() == tracer.Name || r.GetTo() == tracer.Name || strings.HasPrefix(r.GetType(), "trace.") {
			t.Errorf("recorded: %v", r)
		}
	}
	part := s.read(&tracepb.ReadTrace{Max: 3})
	rest := s.read(&tracepb.ReadTrace{Max: 3, Cursor: part.GetNext()})
	if len(part.GetRecords()) != 3 || !part.GetMore() || len(rest.GetRecords()) != 3 {
		t.Errorf("%d records, more %v, then %d", len(part.GetRecords()), part.GetMore(), len(rest.GetRecords()))
	}
}

func TestAReaderThatIsTooSlowHearsWhatItLost(t *testing.T) {
	s := newStage(t)
	cursor := s.read(&tracepb.ReadTrace{Latest: true}).GetNext()
	const sends = 400
	for range sends {
		s.send("x")
	}
	got := s.read(&tracepb.ReadTrace{Cursor: cursor, Max: 1 << 30})
	if n := uint64(len(got.GetRecords())); got.GetLost() == 0 || n+got.GetLost() < 4*sends {
		t.Errorf("%d read, %d lost of at least %d", n, got.GetLost(), 4*sends)
	}
}

// recorded are the texts that A was recorded to send.
func (s *stage) recorded() (out []string) {
	for _, r := range s.w.Recorder().Records() {
		if len(r.GetBody()) > 0 && r.GetEndpoint() == "A" {
			out = append(out, string(r.GetBody()[2:]))
		}
	}
	return out
}

func TestRecordingIsSwitchedAtRunTime(t *testing.T) {
	s := newStage(t)
	s.set("", true)
	s.send("all")
	if !s.set("", false) {
		t.Error("it was not recording")
	}
	s.send("nothing")
	if got := s.read(&tracepb.ReadTrace{Max: 10_000}); got.GetRecording() || len(messages(got.GetRecords())) != 8 {
		t.Errorf("recording %v, the ring has %q", got.GetRecording(), messages(got.GetRecords()))
	}
	if s.set("B", true) || !s.set("B", true) {
		t.Error("B was recording before, or is not")
	}
	s.send("B only")
	s.set("", true)
	s.send("all again")
	s.set("A", false)
	s.send("not A")
	want := []string{"all", "B only", "all again", "not A"}
	if got := s.recorded(); !slices.Equal(got, want) {
		t.Errorf("recorded %q, want %q", got, want)
	}
	// Of the last one the handling at A is left out, and at B it is there: B is recorded.
	tr := trace.Merge(s.w.Recorder().Records())
	last := tr.Entries[len(tr.Entries)-2:]
	if last[0].Handled || !last[1].Handled || last[1].To != "Master/B" {
		t.Errorf("the last two: %+v", last)
	}
}

func TestSwitchingWhatIsNotThereFails(t *testing.T) {
	s := newStage(t)
	_, err := rpctest.Ask[*tracepb.RecordingSet](s.p, s.ref, &tracepb.SetRecording{Endpoint: "Nobody", On: true})
	if !errors.Is(err, rpcenv.ErrRefusedNotFound) {
		t.Errorf("error %v", err)
	}
	r, err := record.NewRingRecorder()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	if r.CanRecord() {
		t.Error("a ring alone can record")
	}
}

// What is read of one seed is the same in each run.
func TestReadingIsPartOfARunOfASeed(t *testing.T) {
	run := func() string {
		s := newStage(t)
		s.send("x")
		var b strings.Builder
		if err := trace.Merge(s.read(&tracepb.ReadTrace{Max: 100}).GetRecords()).WriteJSONL(&b); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	if a, b := run(), run(); a != b || !strings.Contains(a, "StringValue") {
		t.Errorf("\n%s\n%s", a, b)
	}
}

var (
	_ tracer.Switch = (*rpcenv.Env)(nil)
	_ tracer.Ring   = sim.New(1, 0).Recorder()
)
