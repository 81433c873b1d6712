package rpcenv_test

import (
	"time"

	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
)

func heard(rpcenv.Message, error) {}

// exchanges are what TestWhatTheTraceHasOfAnExchange plays.
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
		x.then(x.p, func(c *rpcenv.Context) { rpcenv.AskAs(c, x.e, num(-1), heard) })
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
		x.then(x.p, func(c *rpcenv.Context) {
			rpcenv.AskAs(c, x.e, num(1), heard)
			rpcenv.AskAs(c, rpcenv.Ref{Address: rpcenv.Address{Host: "10.9.9.9", Port: 1}, Name: "E"}, num(1), heard)
			c.Stop()
		})
	},
	"timer": func(x *exchanger) {
		x.then(x.p, func(c *rpcenv.Context) {
			c.After(time.Millisecond, say{text: "tick"})
			c.After(time.Millisecond, quietTick{})
		})
		x.sim.Advance(2 * time.Millisecond)
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
				x.world.t.Error(err)
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
