package reader_test

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"go.uber.org/goleak"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/coherer/coherer/messages/rpc"
	tracepb "github.com/coherer/coherer/messages/trace"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/metrics"
	"github.com/coherer/coherer/rpcenv/metrics/reader"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// daemon is an Env with a Metrics.
func daemon(t *testing.T, w *rpctest.World, name string, client bool) *rpcenv.Env {
	t.Helper()
	make := w.Env
	if client {
		make = w.ClientEnv
	}
	e := make(name, nil)
	if err := reader.Register(e); err != nil {
		t.Fatal(err)
	}
	return e
}

func read(t *testing.T, p *rpctest.Probe, e *rpcenv.Env, q *tracepb.ReadMetrics) *tracepb.MetricsRead {
	t.Helper()
	got, err := rpctest.Ask[*tracepb.MetricsRead](p, e.Ref(e.Address(), reader.Name), q)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestCountersAreReadOverTheWire(t *testing.T) {
	w := rpctest.New(t, 1)
	m, p := daemon(t, w, "M", false), w.Probe("P")
	first := read(t, p, m, &tracepb.ReadMetrics{Times: true})
	if first.GetTimed() != true || len(first.GetClients()) != 0 {
		t.Error(first)
	}
	got := reader.Decode(read(t, p, m, &tracepb.ReadMetrics{}))
	if got.Env != "M" || got.Address != m.Address().String() || got.Incarnation == 0 || !got.Time.Equal(w.Now()) && got.Time.After(w.Now()) {
		t.Errorf("%+v", got)
	}
	for _, e := range got.Endpoints {
		if e.Name != reader.Name {
			continue
		}
		total := e.Total() // the first is handled, the second in hand
		if total.Received != 2 || total.Handled != 1 || total.Asks != 2 || total.Wait.Count() != 1 || !e.Running {
			t.Errorf("%+v", total)
		}
	}
}

func TestASnapshotSurvivesTheWire(t *testing.T) {
	s := metrics.Snapshot{
		Env: "E", Address: "h:1", Incarnation: 7, Time: time.Unix(0, 99), Timed: true,
		Endpoints: []metrics.EndpointRow{{Name: "A", Running: true, Series: []metrics.SeriesRow{{
			Kind: metrics.Tick, Type: "T", Received: 1, Asks: 2, Handled: 3, Failures: 4,
			Wait: metrics.Times{Counts: [metrics.Buckets]uint64{0, 5, metrics.Buckets - 1: 6}, Sum: 7},
		}}}},
		Peers: []metrics.PeerRow{{Address: "p:1", Name: "P", Listens: true, Connected: true, Messages: 1, Bytes: 2}},
		Drops: []metrics.DropRow{{Reason: metrics.ReasonAnswer, Count: 3}},
		Sent:  1, SentBytes: 2, Received: 3, ReceivedBytes: 4, Open: 5, Opened: 6, Lost: 7, Refused: 8, NotReached: 9,
	}
	if got := reader.Decode(reader.Encode(s)); !reflect.DeepEqual(got, s) {
		t.Errorf("%+v\n%+v", got, s)
	}
}

// Nobody but those that they are connected to can reach Envs in client mode.
func TestClientsAreAskedOnBehalfOfOthers(t *testing.T) {
	w := rpctest.New(t, 1)
	m, p := daemon(t, w, "M", false), w.Probe("P")
	for name, e := range map[string]*rpcenv.Env{"with": daemon(t, w, "with", true), "without": w.ClientEnv("without", nil), "away": daemon(t, w, "away", true)} {
		if err := e.Send(m.Ref(m.Address(), rpcenv.VerifierName), &rpc.CheckExistence{Name: name}); err != nil {
			t.Fatal(err)
		}
	}
	w.Settle()
	w.Cut("M", "away")
	before := w.Now()
	got := read(t, p, m, &tracepb.ReadMetrics{Clients: true, Times: true})
	var away []string
	for _, peer := range got.GetPeers() {
		if peer.GetName() == "away" {
			away = append(away, peer.GetAddress())
		}
	}
	if len(away) != 1 || !slices.Equal(got.GetSilentClients(), away) {
		t.Errorf("silent are %v, want %v: one without a Metrics answers that it has none", got.GetSilentClients(), away)
	}
	if len(got.GetClients()) != 1 || got.GetClients()[0].GetEnv() != "with" || !got.GetClients()[0].GetTimed() {
		t.Error(got.GetClients())
	}
	if took := w.Now().Sub(before); took < 2*time.Second || took > 3*time.Second {
		t.Errorf("one that does not answer holds up the answer for %v", took)
	}
}

func TestOtherMessagesAreRefused(t *testing.T) {
	w := rpctest.New(t, 1)
	m, p := daemon(t, w, "M", false), w.Probe("P")
	if _, err := rpctest.Ask[*rpc.Bool](p, m.Ref(m.Address(), reader.Name), wrapperspb.String("?")); err == nil {
		t.Error("answered")
	}
}
