package show

import (
	"strings"
	"testing"

	"github.com/coherer/coherer/messages/rpc"
	tracepb "github.com/coherer/coherer/messages/trace"
	"github.com/coherer/coherer/rpcenv/trace"
	"github.com/coherer/coherer/rpcenv/trace/internal/tracetest"
)

var scriptForm = TextOptions{OmitPlace: true, Substitute: strings.NewReplacer(tracetest.WorkerID, "$Worker1", tracetest.AppID, "$app").Replace}

func TestForestOfARun(t *testing.T) {
	tracetest.Golden(t, "run.forest", Forest(trace.Merge(tracetest.SparkRun(t, 1, 3)...).Entries, scriptForm))
}

func TestForest(t *testing.T) {
	msg := func(id, cause, form, from, to, typ, message, body string) trace.Entry {
		return trace.Entry{K: trace.KindMsg, ID: id, Cause: cause, Form: form, From: from, To: to, Type: typ, Message: message, Body: body}
	}
	item := func(id, cause, at, name string) trace.Entry {
		return trace.Entry{K: trace.KindItem, ID: id, Cause: cause, At: at, Name: name}
	}
	tests := []struct {
		name    string
		entries []trace.Entry
		want    string
	}{
		{"nothing", nil, ""},
		{"an item that caused nothing", []trace.Entry{item("W1.1", "", "W1/Worker", "OnStart")}, ""},
		{
			"a cause outside of the slice",
			[]trace.Entry{msg("M.1", "M.0", trace.FormSend, "M/Master", "M/Master", "Tick", "master.Tick", "")},
			"M -> M Master Tick\n",
		},
		{
			"a failure",
			[]trace.Entry{
				msg("a.>.1", "", trace.FormAsk, "W1/Worker", "M/Master", "Q", "x.Q", "{}"),
				msg("a.<.1", "a.>.1", trace.FormFail, "M/Master", "W1/Worker", "Q", "rpc.Failure", `{"code":"ErrNoReply","message":"no $x\nat"}`),
			},
			"W1 => M Master Q()\n  W1 <= M fail ErrNoReply no $x\n",
		},
		{
			"a reply that is no Boolean",
			[]trace.Entry{msg("a.<.1", "", trace.FormReply, "M/Master", "W1/Worker", "Q", "x.R", `{"n":0,"s":"a b"}`)},
			"W1 <= M R(n=0 s=\"a b\")\n",
		},
		{
			"a Run result is transparent",
			[]trace.Entry{
				item("W1.1", "", "W1/Worker", "OnStart"),
				item("W1.2", "W1.1", "W1/Worker", "run fetch"),
				item("W1.3", "W1.2", "W1/Worker", "run fetch"),
				msg("W1.4", "W1.3", trace.FormSend, "W1/Worker", "W1/Worker", "Done", "", ""),
			},
			"W1.OnStart\n  W1 -> W1 Worker Done\n",
		},
		{
			"ticks that did the same, and one that did not",
			[]trace.Entry{
				item("W1.1", "", "W1/Worker", "timer Beat"),
				msg("W1.2", "W1.1", trace.FormSend, "W1/Worker", "M/Master", "B", "", ""),
				item("W1.3", "", "W1/Worker", "timer Beat"),
				item("W1.4", "", "W1/Worker", "timer Beat"),
				msg("W1.5", "W1.4", trace.FormSend, "W1/Worker", "M/Master", "C", "", ""),
				item("W1.6", "", "W1/Worker", "timer Beat"),
				msg("W1.7", "W1.6", trace.FormSend, "W1/Worker", "M/Master", "B", "", ""),
			},
			"W1 timer Beat x2\n  W1 -> M Master B\nW1 timer Beat\n  W1 -> M Master C\n",
		},
		{
			"a message sent twice is no tick",
			[]trace.Entry{
				msg("W1.1", "", trace.FormSend, "W1/Worker", "M/Master", "B", "", ""),
				msg("W1.2", "", trace.FormSend, "W1/Worker", "M/Master", "B", "", ""),
			},
			"W1 -> M Master B\nW1 -> M Master B\n",
		},
		{
			"events",
			[]trace.Entry{
				{K: trace.KindItem, ID: "M.1", At: "M/Master", To: "W1", Name: "disconnected"},
				msg("M.2", "M.1", trace.FormSend, "M/Master", "D/AppClient", "ExecutorUpdated", "", ""),
				item("W1.1", "", "W1/Worker", "outside executor exited"),
				msg("W1.2", "W1.1", trace.FormSend, "W1/Worker", "M/Master", "B", "", ""),
				{K: trace.KindDrop, Cause: "W1.1", From: "W1/Worker", To: "M/Master", Type: "B"},
			},
			"M disconnected W1\n  M -> D AppClient ExecutorUpdated\nW1 outside executor exited\n  W1 -> M Master B\n",
		},
		{"causes in a ring", []trace.Entry{
			msg("W1.1", "W1.2", trace.FormSend, "W1/Worker", "M/Master", "B", "", ""),
			msg("W1.2", "W1.1", trace.FormSend, "W1/Worker", "M/Master", "B", "", ""),
		}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Forest(tt.entries, TextOptions{}); got != tt.want {
				t.Errorf("got\n%swant\n%s", got, tt.want)
			}
		})
	}
}

// What a message within a process caused stands in its place, also below others of its kind.
func TestForestWithoutInnerMessages(t *testing.T) {
	msg := func(id, cause, form, from, to string) trace.Entry {
		return trace.Entry{K: trace.KindMsg, ID: id, Cause: cause, Form: form, From: from, To: to, Type: id}
	}
	entries := []trace.Entry{
		msg("Ask", "", trace.FormAsk, "E/Executor", "D/Scheduler"),
		msg("Change", "Ask", trace.FormSend, "D/Scheduler", "D/DAGScheduler"),
		msg("Tasks", "Change", trace.FormAsk, "D/DAGScheduler", "D/Scheduler"),
		msg("Launch", "Tasks", trace.FormSend, "D/Scheduler", "E/Executor"),
		msg("Taken", "Tasks", trace.FormReply, "D/Scheduler", "D/DAGScheduler"),
		msg("Stop", "Taken", trace.FormSend, "D/DAGScheduler", "E/Executor"),
		msg("Root", "", trace.FormSend, "D/Program", "D/DAGScheduler"),
		msg("Wish", "Root", trace.FormSend, "D/DAGScheduler", "M/Master"),
	}
	const want = "E => D Scheduler Ask\n  D -> E Executor Launch\n  D -> E Executor Stop\nD -> M Master Wish\n"
	if got := Forest(entries, TextOptions{Omit: func(e *trace.Entry) bool { return trace.Peer(e.From) == trace.Peer(e.To) }}); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// The item of a connection event says whose it is by the record's peer.
func TestForestNamesWhoDisconnected(t *testing.T) {
	m, w := tracetest.NewTape(t), tracetest.NewTape(t)
	m.Env(1, "M", "h:1", 0)
	w.Env(1, "W1", "h:2", 0)
	gone := m.Next(1)
	m.Add(&tracepb.Record{Kind: tracepb.Kind_ITEM, Id: gone, Env: 1, Endpoint: "Master", Name: "disconnected", Address: "h:2", Time: tracetest.At(2)})
	m.Sent(1, "Master", "", "Master", 2, m.Next(1), gone, tracetest.OneWay, &rpc.Bool{})
	want := "M disconnected W1\n  M -> M Master Bool()\n"
	if got := Forest(trace.Merge(m.Records, w.Records).Entries, scriptForm); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}
