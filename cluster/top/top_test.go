package top_test

import (
	"errors"
	"flag"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/coherer/coherer/cluster/top"
	"github.com/coherer/coherer/messages/rpc"
	tracepb "github.com/coherer/coherer/messages/trace"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/metrics"
	"github.com/coherer/coherer/rpcenv/metrics/reader"
	"github.com/coherer/coherer/rpcenv/transport"
)

var rewrite = flag.Bool("rewrite", false, "write the golden files")

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// series is what an endpoint had handled: all waited for wait.
func series(received, handled, failures, measured uint64, wait time.Duration) []metrics.SeriesRow {
	r := metrics.SeriesRow{Type: "T", Received: received, Handled: handled, Failures: failures}
	for i := range metrics.Buckets {
		if wait <= metrics.Bound(i) {
			r.Wait.Counts[i], r.Handling.Counts[i/2] = measured, measured
			break
		}
	}
	return []metrics.SeriesRow{r}
}

var start = time.Unix(1_000_000, 0)

// samples are two of a small cluster, two seconds apart.
func samples() (before, now top.Sample) {
	at := func(s metrics.Snapshot, t time.Time) metrics.Snapshot { s.Time = t; return s }
	master := metrics.Snapshot{Env: "Master", Address: "127.0.0.1:7077", Incarnation: 1}
	exec, other := metrics.Snapshot{Env: "Exec0", Incarnation: 2}, metrics.Snapshot{Env: "Exec0", Incarnation: 3}

	m := at(master, start)
	m.Endpoints = []metrics.EndpointRow{
		{Name: "Master", Running: true, Series: series(100, 100, 0, 10, time.Millisecond)},
		{Name: "Gone", Series: series(7, 7, 0, 0, 0)},
		{Name: "Metrics", Running: true, Series: series(9, 8, 0, 0, 0)},
	}
	x := at(exec, start)
	x.Endpoints = []metrics.EndpointRow{{Name: "Executor", Running: true, Series: series(5, 5, 0, 0, 0)}}
	before.Processes = []metrics.Snapshot{x, m}

	m2 := at(master, start.Add(2*time.Second))
	m2.Endpoints = []metrics.EndpointRow{
		{Name: "Master", Running: true, Series: series(3300, 300, 2, 210, time.Millisecond)},
		{Name: "Gone", Series: series(7, 7, 0, 0, 0)},
		{Name: "Metrics", Running: true, Series: series(10, 9, 0, 0, 0)},
	}
	m2.SentBytes, m2.ReceivedBytes = 4096, 100
	m2.Peers = []metrics.PeerRow{{Address: "w:1", Bytes: 3 << 20}}
	m2.Drops = []metrics.DropRow{{Reason: metrics.ReasonStopped, Count: 2}, {Reason: metrics.ReasonAnswer, Count: 1}}
	x2 := at(exec, start.Add(2*time.Second))
	x2.Endpoints = []metrics.EndpointRow{{Name: "Executor", Running: true, Series: series(6, 6, 0, 1, 3*time.Second)}}
	y2 := at(other, start.Add(2*time.Second))
	y2.Endpoints = []metrics.EndpointRow{{Name: "Exe\x1b[31mcutor", Running: true, Series: series(1, 1, 0, 0, 0)}}
	now.Processes = []metrics.Snapshot{x2, y2, m2}
	now.Silent = []top.Silent{{Name: "Worker2", Address: rpcenv.Address{Host: "10.0.0.2", Port: 9}, Err: errors.New("timed out")}}
	return before, now
}

func TestThePages(t *testing.T) {
	before, now := samples()
	text := "# all rows\n" + top.Table(before, now, 0) + "# a terminal of 6 lines\n" + top.Table(before, now, 6) +
		"# nothing before\n" + top.Table(top.Sample{}, now, 0) + "# on a terminal of 40 columns\n" +
		strings.ReplaceAll(strings.ReplaceAll(top.Redraw(top.Table(before, now, 6), 40), "\x1b", "ESC"), "\r", "")
	const file = "testdata/pages.txt"
	if *rewrite {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if text != string(want) {
		t.Errorf("%s\nwant:\n%s", text, want)
	}
}

func TestTheRowsOfAnInterval(t *testing.T) {
	before, now := samples()
	rows := top.Rows(before, now)
	if len(rows) != 3 {
		t.Fatalf("%+v", rows)
	}
	if r := rows[0]; r.Endpoint != "Master" || r.Depth != 3000 || r.Rate != 100 || r.Handled != 300 || r.Failures != 2 || r.Measured != 200 {
		t.Errorf("%+v", r)
	}
	if r := rows[1]; r.Process != "Exec0" || r.Measured != 1 || r.WaitP50 < 1500*time.Millisecond || r.WaitP50 > 6*time.Second {
		t.Errorf("%+v", r)
	}
}

// member is a process of a cluster in memory.
func member(t *testing.T, h *transport.Host, name string, port int) *rpcenv.Env {
	t.Helper()
	cfg := rpcenv.Config{Name: name}
	if port > 0 {
		cfg.Listen = rpcenv.Address{Host: "127.0.0.1", Port: port}
	}
	e, err := rpcenv.New(h, cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	if err := reader.Register(e); err != nil {
		t.Fatal(err)
	}
	return e
}

// mute takes questions and never answers.
type mute struct{}

func (mute) Receive(c *rpcenv.Context, msg rpcenv.Message) {
	rpcenv.Defer(c, msg.(*tracepb.ReadMetrics))
}

// A frozen executor is in no sample: the table must say that it exists.
func TestAClientThatDoesNotAnswerIsSilent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := transport.New(transport.Options{Memory: true})
		t.Cleanup(func() { h.Close() })
		driver := member(t, h, "Driver", 1)
		exec, err := rpcenv.New(h, rpcenv.Config{Name: "Exec0"})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(exec.Close)
		if _, err := exec.Register(reader.Name, mute{}); err != nil {
			t.Fatal(err)
		}
		b := exec.Blocking(t.Context())
		defer b.Close()
		if _, err := rpcenv.AskWait(b, exec.Ref(driver.Address(), rpcenv.VerifierName), &rpc.CheckExistence{Name: "x"}); err != nil {
			t.Fatal(err)
		}
		s, err := top.Take(t.Context(), driver, []rpcenv.Address{driver.Address()})
		if err != nil || len(s.Processes) != 1 || len(s.Silent) != 1 {
			t.Fatalf("%+v, %v", s, err)
		}
		silent := s.Silent[0]
		if silent.Name != "Exec0" || silent.Address.String() != s.Processes[0].Peers[0].Address || silent.Err.Error() != "Driver asked it, and waited for 2s" {
			t.Errorf("%+v", silent)
		}
	})
}

func TestAMasterLeadsToItsWorkersAndTheirClients(t *testing.T) {
	h := transport.New(transport.Options{Memory: true})
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
	master, worker := member(t, h, "Master", 1), member(t, h, "Worker1", 2)
	exec, stranger := member(t, h, "Exec0", 0), member(t, h, "Stranger", 3)
	for from, to := range map[*rpcenv.Env]*rpcenv.Env{worker: master, exec: worker} {
		b := from.Blocking(t.Context())
		if _, err := rpcenv.AskWait(b, from.Ref(to.Address(), rpcenv.VerifierName), &rpc.CheckExistence{Name: "x"}); err != nil {
			t.Fatal(err)
		}
		b.Close()
	}
	tool, err := rpcenv.New(h, rpcenv.Config{Name: "Top"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(tool.Close)
	s, err := top.Take(t.Context(), tool, []rpcenv.Address{master.Address()})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, p := range s.Processes {
		names = append(names, p.Env)
	}
	if got := strings.Join(names, " "); got != "Exec0 Master Worker1" || len(s.Silent) != 0 {
		t.Error(got, s.Silent)
	}
	if !exec.Metrics().Timed || stranger.Metrics().Timed {
		t.Error("want times measured by the processes that are looked at, and by no others")
	}
	_, err = top.Take(t.Context(), tool, []rpcenv.Address{{Host: "127.0.0.1", Port: 99}})
	if err == nil || !strings.Contains(err.Error(), "127.0.0.1:99") {
		t.Error(err)
	}
	s, err = top.Take(t.Context(), tool, []rpcenv.Address{{Host: "127.0.0.1", Port: 99}, stranger.Address()})
	if err != nil || len(s.Processes) != 1 || len(s.Silent) != 1 {
		t.Error(s, err)
	}
}
