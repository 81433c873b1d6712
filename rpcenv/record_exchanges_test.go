package rpcenv_test

import (
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/dynamicpb"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/coherer/coherer/messages/rpc"
	tracepb "github.com/coherer/coherer/messages/trace"
	"github.com/coherer/coherer/rpcenv"
)

func heard(rpcenv.Message, error) {}

// exchanges are those that TestWhatTheTraceHasOfAnExchange plays.
var exchanges = map[string]func(x *exchanger){
	"send": func(x *exchanger) {
		x.then(x.p, func(c *rpcenv.Context) { c.Send(x.e, text("state")) })
	},
	"ask": func(x *exchanger) {
		x.then(x.p, func(c *rpcenv.Context) {
			rpcenv.AskAs(c, x.e, num(21), func(rpcenv.Message, error) { c.Send(x.e, text("thanks")) })
		})
	},
	"refusals": func(x *exchanger) {
		x.then(x.p, func(c *rpcenv.Context) {
			rpcenv.AskAs(c, x.e, num(0), heard)
			rpcenv.AskAs(c, x.e, wrapperspb.Bool(true), heard)
			rpcenv.AskAs(c, rpcenv.Ref{Address: x.a.Address(), Name: "Nobody"}, num(1), heard)
			c.Send(rpcenv.Ref{Address: x.a.Address(), Name: "Nobody"}, num(1))
		})
	},
	"local": func(x *exchanger) {
		x.then(x.e, func(c *rpcenv.Context) {
			c.Send(x.f, text("hello"))
			rpcenv.AskAs(c, x.f, num(4), heard)
			rpcenv.AskAs(c, x.f, wrapperspb.Bool(true), heard)
			rpcenv.AskAs(c, rpcenv.Ref{Address: x.a.Address(), Name: "Nobody"}, num(1), heard)
			c.Send(rpcenv.Ref{Address: x.a.Address(), Name: "Nobody"}, num(1))
		})
	},
	// A handler that takes time, and what waits meanwhile.
	"busy": func(x *exchanger) {
		x.sim.Cost("A/E", "Int32Value", 10*time.Millisecond)
		x.then(x.p, func(c *rpcenv.Context) {
			rpcenv.AskAs(c, x.e, num(1), heard)
			c.Send(x.e, text("next"))
		})
		x.sim.Advance(20 * time.Millisecond)
	},
	// A tick that waits until its endpoint is free.
	"busy-timer": func(x *exchanger) {
		x.sim.Cost("A/E", "Int32Value", 10*time.Millisecond)
		x.then(x.e, func(c *rpcenv.Context) {
			c.After(time.Millisecond, do{f: func(*rpcenv.Context) {}})
			c.Send(c.Self(), num(5))
		})
		x.sim.Advance(20 * time.Millisecond)
	},
	// What waits has come before: answers, and messages within the Env.
	"busy-answers": func(x *exchanger) {
		for _, at := range []string{"A/E", "B/P"} {
			x.sim.Cost(at, "do", 10*time.Millisecond)
		}
		x.sim.Cost("A/F", "StringValue", 4*time.Millisecond)
		x.then(x.p, func(c *rpcenv.Context) {
			rpcenv.AskAs(c, x.e, num(1), heard)
			c.Send(c.Self(), do{f: func(*rpcenv.Context) {}})
		})
		x.then(x.e, func(c *rpcenv.Context) {
			c.Send(x.f, text("first"))
			rpcenv.AskAs(c, x.f, num(1), heard)
			c.Send(c.Self(), do{f: func(*rpcenv.Context) {}})
		})
		x.sim.Advance(50 * time.Millisecond)
	},
	"body": func(x *exchanger) {
		x.then(x.p, func(c *rpcenv.Context) {
			rpcenv.Run(c, "lane", func(b *rpcenv.Blocking) (rpcenv.Message, error) {
				if err := b.Send(x.e, text("from a body")); err != nil {
					return nil, err
				}
				if err := b.Sleep(5 * time.Millisecond); err != nil {
					return nil, err
				}
				return rpcenv.AskWaitAs[rpcenv.Message](b, x.e, num(2))
			}, heard)
		})
		x.sim.Advance(20 * time.Millisecond)
	},
	"deferred": func(x *exchanger) {
		x.then(x.p, func(c *rpcenv.Context) {
			rpcenv.AskAs(c, x.e, num(-1), heard)
			rpcenv.AskAs(c, x.e, num(-2), heard)
		})
		x.then(x.p, func(c *rpcenv.Context) {
			c.Send(x.e, text("answer"))
			c.Send(x.e, text("answer"))
		})
	},
	// The asker gives up, and is stopped, before the answer.
	"late": func(x *exchanger) {
		var h rpcenv.AbortHandle
		x.then(x.p, func(c *rpcenv.Context) { rpcenv.AskAs(c, x.e, num(-1), heard, rpcenv.Abort(&h)) })
		x.then(x.p, func(c *rpcenv.Context) {
			h.Abort(errFull)
			c.Send(x.e, text("answer"))
		})
	},
	"late-local": func(x *exchanger) {
		var h rpcenv.AbortHandle
		x.then(x.f, func(c *rpcenv.Context) { rpcenv.AskAs(c, x.e, num(-1), heard, rpcenv.Abort(&h)) })
		x.then(x.f, func(c *rpcenv.Context) {
			h.Abort(errFull)
			c.Send(x.e, text("answer"))
		})
	},
	"stopped-asker": func(x *exchanger) {
		x.sim.Cost("B", "OnStop", 10*time.Millisecond)
		x.then(x.u, func(c *rpcenv.Context) {
			rpcenv.AskAs(c, x.e, num(1), heard)
			c.Stop()
		})
		x.then(x.p, func(c *rpcenv.Context) {
			rpcenv.AskAs(c, x.e, num(1), heard)
			rpcenv.AskAs(c, rpcenv.Ref{Address: rpcenv.Address{Host: "10.9.9.9", Port: 1}, Name: "E"}, num(1), heard)
			c.Stop()
		})
		x.sim.Advance(20 * time.Millisecond)
	},
	"timer": func(x *exchanger) {
		x.then(x.p, func(c *rpcenv.Context) {
			c.After(time.Millisecond, say{text: "tick"})
			c.After(time.Millisecond, quietTick{})
		})
		x.sim.Advance(2 * time.Millisecond)
	},
	"lookup": func(x *exchanger) {
		x.then(x.p, func(c *rpcenv.Context) { rpcenv.Resolve(c, "spark://nowhere", func(rpcenv.Ref, error) {}) })
	},
	"outside": func(x *exchanger) {
		x.then(x.p, func(c *rpcenv.Context) { c.Outside("news")(do{f: func(*rpcenv.Context) {}}) })
	},
	"unreachable": func(x *exchanger) {
		x.then(x.p, func(c *rpcenv.Context) {
			to := rpcenv.Ref{Address: rpcenv.Address{Host: "10.9.9.9", Port: 1}, Name: "E"}
			c.Send(to, text("lost"))
			rpcenv.AskAs(c, to, num(1), heard)
		})
	},
	"untraced": func(x *exchanger) {
		x.then(x.u, func(c *rpcenv.Context) {
			c.Send(x.p, say{text: "from it"})
			c.Send(x.e, text("from it"))
			rpcenv.AskAs(c, x.e, num(1), heard)
			c.Send(rpcenv.Ref{Address: x.b.Address(), Name: "Nobody"}, num(1))
		})
		x.then(x.p, func(c *rpcenv.Context) {
			rpcenv.AskAs(c, x.u, num(1), heard)
			c.Send(x.u, do{f: func(*rpcenv.Context) {}})
		})
		x.then(x.e, func(c *rpcenv.Context) { rpcenv.AskAs(c, x.u, num(1), heard) })
	},
	"client": func(x *exchanger) {
		k := x.client("K")
		x.register(k, "C", double(x.world))
		x.do(k, func(b *rpcenv.Blocking) {
			if _, err := rpcenv.AskWait(b, rpcenv.Ref{Address: x.a.Address(), Name: rpcenv.VerifierName}, &rpc.CheckExistence{Name: "E"}); err != nil {
				x.t.Error(err)
			}
		})
		to := x.a.Clients("C")[0]
		x.then(x.e, func(c *rpcenv.Context) { rpcenv.AskAs(c, to, num(1), heard) })
		x.close(k)
		x.then(x.e, func(c *rpcenv.Context) { c.Send(to, num(1)) }) // on the wire when it ends
		x.sim.Advance(5 * time.Millisecond)
		x.then(x.e, func(c *rpcenv.Context) {
			c.Send(to, num(1))
			rpcenv.AskAs(c, to, num(1), heard)
		})
	},
	// Asks of a body that have no answer, or one that is untraced.
	"body-fails": func(x *exchanger) {
		x.then(x.p, func(c *rpcenv.Context) {
			rpcenv.Run(c, "", func(b *rpcenv.Blocking) (int, error) {
				to := rpcenv.Ref{Address: rpcenv.Address{Host: "10.9.9.9", Port: 1}, Name: "E"}
				_, err := rpcenv.AskWaitAs[rpcenv.Message](b, to, num(1))
				_, _ = rpcenv.AskWaitAs[rpcenv.Message](b, x.e, &tracepb.ReadMetrics{})
				_, _ = rpcenv.AskWaitAs[rpcenv.Message](b, x.p, quietTick{})
				return 0, err
			}, func(int, error) {})
		})
		x.sim.Advance(20 * time.Millisecond)
	},
	"body-local": func(x *exchanger) {
		x.then(x.e, func(c *rpcenv.Context) {
			rpcenv.Run(c, "", func(b *rpcenv.Blocking) (rpcenv.Message, error) {
				return rpcenv.AskWaitAs[rpcenv.Message](b, x.f, num(2))
			}, heard)
		})
	},
	"dynamic": func(x *exchanger) {
		x.then(x.p, func(c *rpcenv.Context) {
			for _, m := range []proto.Message{text(""), num(0), &tracepb.ReadMetrics{}} {
				c.Send(x.e, dynamicpb.NewMessage(m.ProtoReflect().Descriptor()))
			}
		})
	},
	// Recording begins while a message is on its way, and within a handler.
	"switched": func(x *exchanger) {
		z := x.env("Z")
		to := x.register(z, "E", double(x.world))
		if err := x.b.Send(to, text("waits")); err != nil {
			x.t.Error(err)
		}
		_, _ = x.b.Record("", true)
		x.quiet()
		x.then(x.p, func(c *rpcenv.Context) { c.Send(x.e, text("on")) })
	},
	"events": func(x *exchanger) {
		z := x.env("Z")
		x.register(z, "W", watching(x.world))
		x.then(x.p, func(c *rpcenv.Context) { c.Send(rpcenv.Ref{Address: z.Address(), Name: "W"}, text("hello")) })
		x.close(x.b)
		x.sim.Advance(time.Second)
	},
	"stop": func(x *exchanger) {
		x.then(x.p, func(c *rpcenv.Context) { c.Send(x.e, text("stop")) })
		x.then(x.p, func(c *rpcenv.Context) { c.Send(x.e, text("after")) })
	},
	"crash": func(x *exchanger) {
		x.then(x.p, func(c *rpcenv.Context) { rpcenv.AskAs(c, x.e, num(-1), heard) })
		x.crash(x.a)
		x.sim.Advance(time.Second)
	},
	"exit": func(x *exchanger) {
		x.then(x.p, func(c *rpcenv.Context) {
			c.Send(x.e, text("bye"))
			c.Exit(3, "it was enough")
		})
		x.crashed[x.b] = true
		x.sim.Advance(time.Second)
	},
	"shutdown": func(x *exchanger) { x.close(x.b) },
}
