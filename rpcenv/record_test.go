package rpcenv_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/wrapperspb"

	tracepb "github.com/coherer/coherer/messages/trace"
	"github.com/coherer/coherer/rpcenv"
)

// The script says what the trace has of each exchange, a line for a record. A line that begins with "ring" is in the ring
// alone. Off and on are what Record switches before: an Env, or an endpoint of one.
func TestWhatTheTraceHasOfAnExchange(t *testing.T) {
	datadriven.RunTest(t, filepath.Join("testdata", "trace.txt"), func(t *testing.T, d *datadriven.TestData) string {
		x := newExchange(t)
		x.switches(d)
		play, ok := exchanges[d.Cmd]
		if !ok {
			d.Fatalf(t, "no exchange is called %s", d.Cmd)
		}
		x.begin()
		play(x)
		x.quiet()
		return x.records()
	})
}

// exchanger is two Envs that know each other: A with the endpoints E and F, B with P and U, which is untraced.
type exchanger struct {
	*world
	a, b       *rpcenv.Env
	e, f, p, u rpcenv.Ref
	ask        rpcenv.Call[rpcenv.Message]

	start    time.Time
	seen     int
	untraced int64
	cursor   []byte
	conns    map[uint64]int
	envs     map[uint32]int
}

func newExchange(t *testing.T) *exchanger {
	x := &exchanger{world: inSim(t), conns: map[uint64]int{}, envs: map[uint32]int{}}
	x.sim.Latency(time.Millisecond, time.Millisecond)
	x.a, x.b = x.env("A"), x.env("B")
	x.e = x.register(x.a, "E", &endpoint{receive: x.serve})
	x.f = x.register(x.a, "F", &endpoint{receive: x.serve})
	x.p = x.register(x.b, "P", doer())
	ref, err := x.b.Register("U", doer(), rpcenv.Untraced())
	if err != nil {
		t.Fatal(err)
	}
	x.u = ref
	x.in(x.b, x.p, func(c *rpcenv.Context) { c.Send(x.f, text("open")) })
	x.quiet()
	return x
}

// serve is what E and F do.
func (x *exchanger) serve(c *rpcenv.Context, m rpcenv.Message) {
	switch m := m.(type) {
	case *wrapperspb.Int32Value:
		switch n := m.GetValue(); n {
		case 0:
			rpcenv.Fail(c, m, fmt.Errorf("no room: %w", errFull))
		case -1:
			x.ask = rpcenv.DeferAs[rpcenv.Message](c, m)
		case -2:
			rpcenv.DeferAs[rpcenv.Message](c, m)
			rpcenv.ReplyAs(c, m, num(0))
		default:
			rpcenv.ReplyAs(c, m, num(2*n))
		}
	case *wrapperspb.StringValue:
		switch m.GetValue() {
		case "answer":
			x.ask.Reply(num(7))
		case "state":
			c.State("room", "12", "free", "full", "a guest came")
		case "pass":
			c.Send(x.f, text("passed"))
			rpcenv.AskAs(c, x.f, num(4), func(rpcenv.Message, error) {})
		case "stop":
			c.Stop()
		case "on":
			_, _ = c.Env().Record("", true)
		}
	case do:
		m.f(c)
	default:
		c.Unsupported(m)
	}
}

// switches are the arguments of Record before an exchange: of an Env, or of ENV/ENDPOINT.
func (x *exchanger) switches(d *datadriven.TestData) {
	for _, arg := range d.CmdArgs {
		for _, at := range arg.Vals {
			env, name, _ := strings.Cut(at, "/")
			e := map[string]*rpcenv.Env{"A": x.a, "B": x.b}[env]
			if _, err := e.Record(name, arg.Key == "on"); err != nil {
				d.Fatalf(x.t, "%s: %v", at, err)
			}
		}
	}
}

func (x *exchanger) begin() {
	x.start, x.seen, x.untraced = x.sim.Now(), len(x.rec.Records()), x.rec.Untraced()
	x.cursor = x.rec.Since(nil, 10_000, false).Next
}

// then runs f in an endpoint and all that comes of it.
func (x *exchanger) then(at rpcenv.Ref, f func(c *rpcenv.Context)) {
	e := x.a
	if at.Address == x.b.Address() {
		e = x.b
	}
	if err := e.Send(at, do{f: f}); err != nil {
		x.t.Error(err)
	}
	x.quiet()
}

// records are those since begin. What the ring has otherwise than the record stands below it.
func (x *exchanger) records() string {
	var out strings.Builder
	ring := x.rec.Since(x.cursor, 10_000, false).Records
	for _, r := range x.rec.Records()[x.seen:] {
		fmt.Fprintln(&out, x.line(r))
		i := slices.IndexFunc(ring, func(o *tracepb.Record) bool {
			return o.GetKind() == r.GetKind() && proto.Equal(o.GetId(), r.GetId()) && o.GetTime() == r.GetTime() && o.GetName() == r.GetName()
		})
		if i < 0 {
			fmt.Fprintln(&out, "  not in the ring")
			continue
		}
		r = proto.CloneOf(r)
		r.Body, r.Received = nil, 0 // the ring has neither
		if got := x.line(ring[i]); got != x.line(r) {
			fmt.Fprintln(&out, "  ring", got)
		}
		ring = slices.Delete(ring, i, i+1)
	}
	for _, r := range ring {
		fmt.Fprintln(&out, "ring", x.line(r))
	}
	if n := x.rec.Untraced() - x.untraced; n > 0 {
		fmt.Fprintln(&out, n, "untraced")
	}
	return out.String()
}

// line is a record without its body, times in milliseconds since begin.
func (x *exchanger) line(r *tracepb.Record) string {
	var out strings.Builder
	fmt.Fprintf(&out, "%s %s", x.at(r.GetTime()), strings.ToLower(r.GetKind().String()))
	for _, field := range []struct{ name, text string }{
		{"", x.id(r.GetId())},
		{"cause", x.id(r.GetCause())},
		{"env", fmt.Sprint("e", numberOf(x.envs, r.GetEnv()))},
		{"of", r.GetEndpoint()},
		{"to", r.GetTo()},
		{"peer", r.GetPeer()},
		{"address", r.GetAddress()},
		{"", strings.ToLower(strings.TrimPrefix(r.GetForm().String(), "SEND"))},
		{"type", strings.TrimPrefix(r.GetType(), "google.protobuf.")},
		{"name", strings.TrimPrefix(r.GetName(), "google.protobuf.")},
		{"subject", r.GetSubject()},
		{"from", r.GetFrom()},
		{"why", r.GetWhy()},
		{"outcome", r.GetOutcome()},
		{"bytes", nonZero(r.GetBytes())},
		{"body", nonZero(uint64(len(r.GetBody())))},
		{"received", x.at(r.GetReceived())},
		{"started", x.at(r.GetStarted())},
	} {
		switch {
		case field.text == "":
		case field.name == "":
			out.WriteString(" " + field.text)
		case strings.ContainsAny(field.text, " "):
			fmt.Fprintf(&out, " %s=%q", field.name, field.text)
		default:
			fmt.Fprintf(&out, " %s=%s", field.name, field.text)
		}
	}
	return out.String()
}

func (x *exchanger) at(nanos uint64) string {
	if nanos == 0 {
		return ""
	}
	return strconv.FormatFloat(float64(int64(nanos)-x.start.UnixNano())/1e6, 'f', -1, 64)
}

// id is cN for the connection or eN for the Env that an id is of, its direction and its number.
func (x *exchanger) id(id *tracepb.Id) string {
	switch {
	case id == nil:
		return ""
	case id.GetConn() == 0:
		return fmt.Sprintf("e%d.%d", numberOf(x.envs, id.GetEnv()), id.GetN())
	case id.GetBack():
		return fmt.Sprintf("c%d.<.%d", numberOf(x.conns, id.GetConn()), id.GetN())
	}
	return fmt.Sprintf("c%d.>.%d", numberOf(x.conns, id.GetConn()), id.GetN())
}

// numberOf numbers what it is asked for, from 1: ids differ from run to run.
func numberOf[K comparable](all map[K]int, k K) int {
	if all[k] == 0 {
		all[k] = len(all) + 1
	}
	return all[k]
}

func nonZero(n uint64) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprint(n)
}
