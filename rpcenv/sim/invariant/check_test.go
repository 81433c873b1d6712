package invariant_test

import (
	"slices"
	"testing"

	"go.uber.org/goleak"

	tracepb "github.com/coherer/coherer/messages/trace"
	"github.com/coherer/coherer/rpcenv/sim/invariant"
	"github.com/coherer/coherer/rpcenv/trace/record"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The two Envs of the tests, each with an endpoint E, and a connection from the first to the second.
const (
	a, b = 1, 2
	link = 77
)

func wire(n uint64) *tracepb.Id              { return &tracepb.Id{Conn: link, N: n} }
func back(n uint64) *tracepb.Id              { return &tracepb.Id{Conn: link, Back: true, N: n} }
func local(env uint32, n uint64) *tracepb.Id { return &tracepb.Id{Env: env, N: n} }

func item(env uint32, name string, from, to uint64) *tracepb.Record {
	return &tracepb.Record{Kind: tracepb.Kind_ITEM, Env: env, Endpoint: "E", Name: name, Started: from, Time: to, Id: local(env, from)}
}

func sent(env uint32, id *tracepb.Id, form tracepb.Form) *tracepb.Record {
	return &tracepb.Record{Kind: tracepb.Kind_SENT, Env: env, Endpoint: "E", To: "E", Id: id, Form: form, Type: "M"}
}

func handled(env uint32, id *tracepb.Id, from, to uint64) *tracepb.Record {
	return &tracepb.Record{Kind: tracepb.Kind_HANDLED, Env: env, Endpoint: "E", Id: id, Started: from, Time: to}
}

func because(r *tracepb.Record, cause *tracepb.Id) *tracepb.Record {
	r.Cause = cause
	return r
}

// begun is the beginning of each of the traces.
func begun(more ...*tracepb.Record) []*tracepb.Record {
	return append([]*tracepb.Record{
		{Kind: tracepb.Kind_ENV, Env: a, Peer: "A"},
		{Kind: tracepb.Kind_ENV, Env: b, Peer: "B"},
		item(a, "OnStart", 1, 1), item(b, "OnStart", 1, 1),
	}, more...)
}

const (
	send  = tracepb.Form_SEND
	ask   = tracepb.Form_ASK
	reply = tracepb.Form_REPLY
)

var (
	crash  = &tracepb.Record{Kind: tracepb.Kind_STATE, Env: b, Name: "process", To: "crashed"}
	ending = &tracepb.Record{Kind: tracepb.Kind_CONN, Env: a, Name: "disconnected", Id: &tracepb.Id{Conn: link}}
	loss   = &tracepb.Record{Kind: tracepb.Kind_DROP, Env: a, Endpoint: "E", To: "E", Type: "M", Id: local(record.WorldEnv, 1), Cause: wire(1)}
	moved  = &tracepb.Record{Kind: tracepb.Kind_STATE, Env: record.WorldEnv, Name: "fault", To: "reordered", Cause: wire(1)}
)

func TestWhatATraceBreaks(t *testing.T) {
	for _, c := range []struct {
		name    string
		records []*tracepb.Record
		want    []invariant.Rule
	}{
		{"good", begun(sent(a, wire(1), send), sent(a, wire(2), ask), handled(b, wire(1), 2, 3), handled(b, wire(2), 3, 4),
			because(sent(b, back(1), reply), wire(2)), because(handled(a, back(1), 5, 5), wire(2)), item(b, "OnStop", 9, 9)), nil},
		{"order", begun(sent(a, wire(1), send), sent(a, wire(2), send), handled(b, wire(2), 2, 2), handled(b, wire(1), 3, 3)), []invariant.Rule{invariant.FIFO}},
		{"reordered by a fault", begun(sent(a, wire(1), send), moved, sent(a, wire(2), send), handled(b, wire(2), 2, 2), handled(b, wire(1), 3, 3)), nil},
		{"twice", begun(sent(a, wire(1), send), handled(b, wire(1), 2, 2), handled(b, wire(1), 3, 3)), []invariant.Rule{invariant.Once}},
		{"a copy", begun(sent(a, wire(1), send), sent(a, wire(record.CopyOf(1, 1)), send), handled(b, wire(1), 2, 2), handled(b, wire(record.CopyOf(1, 1)), 3, 3)), nil},
		{"made up", begun(handled(b, wire(1), 2, 2)), []invariant.Rule{invariant.MadeUp}},
		{"before OnStart", append([]*tracepb.Record{{Kind: tracepb.Kind_ENV, Env: b}}, item(b, "timer T", 1, 1)), []invariant.Rule{invariant.Start}},
		{"after OnStop", begun(item(b, "OnStop", 2, 2), item(b, "timer T", 3, 3)), []invariant.Rule{invariant.Stop}},
		{"OnStop twice", begun(item(b, "OnStop", 2, 2), item(b, "OnStop", 3, 3)), []invariant.Rule{invariant.Stop}},
		{"overlap", begun(item(b, "timer T", 2, 5), item(b, "timer U", 4, 6)), []invariant.Rule{invariant.Serial}},
		{"lost", begun(sent(a, wire(1), send)), []invariant.Rule{invariant.Lost}},
		{"lost by a fault", begun(sent(a, wire(1), send), loss), nil},
		{"lost with its connection", begun(sent(a, wire(1), send), ending), nil},
		{"lost with its receiver", begun(sent(a, wire(1), send), because(sent(b, back(1), reply), wire(9)), crash), nil},
		{"hole", begun(sent(a, wire(1), send), sent(a, wire(2), send), handled(b, wire(2), 2, 2), ending), []invariant.Rule{invariant.Hole}},
		{"lost at home", begun(sent(a, local(a, 9), send)), []invariant.Rule{invariant.Lost}},
		{"refused at home", begun(sent(a, local(a, 9), send),
			&tracepb.Record{Kind: tracepb.Kind_DROP, Env: a, Endpoint: "E", To: "E", Type: "M"}), nil},
		{"an ask without an end", begun(sent(a, wire(1), ask), handled(b, wire(1), 2, 2)), []invariant.Rule{invariant.Ask}},
		{"a time-out", begun(sent(a, wire(1), ask), handled(b, wire(1), 2, 2), because(item(a, "ask failed", 5, 5), wire(1))), nil},
		{"two ends", begun(sent(a, wire(1), ask), handled(b, wire(1), 2, 2), because(sent(b, back(1), reply), wire(1)),
			because(handled(a, back(1), 4, 4), wire(1)), because(item(a, "ask failed", 5, 5), wire(1))), []invariant.Rule{invariant.Ask}},
		{"an ask of its handler that was never sent", begun(sent(a, wire(1), ask), handled(b, wire(1), 2, 2), because(item(b, "ask failed", 3, 3), wire(1)),
			because(sent(b, back(1), reply), wire(1)), because(handled(a, back(1), 4, 4), wire(1))), nil},
		{"an ask whose endpoint stops", begun(sent(a, wire(1), ask), handled(b, wire(1), 2, 2), item(a, "OnStop", 3, 3)), nil},
		{"a name that is taken again while it drains", begun(item(b, "OnStart", 2, 2), item(b, "OnStop", 3, 3), item(b, "timer T", 4, 4)), nil},
	} {
		var got []invariant.Rule
		for _, v := range invariant.Check(c.records, invariant.Options{Over: true}) {
			got = append(got, v.Rule)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestWhatIsMissingMayComeStill(t *testing.T) {
	unfinished := begun(sent(a, wire(1), ask))
	if v := invariant.Check(unfinished, invariant.Options{}); len(v) > 0 {
		t.Error(v)
	}
	if v := invariant.Check(unfinished, invariant.Options{Over: true, Bodies: true}); len(v) != 1 || v[0].Rule != invariant.Lost {
		t.Error(v)
	}
}

func TestADigestDependsOnAllButTheNumbersOfEnvs(t *testing.T) {
	of := func(env uint32, change func(*tracepb.Record)) string {
		r := sent(env, local(env, 3), send)
		change(r)
		return invariant.Digest([]*tracepb.Record{{Kind: tracepb.Kind_ENV, Env: env}, r})
	}
	same := of(1, func(*tracepb.Record) {})
	if of(7, func(*tracepb.Record) {}) != same {
		t.Error("the number of an Env is seen")
	}
	for i, change := range []func(*tracepb.Record){
		func(r *tracepb.Record) { r.Time = 1 }, func(r *tracepb.Record) { r.Received = 1 }, func(r *tracepb.Record) { r.Started = 1 },
		func(r *tracepb.Record) { r.Body = []byte{1} }, func(r *tracepb.Record) { r.Why = "x" }, func(r *tracepb.Record) { r.Type = "N" },
		func(r *tracepb.Record) { r.Form = ask }, func(r *tracepb.Record) { r.Id.N = 4 }, func(r *tracepb.Record) { r.Cause = wire(1) },
		func(r *tracepb.Record) { r.Endpoint, r.To = "", "EE" },
	} {
		if of(1, change) == same {
			t.Error("change", i, "is not seen")
		}
	}
}
