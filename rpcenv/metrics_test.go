package rpcenv_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/coherer/coherer/messages/rpc"
	tracepb "github.com/coherer/coherer/messages/trace"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/metrics"
	"github.com/coherer/coherer/rpcenv/rpctest"
	"github.com/coherer/coherer/rpcenv/transport"
)

// clerk answers, takes its time, and fails.
type clerk struct{}

func (clerk) OnStart(c *rpcenv.Context) { c.After(time.Second, note{}) }

func (clerk) Receive(c *rpcenv.Context, m rpcenv.Message) {
	switch m := m.(type) {
	case *wrapperspb.StringValue:
	case *rpc.CheckExistence:
		rpcenv.Reply(c, m, &rpc.Bool{Value: true})
	case note:
		rpcenv.Ask(c, rpcenv.Ref{Address: c.Self().Address, Name: rpcenv.VerifierName}, &rpc.CheckExistence{Name: "x"}, func(*rpc.Bool, error) {})
	default:
		c.Unsupported(m)
	}
}

type note struct{ rpcenv.Local }

// rows are an endpoint's as text: kind, type, received, asks, handled, failures.
func rows(s metrics.Snapshot, endpoint string) string {
	var lines []string
	for _, e := range s.Endpoints {
		if e.Name == endpoint {
			for _, r := range e.Series {
				lines = append(lines, fmt.Sprintf("%v %s %d %d %d %d", r.Kind, r.Type, r.Received, r.Asks, r.Handled, r.Failures))
			}
		}
	}
	return strings.Join(lines, "\n")
}

// exchange is a known one: the test knows what M's clerk has got.
func exchange(t *testing.T, seed uint64) (w *rpctest.World, m *rpcenv.Env, p *rpctest.Probe) {
	w = rpctest.New(t, seed)
	m = w.Env("M", nil)
	m.Time()
	ref := w.Register(m, "Clerk", clerk{})
	p = w.Probe("P")
	for range 5 {
		p.Send(ref, wrapperspb.String("text"))
	}
	for range 3 {
		if _, err := rpctest.Ask[*rpc.Bool](p, ref, &rpc.CheckExistence{Name: "x"}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := rpctest.Ask[*rpc.Bool](p, ref, wrapperspb.Int32(1)); err == nil {
		t.Fatal("unsupported, and no error")
	}
	p.Send(rpcenv.Ref{Address: ref.Address, Name: "Nobody"}, wrapperspb.String("text"))
	w.Advance(2 * time.Second)
	w.Settle()
	return w, m, p
}

func TestCountersAreExact(t *testing.T) {
	w, m, p := exchange(t, 1)
	want := strings.Join([]string{
		"message google.protobuf.Int32Value 1 1 1 1",
		"message google.protobuf.StringValue 5 0 5 0",
		"message rpc.CheckExistence 3 3 3 0",
		"tick note 1 0 1 0",
		"reply  1 0 1 0",
	}, "\n")
	s := m.Metrics()
	if got := rows(s, "Clerk"); got != want {
		t.Errorf("the clerk:\n%s\nwant:\n%s", got, want)
	}
	if got, want := s.Drops, []metrics.DropRow{{Reason: metrics.ReasonNotFound, Count: 1}}; !reflect.DeepEqual(got, want) {
		t.Error("drops:", got)
	}
	// 10 messages came, and 4 answers went.
	if s.Received != 10 || s.Sent != 4 || s.Open != 1 || s.Opened != 1 || s.Lost != 0 {
		t.Errorf("%+v", s)
	}
	if q := p.Env.Metrics(); q.SentBytes != s.ReceivedBytes || q.ReceivedBytes != s.SentBytes || s.ReceivedBytes == 0 {
		t.Error("what one end sent is not what the other got:", q.SentBytes, s.ReceivedBytes, q.ReceivedBytes, s.SentBytes)
	}
	if got, want := s.Peers, []metrics.PeerRow{{Address: p.Ref.Address.String(), Name: "P", Listens: true, Connected: true}}; !reflect.DeepEqual(got, want) {
		t.Error("peers:", got)
	}
	p.Crash()
	w.Settle()
	w.Until("the end of the connection", func() bool { return m.Metrics().Lost == 1 })
	if s := m.Metrics(); s.Open != 0 || len(s.Peers) != 0 {
		t.Errorf("%+v", s)
	}
}

func TestASnapshotOfASeedIsTheSameAgain(t *testing.T) {
	// An Env's incarnation is of the seed as well.
	_, a, _ := exchange(t, 7)
	_, b, _ := exchange(t, 7)
	if one, two := a.Metrics(), b.Metrics(); !reflect.DeepEqual(one, two) {
		t.Errorf("%+v\n%+v", one, two)
	}
}

func TestTimesAreMeasuredOnceSomebodyAsks(t *testing.T) {
	_, m, p := exchange(t, 1)
	for _, e := range m.Metrics().Endpoints {
		for _, r := range e.Series {
			if r.Wait.Count() != r.Handled || r.Handling.Count() != r.Handled {
				t.Errorf("%s %v %s: %d waits, %d handlings of %d", e.Name, r.Kind, r.Type, r.Wait.Count(), r.Handling.Count(), r.Handled)
			}
		}
	}
	for _, e := range p.Env.Metrics().Endpoints {
		if total := e.Total(); total.Handled > 0 && total.Wait.Count()+total.Handling.Count() != 0 {
			t.Errorf("nobody asked for the times of %s: %+v", e.Name, total)
		}
	}
}

// holder holds up its inbox until it is let go. It is for the clock of a test's bubble.
type holder struct{ d time.Duration }

func (h holder) Receive(c *rpcenv.Context, m rpcenv.Message) {
	time.Sleep(h.d) // of the bubble: it is what is measured
}

func TestTheTimesOfABusyEndpoint(t *testing.T) {
	rpctest.New(t, 1).Env("first", nil) // the ActorSystem is not of the bubble
	synctest.Test(t, func(t *testing.T) {
		h := transport.New(transport.Options{Memory: true})
		defer h.Close()
		e, err := rpcenv.New(h, rpcenv.Config{Name: "E", Listen: rpcenv.Address{Host: "127.0.0.1", Port: 1}})
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		e.Time()
		ref, err := e.Register("Holder", holder{time.Second})
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			if err := e.Send(ref, wrapperspb.String("text")); err != nil {
				t.Fatal(err)
			}
		}
		synctest.Wait()
		if total := totalOf(e, "Holder"); total.Depth() != 3 || total.Handled != 0 {
			t.Errorf("one in hand, two wait: %+v", total)
		}
		time.Sleep(4 * time.Second)
		total := totalOf(e, "Holder")
		if total.Depth() != 0 || total.Wait.Sum != 3*time.Second || total.Handling.Sum != 3*time.Second {
			t.Errorf("they waited 0, 1 and 2 s: %+v", total)
		}
	})
}

func totalOf(e *rpcenv.Env, endpoint string) metrics.SeriesRow {
	for _, row := range e.Metrics().Endpoints {
		if row.Name == endpoint {
			return row.Total()
		}
	}
	return metrics.SeriesRow{}
}

func TestADropIsOfTheFamilyOfItsError(t *testing.T) {
	for err, want := range map[error]metrics.Reason{
		rpcenv.ErrRefusedNotFound: metrics.ReasonNotFound, rpcenv.ErrRefusedStopped: metrics.ReasonStopped, rpcenv.ErrStopped: metrics.ReasonStopped,
		rpcenv.ErrUnreachableDisconnected: metrics.ReasonDisconnected, rpcenv.ErrUnreachableOverloaded: metrics.ReasonOverloaded,
		rpcenv.ErrRefusedUndecodable: metrics.ReasonUndecodable, rpcenv.ErrNameTaken: metrics.ReasonOther,
	} {
		for _, form := range []tracepb.Form{tracepb.Form_SEND, tracepb.Form_ASK} {
			if got := rpcenv.DropReason(form, fmt.Errorf("%w: more of it", err)); got != want {
				t.Errorf("%v is %v, want %v", err, got, want)
			}
		}
		for _, form := range []tracepb.Form{tracepb.Form_REPLY, tracepb.Form_FAIL} {
			if got := rpcenv.DropReason(form, err); got != metrics.ReasonAnswer {
				t.Errorf("an answer's %v is %v", err, got)
			}
		}
	}
}

func TestWhatWaitsForAPeerIsSeen(t *testing.T) {
	w := rpctest.New(t, 1)
	m, to := w.Env("M", nil), rpcenv.Ref{Address: rpcenv.Address{Host: "10.9.9.9", Port: 1}, Name: "E"}
	for range 3 {
		if err := m.Send(to, wrapperspb.String("text")); err != nil {
			t.Fatal(err)
		}
	}
	s := m.Metrics()
	if len(s.Peers) != 1 || s.Peers[0].Messages != 3 || s.Peers[0].Bytes == 0 || s.Peers[0].Connected {
		t.Error(s.Peers)
	}
	w.Settle()
	s = m.Metrics()
	if got, want := s.Drops, []metrics.DropRow{{Reason: metrics.ReasonDisconnected, Count: 3}}; !reflect.DeepEqual(got, want) || s.NotReached != 1 || len(s.Peers) != 0 {
		t.Errorf("%+v", s)
	}
}

// BenchmarkCounted is what it costs an endpoint to be counted, and to be timed too: a message to an endpoint of the same Env.
func BenchmarkCounted(b *testing.B) {
	for _, timed := range []bool{false, true} {
		b.Run(fmt.Sprintf("timed=%v", timed), func(b *testing.B) {
			h := transport.New(transport.Options{Memory: true})
			defer h.Close()
			e, err := rpcenv.New(h, rpcenv.Config{Name: "E", Listen: rpcenv.Address{Host: "127.0.0.1", Port: 1}})
			if err != nil {
				b.Fatal(err)
			}
			defer e.Close()
			if timed {
				e.Time()
			}
			ep := &counter{want: b.N, done: make(chan struct{})}
			ref, err := e.Register("E", ep)
			if err != nil {
				b.Fatal(err)
			}
			m := wrapperspb.String("a text of thirty-two characters!")
			b.ReportAllocs()
			b.ResetTimer()
			for range b.N {
				if err := e.Send(ref, m); err != nil {
					b.Fatal(err)
				}
			}
			<-ep.done
			b.StopTimer()
			// The last one is counted after its callback, which ended the wait.
			if total := totalOf(e, "E"); total.Received != uint64(b.N) || timed != (total.Wait.Count() > 0) && b.N > 1 {
				b.Errorf("%+v", total)
			}
		})
	}
}
