package trace

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/coherer/coherer/messages/rpc"
	tracepb "github.com/coherer/coherer/messages/trace"
)

func idsOf(entries []Entry) string {
	var ids []string
	for i := range entries {
		ids = append(ids, entries[i].ID)
	}
	return strings.Join(ids, " ")
}

func TestCauseDecidesWhereClocksTieOrContradict(t *testing.T) {
	for _, c := range []struct {
		want string
		in   []Entry
	}{
		{"q a b", []Entry{{K: KindMsg, ID: "a", Cause: "q", Sent: 5}, {K: KindMsg, ID: "q", Sent: 5}, {K: KindMsg, ID: "b", Sent: 6}}},
		{"b q a c", []Entry{{K: KindMsg, ID: "c", Cause: "a", Sent: 1}, {K: KindMsg, ID: "a", Cause: "q", Sent: 2}, {K: KindMsg, ID: "q", Sent: 9}, {K: KindMsg, ID: "b", Sent: 6}}},
		{"c a b", []Entry{{K: KindMsg, ID: "a", Cause: "b"}, {K: KindMsg, ID: "b", Cause: "a"}, {K: KindMsg, ID: "c", Cause: "?"}}},
		{"m", []Entry{{K: KindMsg, ID: "m", Cause: "m"}}},
	} {
		if got := idsOf(inOrder(c.in)); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}

func TestReadJSONLOrdersWhatWasToldLate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		run := drawRun(t)
		var text bytes.Buffer
		tr := Trace{Start: began, Entries: rapid.Permutation(run).Draw(t, "order")}
		if err := tr.WriteJSONL(&text); err != nil {
			t.Fatal(err)
		}
		back, err := ReadJSONL(&text)
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]bool{}
		known := (&Trace{Entries: run}).byID()
		for i := range back.Entries {
			e := &back.Entries[i]
			if known[e.Cause] != nil && !seen[e.Cause] {
				t.Fatalf("%s stands above its cause %s", e.ID, e.Cause)
			}
			seen[e.ID] = true
		}
		if len(back.Entries) != len(run) {
			t.Fatalf("%d entries of %d", len(back.Entries), len(run))
		}
	})
}

// skewed is an ask and its answer, of processes whose clocks differ: the one that answers is 300 ms behind.
func skewed(t *testing.T) (asker, answerer *tape) {
	asker, answerer = newTape(t), newTape(t)
	asker.env(1, "Driver", "", 500)
	answerer.env(1, "Master", "", 200)
	id := asker.next(1)
	asker.item(1, "D", "OnStart", 505, id, nil)
	asker.sent(1, "D", "Master", "M", 510, wire(7, false, 1), id, tracepb.Form_ASK, &rpc.CheckExistence{Name: "M"})
	answerer.handled(1, "M", 211, wire(7, false, 1), "")
	answerer.sent(1, "M", "Driver", "D", 212, wire(7, true, 1), wire(7, false, 1), tracepb.Form_REPLY, &rpc.Bool{Value: true})
	asker.handled(1, "D", 514, wire(7, true, 1), "")
	return asker, answerer
}

func TestAnAnswerByAClockBehindFollowsItsQuestion(t *testing.T) {
	asker, answerer := skewed(t)
	var whole []string
	for _, e := range Merge(asker.records, answerer.records).Entries {
		whole = append(whole, fmt.Sprint(e.K, " ", e.Form))
	}
	if want := []string{"item ", "msg ask", "msg reply"}; !reflect.DeepEqual(whole, want) {
		t.Errorf("%q, want %q", whole, want)
	}
	f := NewFollower()
	f.Add("1", asker.records)
	f.Add("2", answerer.records)
	var pieces []string
	for _, ms := range []int{250, 507, 600} {
		for _, e := range f.Settled(began.Add(time.Duration(ms) * time.Millisecond)).Entries {
			pieces = append(pieces, fmt.Sprint(e.K, " ", e.Form))
		}
	}
	if !slices.Equal(pieces, whole) {
		t.Errorf("followed: %q, want %q", pieces, whole)
	}
	for _, s := range f.sources {
		if len(s.waiting) > 0 {
			t.Errorf("%d records are kept", len(s.waiting))
		}
	}
}

func TestWhatNoRecordTellsIsAnEllipsis(t *testing.T) {
	answer := Entry{K: KindMsg, Form: FormReply, ID: "2", Cause: "1", From: "M/M", To: "D/D", Type: "CheckExistence", Message: boolType, Cut: true}
	failed := Entry{K: KindMsg, Form: FormFail, ID: "3", Cause: "1", From: "M/M", To: "D/D", Type: "CheckExistence", Message: failureType, Cut: true}
	ask := Entry{K: KindMsg, Form: FormAsk, ID: "1", From: "D/D", To: "M/M", Type: "CheckExistence", Message: existenceType, Cut: true}
	tr := &Trace{Entries: []Entry{ask, answer, failed}}
	var text strings.Builder
	if err := tr.WriteText(&text); err != nil {
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
	p := newTape(t)
	p.env(1, "Master", "", 0)
	p.sent(1, "M", "Driver", "D", 1, wire(7, true, 1), nil, tracepb.Form_REPLY, &rpc.Bool{Value: true})
	p.records[1].Body, p.records[1].Bytes = nil, 6
	if e := Merge(p.records).Entries[0]; !e.Cut || boolText(&e) != notRecorded {
		t.Errorf("cut %v: %s", e.Cut, boolText(&e))
	}
	p.records[1].Bytes = 4
	if e := Merge(p.records).Entries[0]; e.Cut || boolText(&e) != "false" {
		t.Errorf("a whole one: cut %v: %s", e.Cut, boolText(&e))
	}
}

// What an ask is whose sender is not recorded follows from its answer.
func TestAnAnswerTellsWhatItsQuestionWas(t *testing.T) {
	p := newTape(t)
	p.env(1, "Master", "", 0)
	p.handled(1, "M", 1, wire(7, false, 1), "")
	p.sent(1, "M", "Driver", "D", 2, wire(7, true, 1), wire(7, false, 1), tracepb.Form_REPLY, &rpc.Bool{Value: true})
	p.records[2].Type, p.records[2].Name = existenceType, boolType
	tr := Merge(p.records)
	if got, want := tr.Entries[0].Text(), "=> Master/M                       CheckExistence …"; !strings.Contains(got, want) {
		t.Errorf("%s, want %s", got, want)
	}
	if got, want := labels(view{}, tr.Entries), "CheckExistence(…), true"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
