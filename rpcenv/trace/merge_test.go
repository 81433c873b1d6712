package trace

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/coherer/coherer/messages/rpc"
	tracepb "github.com/coherer/coherer/messages/trace"
	"github.com/coherer/coherer/rpcenv/trace/internal/tracetest"
)

func jsonl(t *testing.T, tr *Trace) string {
	t.Helper()
	var b bytes.Buffer
	if err := tr.WriteJSONL(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestMergeOfARun(t *testing.T) {
	files := tracetest.SparkRun(t, 1, 1)
	tr := Merge(files...)
	tr.Source, tr.Compat = "run", "fixed"
	text := jsonl(t, tr)
	tracetest.Golden(t, "run.jsonl", text)

	slices.Reverse(files)
	again := Merge(files...)
	again.Source, again.Compat = "run", "fixed"
	if jsonl(t, again) != text {
		t.Error("the order of the files makes a difference")
	}
	read, err := ReadJSONL(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if got := jsonl(t, read); got != text {
		t.Errorf("read and written again it differs:\n%s", got)
	}
}

func find(t *testing.T, tr *Trace, id string) Entry {
	t.Helper()
	i := slices.IndexFunc(tr.Entries, func(e Entry) bool { return e.ID == id })
	if i < 0 {
		t.Fatalf("no entry %s in %+v", id, tr.Entries)
	}
	return tr.Entries[i]
}

// spark is Spark's family.
var spark = Family{Head: "Driver", Members: []string{"Exec", "Fetcher"}}

// Each of two applications has a Driver and an executor 0 with a fetcher; a Worker was started anew.
func TestMergeNames(t *testing.T) {
	p := &tracetest.Play{T: t}
	p.Process("Master", "h:1")
	for range 2 {
		p.Ms++
		d := p.Process("Driver", "")
		x := p.Process("Exec0", "")
		f := p.Process("Fetcher0", "")
		p.Send(p.Connect(f, d), f, "", "S", nil, tracetest.OneWay, &rpc.Bool{})
		l := p.Connect(x, d)
		p.Send(l, x, "Executor", "S", nil, tracetest.OneWay, &rpc.Bool{})
		p.Ms++
		p.Process("Worker1", "h:2")
	}
	p.Ms++
	f := p.Process("Fetcher0", "")
	p.Send(p.Connect(f, p.Procs[1]), f, "", "S", nil, tracetest.OneWay, &rpc.Bool{})
	lost := tracetest.NewTape(t)
	lost.Sent(3, "E", "", "E", 9, lost.Next(3), nil, tracetest.OneWay, &rpc.Bool{})
	ns := newNames(spark, append(p.Files(), lost.Records))
	var got []string
	for _, e := range ns.sorted {
		got = append(got, e.name)
	}
	want := "Master Driver Exec0 Fetcher0 Worker1 Driver2 Exec2.0 Fetcher2.0 Worker1#2 Fetcher0#2 Env3"
	slices.Sort(got)
	fields := strings.Fields(want)
	slices.Sort(fields)
	if !slices.Equal(got, fields) {
		t.Errorf("names\n%v, want\n%v", got, fields)
	}
}

func TestMergeNamesTheReceiver(t *testing.T) {
	master, worker := tracetest.NewTape(t), tracetest.NewTape(t)
	master.Env(1, "Master", "h:7077", 0)
	worker.Env(1, "Worker1", "h:1", 1)
	ask := func(n uint64, peer, address string) {
		worker.Add(&tracepb.Record{
			Kind: tracepb.Kind_SENT, Id: tracetest.Wire(n<<32, false, 1), Env: 1, Endpoint: "Worker", To: "Master", Peer: peer, Address: address,
			Type: "rpc.Bool", Time: tracetest.At(2),
		})
	}
	ask(1, "", "h:7077")
	ask(2, "Master", "")
	ask(3, "", "elsewhere:1")
	ask(4, "", "")
	ask(5, "wrong", "wrong:1")
	master.Handled(1, "Master", 3, tracetest.Wire(5<<32, false, 1), "")
	tr := Merge(master.Records, worker.Records)
	for id, want := range map[string]string{
		"00000001.>.1": "Master/Master", "00000002.>.1": "Master/Master", "00000003.>.1": "elsewhere:1/Master",
		"00000004.>.1": "?/Master", "00000005.>.1": "Master/Master",
	} {
		if e := find(t, tr, id); e.To != want || e.From != "Worker1/Worker" || e.Handled != (id == "00000005.>.1") {
			t.Errorf("%s: %s -> %s handled %v, want to %s", id, e.From, e.To, e.Handled, want)
		}
	}
}

// The sender's file may be lost: then the receiver's shows the message.
func TestMergeOfHandledAlone(t *testing.T) {
	master := tracetest.NewTape(t)
	master.Env(1, "Master", "", 0)
	master.Handled(1, "Master", 3, tracetest.Wire(5<<32, false, 1), "boom")
	e := find(t, Merge(master.Records), "00000005.>.1")
	if e.From != Unknown || e.To != "Master/Master" || !e.Handled || e.Sent != e.Recv || e.Outcome != "boom" {
		t.Errorf("entry %+v", e)
	}
}

// A reply carries its question's type and the body of its own, whichever of the two was recorded.
func TestMergeAnswers(t *testing.T) {
	for _, recorded := range []string{"rpc.Bool", "rpc.CheckExistence", "deploy.Heartbeat named"} {
		p := tracetest.NewTape(t)
		p.Env(1, "Master", "", 0)
		q := tracetest.Wire(1<<32, false, 1)
		p.Sent(1, "W", "", "endpoint-verifier", 1, q, nil, tracepb.Form_ASK, &rpc.CheckExistence{Name: "x"})
		p.Sent(1, "endpoint-verifier", "", "W", 2, tracetest.Wire(1<<32, true, 1), q, tracepb.Form_REPLY, &rpc.Bool{Value: true})
		typ, named := strings.CutSuffix(recorded, " named")
		if p.Records[2].Type = typ; named {
			p.Records[2].Name = "rpc.Bool"
		}
		p.Sent(1, "endpoint-verifier", "", "W", 3, tracetest.Wire(1<<32, true, 2), q, tracepb.Form_FAIL, &rpc.Failure{Code: "ErrNoReply"})
		tr := Merge(p.Records)
		if e := find(t, tr, "00000001.<.1"); e.Type != "CheckExistence" || e.Message != "rpc.Bool" || e.Body != `{"value":true}` {
			t.Errorf("recorded as %s: %+v", recorded, e)
		}
		if e := find(t, tr, "00000001.<.2"); e.Type != "CheckExistence" || e.Message != "rpc.Failure" || e.Form != FormFail {
			t.Errorf("failure: %+v", e)
		}
	}
}

func TestMergeKeepsLocalIDsOfFilesApart(t *testing.T) {
	var files [][]*tracepb.Record
	for _, name := range []string{"A", "B"} {
		p := tracetest.NewTape(t)
		p.Env(1, name, "", 0)
		id := p.Next(1)
		p.Sent(1, "E", "", "E", 1, id, nil, tracetest.OneWay, wrapperspb.String(name))
		p.Handled(1, "E", 2, id, "")
		p.Records[1].Type = "main.Tick"
		files = append(files, p.Records)
	}
	tr := Merge(files...)
	if len(tr.Entries) != 2 {
		t.Fatalf("%d entries, want 2", len(tr.Entries))
	}
	for _, name := range []string{"A", "B"} {
		if e := find(t, tr, name+".1"); e.From != name+"/E" || e.To != name+"/E" || e.Type != "Tick" || e.Body != "" {
			t.Errorf("%+v", e)
		}
	}
}

// In a simulated world everything may happen at one moment: then what was caused comes after its cause.
func TestMergeOrderAtEqualTimes(t *testing.T) {
	p := tracetest.NewTape(t)
	p.Env(1, "A", "", 0)
	start := p.Next(1)
	m := p.Next(1)
	p.Sent(1, "E", "", "E", 0, m, start, tracetest.OneWay, &rpc.Bool{})
	p.Item(1, "E", "OnStart", 0, start, nil)
	p.Handled(1, "E", 0, m, "")
	tr := Merge(p.Records)
	if tr.Entries[0].ID != "A.1" || tr.Entries[1].ID != "A.2" {
		t.Errorf("order %s, %s", tr.Entries[0].ID, tr.Entries[1].ID)
	}
}

func TestMergeOfConnectionsThatBeginAlike(t *testing.T) {
	p := tracetest.NewTape(t)
	p.Env(1, "A", "", 0)
	p.Sent(1, "E", "", "E", 0, tracetest.Wire(7<<32|1, false, 1), nil, tracetest.OneWay, &rpc.Bool{})
	p.Sent(1, "E", "", "E", 0, tracetest.Wire(7<<32|2, false, 1), nil, tracetest.OneWay, &rpc.Bool{})
	tr := Merge(p.Records)
	find(t, tr, "0000000700000001.>.1")
	find(t, tr, "0000000700000002.>.1")
}
