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
	"github.com/coherer/coherer/rpcenv/trace/internal/tracetest"
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

// drawCauses is a run whose causes are earlier entries, some of them at the same time; a connection causes nothing.
func drawCauses(t *rapid.T) []Entry {
	sent := int64(0)
	var run []Entry
	for i := range rapid.IntRange(1, 250).Draw(t, "entries") {
		sent += rapid.SampledFrom([]int64{0, 1e6, 1e6, 2e9}).Draw(t, "after")
		e := Entry{K: rapid.SampledFrom([]string{KindMsg, KindMsg, KindItem, KindDrop}).Draw(t, "kind"), ID: fmt.Sprint("m", i), Sent: sent}
		if rapid.IntRange(0, 9).Draw(t, "conn") == 0 {
			e.K, e.ID = KindConn, "c"
		} else if i > 0 && rapid.IntRange(0, 4).Draw(t, "root") > 0 {
			if cause := run[rapid.IntRange(max(0, i-8), i-1).Draw(t, "cause")]; cause.K != KindConn {
				e.Cause = cause.ID
			}
		}
		run = append(run, e)
	}
	return run
}

func TestReadJSONLOrdersWhatWasToldLate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		run := drawCauses(t)
		var text bytes.Buffer
		tr := Trace{Start: tracetest.Began, Entries: rapid.Permutation(run).Draw(t, "order")}
		if err := tr.WriteJSONL(&text); err != nil {
			t.Fatal(err)
		}
		back, err := ReadJSONL(&text)
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]bool{}
		known := (&Trace{Entries: run}).ByID()
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
func skewed(t *testing.T) (asker, answerer *tracetest.Tape) {
	asker, answerer = tracetest.NewTape(t), tracetest.NewTape(t)
	asker.Env(1, "Driver", "", 500)
	answerer.Env(1, "Master", "", 200)
	id := asker.Next(1)
	asker.Item(1, "D", "OnStart", 505, id, nil)
	asker.Sent(1, "D", "Master", "M", 510, tracetest.Wire(7, false, 1), id, tracepb.Form_ASK, &rpc.CheckExistence{Name: "M"})
	answerer.Handled(1, "M", 211, tracetest.Wire(7, false, 1), "")
	answerer.Sent(1, "M", "Driver", "D", 212, tracetest.Wire(7, true, 1), tracetest.Wire(7, false, 1), tracepb.Form_REPLY, &rpc.Bool{Value: true})
	asker.Handled(1, "D", 514, tracetest.Wire(7, true, 1), "")
	return asker, answerer
}

func TestAnAnswerByAClockBehindFollowsItsQuestion(t *testing.T) {
	asker, answerer := skewed(t)
	var whole []string
	for _, e := range Merge(asker.Records, answerer.Records).Entries {
		whole = append(whole, fmt.Sprint(e.K, " ", e.Form))
	}
	if want := []string{"item ", "msg ask", "msg reply"}; !reflect.DeepEqual(whole, want) {
		t.Errorf("%q, want %q", whole, want)
	}
	f := NewFollower(spark)
	f.Add("1", asker.Records)
	f.Add("2", answerer.Records)
	var pieces []string
	for _, ms := range []int{250, 507, 600} {
		for _, e := range f.Settled(tracetest.Began.Add(time.Duration(ms) * time.Millisecond)).Entries {
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
