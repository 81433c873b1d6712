package debug_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/sirupsen/logrus"
	"go.uber.org/goleak"

	"github.com/coherer/coherer/rpcenv/metrics"
	"github.com/coherer/coherer/rpcenv/metrics/debug"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// source is a Set as an Env has it.
type source struct {
	metrics.Set
	peers []metrics.PeerRow
}

func (s *source) Metrics() metrics.Snapshot {
	snap := s.Snapshot()
	snap.Env, snap.Open, snap.Peers = "Master", 2, s.peers
	return snap
}

func serve(t *testing.T, s debug.Source) *debug.Server {
	t.Helper()
	log := logrus.New()
	log.SetOutput(t.Output())
	server, err := debug.Serve("127.0.0.1:0", "--debug-addr", logrus.NewEntry(log), s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(server.Close(), server.Close()); err != nil {
			t.Error(err)
		}
	})
	return server
}

// get is the body of a page.
func get(t *testing.T, server *debug.Server, path string) string {
	t.Helper()
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := client.Get("http://" + server.Addr() + path)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatal(path, res.Status, err)
	}
	return string(body)
}

func TestPrometheusCanReadWhatIsServed(t *testing.T) {
	s := &source{peers: []metrics.PeerRow{{Address: "w:1", Messages: 3, Bytes: 40}, {Address: "w:1", Bytes: 2}}}
	server := serve(t, s)
	if !s.Timed() {
		t.Error("serving should make times measured")
	}
	series := s.Endpoint("Master").Series(metrics.Key{Kind: metrics.Message}, func() string { return "deploy.Heartbeat" })
	for range 3 {
		series.Received(false)
	}
	series.Observe(2*time.Microsecond, 3*time.Millisecond)
	series.Handled(true)
	s.Sent(10)
	s.Drop(metrics.ReasonOverloaded)
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(get(t, server, "/metrics")))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]float64{
		"coherer_rpc_received_total": 3, "coherer_rpc_handled_total": 1, "coherer_rpc_failures_total": 1, "coherer_rpc_asks_total": 0,
		"coherer_rpc_inbox_depth": 2, "coherer_rpc_outbox_messages": 3, "coherer_rpc_outbox_bytes": 42,
		"coherer_rpc_dropped_total": 1, "coherer_rpc_sent_bytes_total": 10, "coherer_rpc_connections": 2,
	} {
		f := families[name]
		if f == nil || len(f.GetMetric()) != 1 {
			t.Errorf("%s: %v", name, f)
			continue
		}
		m := f.GetMetric()[0]
		if got := m.GetCounter().GetValue() + m.GetGauge().GetValue(); got != want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
		if labels := labelsOf(m); labels["env"] != "Master" {
			t.Errorf("%s: labels %v", name, labels)
		}
	}
	wait := families["coherer_rpc_wait_seconds"].GetMetric()[0]
	if labels := labelsOf(wait); labels["endpoint"] != "Master" || labels["kind"] != "message" || labels["type"] != "deploy.Heartbeat" {
		t.Error(labels)
	}
	h := wait.GetHistogram()
	if h.GetSampleCount() != 1 || h.GetSampleSum() != 2e-6 || len(h.GetBucket()) < metrics.Buckets-1 {
		t.Error(h)
	}
	if b := h.GetBucket(); b[0].GetCumulativeCount() != 0 || b[1].GetCumulativeCount() != 1 || b[1].GetUpperBound() != 2.048e-6 {
		t.Error(b[0], b[1])
	}
	if families["go_goroutines"] == nil {
		t.Error("the process's own figures are missing")
	}
}

func labelsOf(m *dto.Metric) map[string]string {
	out := map[string]string{}
	for _, l := range m.GetLabel() {
		out[l.GetName()] = l.GetValue()
	}
	return out
}

func TestProfilesAreServed(t *testing.T) {
	server := serve(t, &source{})
	if page := get(t, server, "/debug/pprof/goroutine?debug=1"); !strings.Contains(page, "goroutine profile") {
		t.Error(page)
	}
}

func TestATakenAddressSaysWhatToDo(t *testing.T) {
	server := serve(t, &source{})
	_, err := debug.Serve(server.Addr(), "--debug-addr", nil, &source{})
	if !errors.Is(err, syscall.EADDRINUSE) || !strings.Contains(err.Error(), "--debug-addr "+server.Addr()) || !strings.Contains(err.Error(), "or 0 for any") {
		t.Error(err)
	}
	if _, err := debug.Serve("nowhere", "--debug-addr", nil, &source{}); err == nil || !strings.Contains(err.Error(), "want HOST:PORT") {
		t.Error(err)
	}
	var none *debug.Server
	if none.Addr() != "" || none.Close() != nil {
		t.Error("a process without --debug-addr has no server")
	}
}
