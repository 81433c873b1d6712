package rpcenv_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/trace"
)

// chains are the messages, items and drops of a trace as "WHAT <- WHAT CAUSED IT", sorted, without those that nothing
// caused.
func chains(w *world) []string {
	tr := trace.Merge(w.rec.Records())
	byID := map[string]trace.Entry{}
	for _, e := range tr.Entries {
		if e.ID != "" && e.K != trace.KindConn {
			byID[e.ID] = e
		}
	}
	what := func(e trace.Entry) string {
		switch e.K {
		case trace.KindMsg:
			return fmt.Sprintf("%s %s", e.Form, strings.TrimSuffix(e.Type, "Value"))
		case trace.KindItem:
			return e.Name
		}
		return e.K + " " + e.Type
	}
	var out []string
	for _, e := range tr.Entries {
		if cause, ok := byID[e.Cause]; ok {
			out = append(out, what(e)+" <- "+what(cause))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func TestEachItemHasItsCause(t *testing.T) {
	inWorlds(t, func(w *world) {
		a, b := w.env("A"), w.env("B")
		server := &endpoint{receive: func(c *rpcenv.Context, m rpcenv.Message) {
			switch m := m.(type) {
			case *wrapperspb.Int32Value:
				if m.GetValue() == 0 {
					rpcenv.Fail(c, m, errors.New("zero"))
					return
				}
				rpcenv.ReplyAs(c, m, wrapperspb.Bool(true))
			case *wrapperspb.StringValue:
				c.Send(c.Self(), say{})
			}
		}}
		ref := w.register(a, "E", server)
		w.register(b, "Script", &endpoint{
			start: func(c *rpcenv.Context) { c.After(0, wrapperspb.Int64(1)) },
			receive: func(c *rpcenv.Context, m rpcenv.Message) {
				switch m.(type) {
				case *wrapperspb.Int64Value: // the tick
					rpcenv.AskAs(c, ref, num(1), func(rpcenv.Message, error) { c.Send(ref, text("x")) })
					rpcenv.AskAs(c, ref, num(0), func(_ rpcenv.Message, err error) {
						rpcenv.Run(c, "lane", func(b *rpcenv.Blocking) (int, error) {
							_, err := rpcenv.AskWaitAs[rpcenv.Message](b, ref, num(2))
							return 0, err
						}, func(int, error) {
							outside := c.Outside("news")
							outside(say{})
						})
					})
				case say: // from outside
					c.Send(rpcenv.Ref{Name: "Nobody"}, wrapperspb.Bytes(nil))
					c.Stop()
					w.note("end") // after the stop, which else may be that of the Env's end
				}
			},
		})
		w.await("end")
		w.close(b)
		w.close(a)
		want := []string{
			"OnStop <- outside news",
			"ask Int32 <- fail Int32", // of the body: caused by the item that ran it
			"ask Int32 <- timer google.protobuf.Int64Value",
			"drop BytesValue <- outside news",
			"fail Int32 <- ask Int32",
			"reply Int32 <- ask Int32",
			"run lane <- fail Int32",
			"send String <- reply Int32",
			"send say <- send String",
			"timer google.protobuf.Int64Value <- OnStart",
		}
		if got := chains(w); !slices.Equal(got, want) {
			t.Errorf("got\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
		}
	})
}

func TestATimeOutIsCausedByItsAsk(t *testing.T) {
	w := inSim(t)
	a, b := w.env("A"), w.env("B")
	ref := w.register(a, "E", double(w))
	asker := w.register(b, "Asker", doer())
	w.in(b, asker, func(c *rpcenv.Context) { c.Send(ref, text("open")) })
	w.quiet()
	w.sim.Cut("A", "B")
	w.in(b, asker, func(c *rpcenv.Context) {
		rpcenv.AskAs(c, ref, num(1), func(rpcenv.Message, error) {
			c.Send(ref, text("after"))
			w.note("late")
		}, rpcenv.Timeout("test", time.Second))
	})
	w.await("late")
	w.quiet()
	got := chains(w)
	for _, want := range []string{"ask failed <- ask Int32", "send String <- ask failed"} {
		if !slices.Contains(got, want) {
			t.Errorf("%q is missing in %q", want, got)
		}
	}
}

func TestConnectionEventsAreNamedAndHaveNoCause(t *testing.T) {
	w := inSim(t)
	a, b := w.env("A"), w.env("B")
	ref := w.register(a, "E", watching(w))
	w.do(b, func(b *rpcenv.Blocking) { _ = b.Send(ref, text("x")) })
	w.await("A: x")
	w.close(b)
	w.quiet()
	var got []string
	for _, e := range trace.Merge(w.rec.Records()).Entries {
		if e.K == trace.KindItem && e.At == "A/E" {
			got = append(got, e.Name)
			if e.Cause != "" && strings.HasSuffix(e.Name, "connected") {
				t.Errorf("%s has cause %s", e.Name, e.Cause)
			}
		}
	}
	if want := []string{"OnStart", "connected", "disconnected"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
