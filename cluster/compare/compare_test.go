package compare

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/coherer/coherer/rpcenv/trace"
)

var rewrite = flag.Bool("rewrite", false, "write the golden files of testdata anew")

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func recording(t *testing.T, version string) *Sequence {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", "spark-"+version+"-ab.txt"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s, err := ReadSpark(f)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestReadSpark(t *testing.T) {
	got := recording(t, "4.1.4").String()
	path := filepath.Join("testdata", "spark-4.1.4-ab.conversations")
	if *rewrite {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs (-rewrite writes it anew):\n%s", path, got)
	}
}

// Both versions have the same messages in the same order; what was seen once by chance is no difference.
func TestTwoVersionsOfSparkAreAlike(t *testing.T) {
	if got := Diff(recording(t, "3.5.9"), recording(t, "4.1.4"), nil); len(got) > 0 {
		t.Errorf("they differ:\n%s", strings.Join(got, "\n"))
	}
}

func TestReadSparkRefuses(t *testing.T) {
	for name, text := range map[string]string{
		"nothing":           "",
		"comments only":     "# conn 0\n",
		"another text":      "hello\n",
		"a homeless answer": "0 0.0 c0 A <= B [] true\n",
	} {
		if _, err := ReadSpark(strings.NewReader(text)); !errors.Is(err, ErrFormat) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func read(t *testing.T, lines ...string) *Sequence {
	t.Helper()
	s, err := ReadSpark(strings.NewReader(strings.Join(lines, "\n")))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestDiff(t *testing.T) {
	spark := read(
		t,
		"0 0.0 c0 Worker1 => Master [endpoint-verifier] RpcEndpointVerifier$CheckExistence(name=Master)",
		"1 0.1 c0 Master <= Worker1 [answer to 0 CheckExistence] true",
		"2 0.2 c0 Worker1 -> Master [Master] DeployMessages$RegisterWorker(cores=2)",
		"3 0.3 c0 Master -> Worker1 [Worker] DeployMessages$RegisteredWorker(duplicate=false)",
		"4 0.4 c0 Worker1 -> Master [Master] DeployMessages$Heartbeat(x=1)",
		"5 0.5 c0 Worker1 -> Master [Master] DeployMessages$Heartbeat(x=1)",
	)
	msg := func(id, cause, form, from, to, typ, message, body string) trace.Entry {
		return trace.Entry{K: trace.KindMsg, ID: id, Cause: cause, Form: form, From: from, To: to, Type: typ, Message: message, Body: body}
	}
	exists := msg("c.>.1", "", trace.FormAsk, "W1/Worker", "M/endpoint-verifier", "CheckExistence", "rpc.CheckExistence", `{"name":"Master"}`)
	yes := msg("c.<.1", "c.>.1", trace.FormReply, "M/endpoint-verifier", "W1/Worker", "CheckExistence", "rpc.Bool", `{"value":true}`)
	register := msg("c.>.2", "", trace.FormSend, "W1/Worker", "M/Master", "RegisterWorker", "deploy.RegisterWorker", "{}")
	registered := msg("c.<.2", "", trace.FormSend, "M/Master", "W1/Worker", "RegisteredWorker", "deploy.RegisteredWorker", "{}")
	beat := msg("c.>.3", "", trace.FormSend, "W1/Worker", "M/Master", "Heartbeat", "deploy.Heartbeat", "{}")
	local := msg("M.7", "", trace.FormSend, "M/Master", "M/Master", "Tick", "master.Tick", "")
	failed := msg("c.<.1", "c.>.1", trace.FormFail, "M/endpoint-verifier", "W1/Worker", "CheckExistence", "rpc.Failure", "{}")
	hello := msg("c.>.9", "", trace.FormSend, "W1/Worker", "M/Master", "Credit", "", "")
	asked := beat
	asked.Form = trace.FormAsk
	tests := []struct {
		name   string
		ours   []trace.Entry
		ignore []Row
		want   []string
	}{
		{"alike", []trace.Entry{exists, yes, register, local, registered, beat, beat, beat}, nil, nil},
		{
			"missing",
			[]trace.Entry{exists, yes, register, registered},
			nil,
			[]string{"missing: Worker -> Master [Master] Heartbeat"},
		},
		{
			"extra",
			[]trace.Entry{exists, yes, register, registered, beat, hello},
			nil,
			[]string{"extra: Worker -> Master [Master] Credit"},
		},
		{"ignored", []trace.Entry{exists, yes, register, registered, beat, hello}, []Row{{"Credit", "Spark has none"}}, nil},
		{
			"order",
			[]trace.Entry{exists, yes, beat, register, registered},
			nil,
			[]string{
				"order: Worker -> Master [Master] RegisterWorker comes after Worker -> Master [Master] Heartbeat, in Spark before",
				"order: Master -> Worker [Worker] RegisteredWorker comes after Worker -> Master [Master] Heartbeat, in Spark before",
			},
		},
		{
			"asked instead of told",
			[]trace.Entry{exists, yes, register, registered, asked},
			nil,
			[]string{"missing: Worker -> Master [Master] Heartbeat", "extra: Worker => Master [Master] Heartbeat"},
		},
		{
			"answer",
			[]trace.Entry{exists, failed, register, registered, beat},
			nil,
			[]string{"answer: Worker => Master [endpoint-verifier] CheckExistence(Master) is answered with Failure, in Spark with Bool"},
		},
		{
			"no answer",
			[]trace.Entry{exists, register, registered, beat},
			nil,
			[]string{"answer: Worker => Master [endpoint-verifier] CheckExistence(Master) is not answered, in Spark with Bool"},
		},
		{
			"nothing", nil,
			[]Row{{"CheckExistence(Master)", "test"}, {"Heartbeat", "test"}},
			[]string{"missing: Worker -> Master [Master] RegisterWorker", "missing: Master -> Worker [Worker] RegisteredWorker"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Diff(spark, FromEntries(tt.ours), tt.ignore); !slices.Equal(got, tt.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
			}
		})
	}
}

func FuzzReadSpark(f *testing.F) {
	f.Add("# conn 0 Worker1\n   0    0.000 c0 Worker1  => Master   [endpoint-verifier] RpcEndpointVerifier$CheckExistence(name=Master)\n")
	f.Add("1 0.2 c0 Master <= Worker1 [answer to 0 CheckExistence] true")
	f.Add("151 43.2 c7 Driver -> Exec1 [Executor] object CoarseGrainedClusterMessages$StopExecutor$")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := ReadSpark(strings.NewReader(text))
		if err != nil {
			return
		}
		if got := Diff(s, s, nil); len(got) > 0 {
			t.Fatalf("it differs from itself: %q", got)
		}
	})
}

// The trace that package trace tests with was made by hand after Spark's sequence.
func TestHandMadeRunIsLikeSpark(t *testing.T) {
	tr, err := trace.ReadJSONLFile(filepath.FromSlash("../../rpcenv/trace/testdata/run.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	rows := []Row{
		{"GetLocationsAndStatus", "no broadcasts: a task carries its closure"},
		{"UpdateBlockInfo", "no broadcasts: a task carries its closure"},
		{"RemoveBroadcast", "no broadcasts: a task carries its closure"},
		{"GetMapOutputStatuses", "the run has no shuffle"},
		{"HeartbeatReceiver", "no such message: an unused row is no error"},
	}
	want := []string{"missing: Exec => Driver [HeartbeatReceiver] Heartbeat"}
	if got := Diff(recording(t, "4.1.4"), FromEntries(tr.Entries), rows); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
