package rpcenv_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
)

// errFull is an error value of a role.
var errFull = rpcenv.NewRefusal("test.full", "the house is full")

func TestAnAskEndsWithItsReply(t *testing.T) {
	inWorlds(t, func(w *world) {
		a := w.env("A")
		ref := w.register(a, "E", double(w))
		for _, e := range []*rpcenv.Env{a, w.env("B"), w.client("C")} {
			asker := w.register(e, "Asker", doer())
			w.in(e, asker, func(c *rpcenv.Context) {
				rpcenv.AskAs(c, ref, num(21), func(r *wrapperspb.Int32Value, err error) {
					w.note("%s: %d %v", e.Name(), r.GetValue(), err)
				})
				w.note("%s goes on", e.Name())
			})
			w.await(e.Name() + ": 42 <nil>")
		}
		w.wantLog("A goes on", "A: 42 <nil>", "B goes on", "B: 42 <nil>", "C goes on", "C: 42 <nil>")
	})
}

func TestAFailureIsFoundByItsValueAcrossEnvs(t *testing.T) {
	inWorlds(t, func(w *world) {
		a, b := w.env("A"), w.env("B")
		ref := w.register(a, "E", &endpoint{receive: func(c *rpcenv.Context, m rpcenv.Message) {
			rpcenv.Fail(c, m, fmt.Errorf("no room for %d: %w", m.(*wrapperspb.Int32Value).GetValue(), errFull))
		}})
		for _, e := range []*rpcenv.Env{a, b} {
			w.do(e, func(b *rpcenv.Blocking) {
				_, err := rpcenv.AskWaitAs[rpcenv.Message](b, ref, num(3))
				switch {
				case !errors.Is(err, errFull), !errors.Is(err, rpcenv.ErrRefused), errors.Is(err, rpcenv.ErrRefusedStopped):
					t.Errorf("from %s: %v", e.Name(), err)
				case err.Error() != "no room for 3: the house is full":
					t.Errorf("from %s: text %q", e.Name(), err)
				}
			})
		}
	})
}

func TestAFailureKeepsItsValueWhenItIsPassedOn(t *testing.T) {
	w := inSim(t)
	a, b, c := w.env("A"), w.env("B"), w.env("C")
	last := w.register(a, "E", &endpoint{receive: func(c *rpcenv.Context, m rpcenv.Message) { rpcenv.Fail(c, m, errFull) }})
	middle := w.register(b, "E", &endpoint{receive: func(c *rpcenv.Context, m rpcenv.Message) {
		later := rpcenv.Defer(c, &rpc.CheckExistence{})
		rpcenv.AskAs(c, last, m, func(_ rpcenv.Message, err error) { later.Fail(err) })
	}})
	w.do(c, func(b *rpcenv.Blocking) {
		if _, err := rpcenv.AskWaitAs[rpcenv.Message](b, middle, num(1)); !errors.Is(err, errFull) {
			t.Error(err)
		}
	})
}

func TestATimeOutNamesItsSetting(t *testing.T) {
	w := inSim(t)
	a, b := w.env("A"), w.env("B")
	var kept []rpcenv.Call[*rpc.Bool]
	ref := w.register(a, "E", &endpoint{receive: func(c *rpcenv.Context, m rpcenv.Message) {
		kept = append(kept, rpcenv.Defer(c, m.(*rpc.CheckExistence)))
	}})
	asker := w.register(b, "Asker", doer())
	w.in(b, asker, func(c *rpcenv.Context) {
		then := func(_ *rpc.Bool, err error) { w.note("%s: %v", c.Now().Format("04:05"), err) }
		rpcenv.Ask(c, ref, &rpc.CheckExistence{}, then)
		rpcenv.Ask(c, ref, &rpc.CheckExistence{}, then, rpcenv.Timeout("spark.executor.heartbeatInterval", 10*time.Second))
	})
	w.awaitLines(2)
	for i, want := range []string{
		"Cannot receive any reply from " + ref.Address.String() + " in 10 seconds. This timeout is controlled by spark.executor.heartbeatInterval",
		"in 120 seconds. This timeout is controlled by spark.rpc.askTimeout",
	} {
		if got := w.noted()[i]; !strings.Contains(got, want) {
			t.Errorf("%q, want in it %q", got, want)
		}
	}
	for _, k := range kept {
		k.Reply(&rpc.Bool{Value: true}) // nobody waits any more: ignored
	}
	w.quiet()
	if n := len(w.noted()); n != 2 {
		t.Error("an ask ended twice:", w.noted())
	}
}

func TestTheTimeOfAnAskIsASetting(t *testing.T) {
	for key, text := range map[string]string{
		"spark.rpc.askTimeout":  "in 7 seconds. This timeout is controlled by spark.rpc.askTimeout",
		"spark.network.timeout": "in 7 seconds. This timeout is controlled by spark.network.timeout",
	} {
		w := inSim(t)
		settings, err := conf.New(map[string]string{key: "7s", "spark.executor.heartbeatInterval": "1s"})
		if err != nil {
			t.Fatal(err)
		}
		e := w.make("A", true, settings)
		ref := w.register(e, "E", &endpoint{receive: func(c *rpcenv.Context, m rpcenv.Message) { rpcenv.Defer(c, m.(*rpc.CheckExistence)) }})
		w.do(e, func(b *rpcenv.Blocking) {
			_, err := rpcenv.AskWait(b, ref, &rpc.CheckExistence{})
			if !errors.Is(err, rpcenv.ErrUnreachableTimeout) || !errors.Is(err, rpcenv.ErrUnreachable) || !strings.Contains(err.Error(), text) {
				t.Errorf("%s: %v", key, err)
			}
		})
	}
}

func TestAnAskFailsWhenItsConnectionIsLost(t *testing.T) {
	inCrashingWorlds(t, func(w *world) {
		a, b := w.env("A"), w.env("B")
		ref := w.register(a, "E", &endpoint{receive: func(c *rpcenv.Context, m rpcenv.Message) {
			rpcenv.Defer(c, m.(*rpc.CheckExistence))
			w.note("asked")
		}})
		asker := w.register(b, "Asker", doer())
		w.in(b, asker, func(c *rpcenv.Context) {
			rpcenv.Ask(c, ref, &rpc.CheckExistence{}, func(_ *rpc.Bool, err error) {
				w.note("disconnected %v", errors.Is(err, rpcenv.ErrUnreachableDisconnected))
			})
		})
		w.await("asked")
		w.crash(a)
		w.await("disconnected true")
		w.close(b)
		w.wantLog("asked", "disconnected true")
	})
}

func TestAnAskToNobodyFails(t *testing.T) {
	inWorlds(t, func(w *world) {
		b := w.env("B")
		gone := w.env("A")
		ref := w.register(gone, "E", double(w))
		w.close(gone)
		w.do(b, func(b *rpcenv.Blocking) {
			if _, err := rpcenv.AskWaitAs[rpcenv.Message](b, ref, num(1)); !errors.Is(err, rpcenv.ErrUnreachableDisconnected) {
				t.Error(err)
			}
		})
	})
}

func TestAnAskCanBeAborted(t *testing.T) {
	inWorlds(t, func(w *world) {
		a, b := w.env("A"), w.env("B")
		var kept rpcenv.Call[*rpc.Bool]
		callee := doer()
		inner := callee.receive
		callee.receive = func(c *rpcenv.Context, m rpcenv.Message) {
			if q, ok := m.(*rpc.CheckExistence); ok {
				kept = rpcenv.Defer(c, q)
				w.note("asked")
				return
			}
			inner(c, m)
		}
		ref := w.register(a, "E", callee)
		asker := w.register(b, "Asker", doer())
		var h rpcenv.AbortHandle
		h.Abort(errFull) // of no ask: nothing
		w.in(b, asker, func(c *rpcenv.Context) {
			rpcenv.Ask(c, ref, &rpc.CheckExistence{}, func(_ *rpc.Bool, err error) { w.note("%v", err) }, rpcenv.Abort(&h))
		})
		w.await("asked")
		w.in(b, asker, func(*rpcenv.Context) {
			h.Abort(errFull)
			h.Abort(errors.New("again"))
		})
		w.await("the house is full")
		w.in(a, ref, func(*rpcenv.Context) { kept.Reply(&rpc.Bool{}) }) // late: ignored
		w.do(b, func(b *rpcenv.Blocking) {                              // the connection is well
			if _, err := rpcenv.AskWait(b, rpcenv.Ref{Address: a.Address(), Name: rpcenv.VerifierName}, &rpc.CheckExistence{}); err != nil {
				t.Error(err)
			}
		})
		w.wantLog("asked", "the house is full")
	})
}

func TestAnAskThatNobodyAnswersFailsAtOnce(t *testing.T) {
	inWorlds(t, func(w *world) {
		a, b := w.env("A"), w.env("B")
		ref := w.register(a, "E", &endpoint{receive: func(*rpcenv.Context, rpcenv.Message) {}})
		for _, e := range []*rpcenv.Env{a, b} {
			w.do(e, func(b *rpcenv.Blocking) {
				if _, err := rpcenv.AskWaitAs[rpcenv.Message](b, ref, num(1)); !errors.Is(err, rpcenv.ErrRefusedNoReply) {
					t.Errorf("from %s: %v", e.Name(), err)
				}
			})
		}
	})
}

func TestADeferredAskIsAnsweredLaterAndOnce(t *testing.T) {
	inWorlds(t, func(w *world) {
		a, b := w.env("A"), w.env("B")
		var kept rpcenv.Call[*rpc.Bool]
		kept.Reply(&rpc.Bool{}) // of no ask: nothing
		ref := w.register(a, "E", &endpoint{receive: func(c *rpcenv.Context, m rpcenv.Message) {
			switch m := m.(type) {
			case *rpc.CheckExistence:
				kept = rpcenv.Defer(c, m)
			default:
				if kept.Sender() != b.Address() {
					t.Error("sender", kept.Sender())
				}
				kept.Reply(&rpc.Bool{Value: true})
				kept.Fail(errFull)
			}
		}})
		asker := w.register(b, "Asker", doer())
		w.in(b, asker, func(c *rpcenv.Context) {
			rpcenv.Ask(c, ref, &rpc.CheckExistence{}, func(r *rpc.Bool, err error) { w.note("%v %v", r.GetValue(), err) })
			c.Send(ref, text("now"))
		})
		w.await("true <nil>")
		w.close(a)
		if d := w.drops(); len(d) != 1 || d[0] != "rpc.CheckExistence: answered already" {
			t.Error("the second answer is an event:", d)
		}
	})
}

func TestADeferredAskFailsAtOnStop(t *testing.T) {
	inWorlds(t, func(w *world) {
		a, b := w.env("A"), w.env("B")
		ref := w.register(a, "E", &endpoint{receive: func(c *rpcenv.Context, m rpcenv.Message) {
			rpcenv.Defer(c, m.(*rpc.CheckExistence))
			c.Stop()
		}})
		w.do(b, func(b *rpcenv.Blocking) {
			if _, err := rpcenv.AskWait(b, ref, &rpc.CheckExistence{}); !errors.Is(err, rpcenv.ErrRefusedStopped) {
				t.Error(err)
			}
		})
	})
}

func TestAReplyOfAnotherTypeIsAnError(t *testing.T) {
	inWorlds(t, func(w *world) {
		a, b := w.env("A"), w.env("B")
		ref := w.register(a, "E", double(w))
		for _, e := range []*rpcenv.Env{a, b} {
			w.do(e, func(b *rpcenv.Blocking) {
				_, err := rpcenv.AskWaitAs[*rpc.Bool](b, ref, num(1))
				if !errors.Is(err, rpcenv.ErrRefusedUndecodable) || !strings.Contains(err.Error(), "the answer is a google.protobuf.Int32Value, want *rpc.Bool") {
					t.Errorf("from %s: %v", e.Name(), err)
				}
			})
		}
	})
}

// A callee that replies and then sends is heard in that order, also by an asker in another process: what Spark got wrong
// (SPARK-13112) when a reply was handled outside of the inbox.
func TestRepliesAndMessagesAreHandledInTheOrderOfArrival(t *testing.T) {
	inWorlds(t, func(w *world) {
		const rounds = 50
		a := w.env("A")
		for _, e := range []*rpcenv.Env{a, w.env("B"), w.client("C")} {
			var got []string
			name := "Callee" + e.Name()
			ref := w.register(a, name, &endpoint{receive: func(c *rpcenv.Context, m rpcenv.Message) {
				from := c.Ref(&rpc.EndpointRef{Name: "Asker"})
				n := m.(*wrapperspb.Int32Value).GetValue()
				c.Send(from, text(fmt.Sprint("before ", n)))
				rpcenv.ReplyAs(c, m, num(n))
				c.Send(from, text(fmt.Sprint("after ", n)))
			}})
			ep := doer()
			inner := ep.receive
			ep.receive = func(c *rpcenv.Context, m rpcenv.Message) {
				s, ok := m.(*wrapperspb.StringValue)
				if !ok {
					inner(c, m)
					return
				}
				if got = append(got, s.GetValue()); len(got) == 3*rounds {
					w.note("%s has all", e.Name())
				}
			}
			asker := w.register(e, "Asker", ep)
			w.in(e, asker, func(c *rpcenv.Context) {
				for n := range int32(rounds) {
					rpcenv.AskAs(c, ref, num(n), func(r *wrapperspb.Int32Value, err error) {
						got = append(got, fmt.Sprint("reply ", r.GetValue()))
					})
				}
			})
			w.await(e.Name() + " has all")
			w.in(e, asker, func(*rpcenv.Context) {
				for n := range rounds {
					for i, want := range []string{"before ", "reply ", "after "} {
						if got[3*n+i] != fmt.Sprint(want, n) {
							t.Fatalf("%s: at %d: %s, want %s%d", e.Name(), 3*n+i, got[3*n+i], want, n)
						}
					}
				}
			})
		}
	})
}
