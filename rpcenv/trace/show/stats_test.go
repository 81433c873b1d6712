package show

import (
	"strings"
	"testing"
	"time"

	tracepb "github.com/coherer/coherer/messages/trace"
	"github.com/coherer/coherer/rpcenv/trace"
	"github.com/coherer/coherer/rpcenv/trace/internal/tracetest"
)

func TestStats(t *testing.T) {
	msg := func(e trace.Entry) trace.Entry { e.K = trace.KindMsg; return e }
	tr := &trace.Trace{Entries: []trace.Entry{
		msg(trace.Entry{ID: "a", Form: trace.FormAsk, Type: "Q", From: "W/W", To: "M/M", Bytes: 10, Sent: 100, Handled: true, Recv: 200, Start: 250, End: 400}),
		msg(trace.Entry{ID: "b", Cause: "a", Form: trace.FormReply, Type: "Q", From: "M/M", To: "W/W", Bytes: 1, Sent: 350, Handled: true, Recv: 500, Start: 500, End: 501}),
		msg(trace.Entry{ID: "c", Form: trace.FormAsk, Type: "Q", From: "W/W", To: "M/M", Bytes: 10, Sent: 600, Handled: true, Recv: 610, Start: 640, End: 700}),
		msg(trace.Entry{ID: "d", Cause: "c", Form: trace.FormFail, Type: "Q", From: "M/M", To: "W/W", Bytes: 2, Sent: 1600}),
		msg(trace.Entry{ID: "e", Form: trace.FormAsk, Type: "Q", From: "W/W", To: "M/M", Bytes: 10, Sent: 1700}), // never answered
		msg(trace.Entry{ID: "f", Form: trace.FormSend, Type: "T", From: "M/M", To: "W/W", Bytes: 5, Sent: 1800, Handled: true, Recv: 1900, Start: 1890, End: 2000}),
		{K: trace.KindDrop, Form: trace.FormSend, Type: "T", From: "M/M", To: "W/W", Bytes: 5, Sent: 1950},
		{K: trace.KindItem, ID: "W.1", At: "W/W", Start: 1, End: int64(2 * time.Second)},
	}}
	s := NewStats(tr, trace.Selection{})
	if s.Span != 2*time.Second || s.Total.Count != 6 || s.Total.Bytes != 38 || s.Total.Drops != 1 || s.Total.Rate != 3 {
		t.Errorf("total %+v over %v", s.Total, s.Span)
	}
	want := []StatsRow{
		{Name: "Q", Count: 3, Bytes: 30, Rate: 1.5, Latency: Quantiles{2, 400, 1000, 1000}, Wait: Quantiles{2, 30, 50, 50}, Handling: Quantiles{2, 60, 150, 150}},
		{Name: "Q reply", Count: 1, Bytes: 1, Rate: 0.5, Wait: Quantiles{1, 0, 0, 0}, Handling: Quantiles{1, 1, 1, 1}},
		{Name: "Q fail", Count: 1, Bytes: 2, Rate: 0.5},
		{Name: "T", Count: 1, Bytes: 5, Rate: 0.5, Drops: 1, Wait: Quantiles{1, 0, 0, 0}, Handling: Quantiles{1, 110, 110, 110}},
	}
	if len(s.Messages) != len(want) {
		t.Fatalf("%+v", s.Messages)
	}
	for i := range want {
		if s.Messages[i] != want[i] {
			t.Errorf("row %+v, want %+v", s.Messages[i], want[i])
		}
	}
	if len(s.Endpoints) != 2 || s.Endpoints[0].Name != "M/M" || s.Endpoints[0].Count != 3 || s.Endpoints[1].Count != 3 || s.Endpoints[1].Drops != 1 {
		t.Errorf("endpoints %+v", s.Endpoints)
	}
	// What is not selected still says when an ask was answered.
	asks, err := trace.ParseSelection(nil, []string{"M->W:*"})
	if err != nil {
		t.Fatal(err)
	}
	if some := NewStats(tr, asks); some.Messages[0].Latency.N != 2 || some.Total.Count != 5 || some.Total.Drops != 0 {
		t.Errorf("selected %+v", some)
	}
	if none := NewStats(&trace.Trace{}, trace.Selection{}); none.Total.Count != 0 || none.Messages == nil {
		t.Errorf("of nothing: %+v", none)
	}
}

func TestQuantiles(t *testing.T) {
	var times []int64
	for i := range int64(200) {
		times = append(times, 200-i)
	}
	if got := quantiles(times); got != (Quantiles{200, 100, 198, 200}) {
		t.Errorf("%+v", got)
	}
}

func TestStatsText(t *testing.T) {
	var b strings.Builder
	if err := NewStats(trace.Merge(tracetest.SparkRun(t, 2, 3)...), trace.Selection{}).WriteText(&b); err != nil {
		t.Fatal(err)
	}
	tracetest.Golden(t, "run.stats", b.String())
}

// A message of which only the receiver's record is there has a name in every table, and a line says why it is this one.
func TestAMessageWhoseTypeNobodyRecordedHasAName(t *testing.T) {
	handled := []*tracepb.Record{
		{Kind: tracepb.Kind_ENV, Env: 1, Peer: "Driver", Time: 10},
		{Kind: tracepb.Kind_HANDLED, Id: &tracepb.Id{Conn: 5 << 32, N: 1}, Env: 1, Time: 30, Endpoint: "S"},
	}
	tr := trace.Merge(handled)
	var stats strings.Builder
	if err := NewStats(tr, trace.Selection{}).WriteText(&stats); err != nil {
		t.Fatal(err)
	}
	for what, got := range map[string]string{"stats": stats.String(), "table": Table(tr.Entries)} {
		if !strings.Contains(got, "\n(its type was not recorded)  ") ||
			!strings.HasSuffix(got, "\n(its type was not recorded): only the receiver's record is there: the sender's is missing, as of a process that was killed\n") {
			t.Errorf("%s:\n%s", what, got)
		}
	}
	if svg := SVG(tr); !strings.Contains(svg, "(its type was not recorded) (") {
		t.Error("the diagram has no name:", svg)
	}
}

func TestShort(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0s", 999: "999ns", 1234: "1.23µs", 123456: "123µs", 59*time.Second + 999*time.Millisecond: "1m0s", 1500 * time.Millisecond: "1.5s",
	} {
		if got := ShortDuration(d); got != want {
			t.Errorf("%d: %s, want %s", d, got, want)
		}
	}
}
