package show

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/coherer/coherer/messages/rpc"
	tracepb "github.com/coherer/coherer/messages/trace"
	"github.com/coherer/coherer/rpcenv/trace"
	"github.com/coherer/coherer/rpcenv/trace/internal/tracetest"
	"github.com/coherer/coherer/rpcenv/trace/record"
)

func TestTextTellsAnAskThatWasKeptFromOneThatFailed(t *testing.T) {
	for outcome, want := range map[string]string{"": "Job", record.OutcomeDeferred: "Job (to be answered later)", "boom": "Job (handling failed: boom)"} {
		e := trace.Entry{K: trace.KindMsg, Form: trace.FormAsk, From: "a/b", To: "c/d", Type: "Job", Outcome: outcome}
		if got := Line(&e); !strings.HasSuffix(got, " "+want) {
			t.Errorf("outcome %q: %q, want it to end with %q", outcome, got, want)
		}
	}
}

func TestWhatNoRecordTellsIsAnEllipsis(t *testing.T) {
	answer := trace.Entry{K: trace.KindMsg, Form: trace.FormReply, ID: "2", Cause: "1", From: "M/M", To: "D/D", Type: "CheckExistence", Message: boolType, Cut: true}
	failed := trace.Entry{K: trace.KindMsg, Form: trace.FormFail, ID: "3", Cause: "1", From: "M/M", To: "D/D", Type: "CheckExistence", Message: "rpc.Failure", Cut: true}
	ask := trace.Entry{K: trace.KindMsg, Form: trace.FormAsk, ID: "1", From: "D/D", To: "M/M", Type: "CheckExistence", Message: existenceType, Cut: true}
	tr := &trace.Trace{Entries: []trace.Entry{ask, answer, failed}}
	var text strings.Builder
	if err := WriteText(&text, tr); err != nil {
		t.Fatal(err)
	}
	for face, got := range map[string]string{"forest": Forest(tr.Entries, TextOptions{}), "mermaid": Mermaid(tr), "svg": SVG(tr), "text": text.String()} {
		if strings.Contains(got, "false") || strings.Count(got, "…") < 3 {
			t.Errorf("%s:\n%s", face, got)
		}
	}
	answer.Cut, answer.Body = false, "{}"
	if got := boolText(&answer); got != "false" {
		t.Errorf("a whole body without a value is %s", got)
	}
}

func TestABodyThatWasCutBetweenFieldsIsCut(t *testing.T) {
	p := tracetest.NewTape(t)
	p.Env(1, "Master", "", 0)
	p.Sent(1, "M", "Driver", "D", 1, tracetest.Wire(7, true, 1), nil, tracepb.Form_REPLY, &rpc.Bool{Value: true})
	p.Records[1].Body, p.Records[1].Bytes = nil, 6
	if e := trace.Merge(p.Records).Entries[0]; !e.Cut || boolText(&e) != notRecorded {
		t.Errorf("cut %v: %s", e.Cut, boolText(&e))
	}
	p.Records[1].Bytes = 4
	if e := trace.Merge(p.Records).Entries[0]; e.Cut || boolText(&e) != "false" {
		t.Errorf("a whole one: cut %v: %s", e.Cut, boolText(&e))
	}
}

// What an ask is whose sender is not recorded follows from its answer.
func TestAnAnswerTellsWhatItsQuestionWas(t *testing.T) {
	p := tracetest.NewTape(t)
	p.Env(1, "Master", "", 0)
	p.Handled(1, "M", 1, tracetest.Wire(7, false, 1), "")
	p.Sent(1, "M", "Driver", "D", 2, tracetest.Wire(7, true, 1), tracetest.Wire(7, false, 1), tracepb.Form_REPLY, &rpc.Bool{Value: true})
	p.Records[2].Type, p.Records[2].Name = existenceType, boolType
	tr := trace.Merge(p.Records)
	if got, want := Line(&tr.Entries[0]), "=> Master/M                       CheckExistence …"; !strings.Contains(got, want) {
		t.Errorf("%s, want %s", got, want)
	}
	if got, want := labels(view{}, tr.Entries), "CheckExistence(…), true"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestCausesOf(t *testing.T) {
	tr := trace.Merge(tracetest.SparkRun(t, 1, 1)...)
	var last trace.Entry
	for _, e := range tr.Entries {
		if e.Type == "LaunchExecutor" {
			last = e
		}
	}
	c, err := tr.CausesOf(last.ID)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range c.Entries {
		got = append(got, e.Name+e.Type+" "+e.Form)
	}
	if want := "OnStart |CheckExistence ask|CheckExistence reply|RegisterApplication send|LaunchExecutor send"; strings.Join(got, "|") != want {
		t.Errorf("chain %q, want %q", got, want)
	}
	var b strings.Builder
	if err := WriteChain(&b, c); err != nil {
		t.Fatal(err)
	}
	tracetest.Golden(t, "chain.txt", b.String())
}

func TestWriteText(t *testing.T) {
	var b strings.Builder
	if err := WriteText(&b, trace.Merge(tracetest.SparkRun(t, 1, 1)...)); err != nil {
		t.Fatal(err)
	}
	tracetest.Golden(t, "run.txt", b.String())
}

func FuzzWriteText(f *testing.F) {
	header := `{"format":"coherer-trace/1","source":"sim"}` + "\n"
	f.Add(header + `{"k":"item","id":"W.1","at":"W","name":"OnStart","start":1,"end":2,"body":{"a":[1,{"b":"c"}]},"x":1}` + "\r\n\n")
	f.Add(header + `{"k":"msg","recv":-1,"body":"no object","cut":true}`)
	f.Add(header + `{"k":"msg","type":"StatusUpdate","message":"app.StatusUpdate","body":{"taskId":1,"state":{"a":[]}}}`)
	f.Fuzz(func(t *testing.T, text string) {
		tr, err := trace.ReadJSONL(strings.NewReader(text))
		if tr == nil {
			return
		}
		if err := errors.Join(err, WriteText(io.Discard, tr)); err != nil && !errors.Is(err, record.ErrTorn) {
			t.Fatal(err)
		}
	})
}
