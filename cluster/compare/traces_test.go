package compare

import (
	"slices"
	"strings"
	"testing"

	"github.com/coherer/coherer/rpcenv/trace"
)

func simulated() *trace.Trace {
	return &trace.Trace{Source: "sim", Seed: 7, Program: "p", Entries: []trace.Entry{
		{K: trace.KindMsg, ID: "a.>.1", Form: trace.FormSend, From: "W1/Worker", To: "M/Master", Type: "A", Sent: 1, Body: `{"x":1}`},
		{K: trace.KindMsg, ID: "a.>.2", Form: trace.FormAsk, From: "W1/Worker", To: "M/Master", Type: "B", Sent: 2},
		{K: trace.KindMsg, ID: "a.<.1", Cause: "a.>.2", Form: trace.FormReply, From: "M/Master", To: "W1/Worker", Type: "B", Message: "rpc.Bool", Sent: 3},
	}}
}

func TestTracesOfOneSeed(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*trace.Trace)
		want   []string
	}{
		"the same": {func(*trace.Trace) {}, nil},
		"a time":   {func(t *trace.Trace) { t.Entries[1].Sent = 9 }, []string{"line 3: sent differs", "sent: 2 in A, 9 in B", "W1/Worker", "is not a function of its seed"}},
		"a body": {
			func(t *trace.Trace) { t.Entries[0].Body, t.Entries[0].Type = `{"x":2}`, "C" },
			[]string{"line 2: body, type differ", `type: "A" in A, "C" in B`},
		},
		"it ends":  {func(t *trace.Trace) { t.Entries = t.Entries[:2] }, []string{"line 4: B has ended, A goes on"}},
		"goes on":  {func(t *trace.Trace) { t.Entries = append(t.Entries, trace.Entry{K: trace.KindItem}) }, []string{"line 5: A has ended, B goes on"}},
		"program":  {func(t *trace.Trace) { t.Program, t.Entries[1].Type = "q", "C" }, []string{"the program differs: p in A, q in B", "seed 7 does not replay", "the programs differ"}},
		"version":  {func(t *trace.Trace) { t.Version, t.Entries[1].Type = "v2", "C" }, []string{"the version differs: not recorded in A, v2 in B", "the versions or settings differ"}},
		"a header": {func(t *trace.Trace) { t.Version = "v2" }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			b := simulated()
			c.change(b)
			v := Traces(simulated(), b)
			text := strings.Join(append(v.Notes, v.Differences...), "\n")
			if v.By != ByEntry || v.Same != (c.want == nil) || len(v.Differences) > 1 {
				t.Errorf("%+v", v)
			}
			for _, want := range c.want {
				if !strings.Contains(text, want) {
					t.Errorf("%s\nwant %q", text, want)
				}
			}
		})
	}
}

func TestTracesByConversation(t *testing.T) {
	a, b := simulated(), simulated()
	b.Seed = 8
	b.Entries[0].Sent = 2 // no matter
	v := Traces(a, b)
	if !v.Same || v.By != ByConversation || !slices.Equal(v.Notes, []string{"the seed differs: 7 in A, 8 in B"}) {
		t.Errorf("%+v", v)
	}
	b.Entries[0], b.Entries[1] = b.Entries[1], b.Entries[0]
	b.Entries[2].Message = "rpc.Failure"
	b.Entries = append(b.Entries, trace.Entry{K: trace.KindMsg, ID: "a.>.3", Form: trace.FormSend, From: "W1/Worker", To: "M/Master", Type: "C"})
	a.Entries = append(a.Entries, trace.Entry{K: trace.KindMsg, ID: "a.>.3", Form: trace.FormSend, From: "W1/Worker", To: "M/Master", Type: "D"})
	want := []string{
		"only in A: Worker -> Master [Master] D",
		"answer: Worker => Master [Master] B is answered with Failure, in A with Bool",
		"only in B: Worker -> Master [Master] C",
		"order: Worker -> Master [Master] A comes after Worker => Master [Master] B, in A before",
	}
	if v := Traces(a, b); v.Same || !slices.Equal(v.Differences, want) {
		t.Errorf("%s", strings.Join(v.Differences, "\n"))
	}
}
