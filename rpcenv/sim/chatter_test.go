package sim_test

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/coherer/coherer/rpcenv"
)

// chatter is an endpoint that talks at random and checks what it sees.
type chatter struct {
	p    *process
	name string

	started, stopped, inside bool
	asks, runs, said         int
	floods                   bool // a body sends
	flooded                  int  // by bodies
	clock                    rpcenv.Timer
	up                       map[rpcenv.Address]int
	heard                    map[string]int // by sender: the last number
	held                     rpcenv.Call[rpcenv.Message]
}

type chat struct{ rpcenv.Local }

// enter checks the life cycle; what it returns is called at the end.
func (c *chatter) enter(what string) func() {
	l := c.p.l
	switch _, dead := c.p.host.Exited(); {
	case c.inside:
		l.problem("serial: %s: %s within another callback", c.name, what)
	case c.stopped:
		l.problem("stop: %s: %s after OnStop", c.name, what)
	case !c.started && what != "OnStart":
		l.problem("start: %s: %s before OnStart", c.name, what)
	case c.started && what == "OnStart":
		l.problem("start: %s: OnStart again", c.name)
	case dead:
		l.problem("dead: %s: %s after the end of the process", c.name, what)
	}
	c.inside = true
	return func() { c.inside = false }
}

func (c *chatter) OnStart(ctx *rpcenv.Context) {
	defer c.enter("OnStart")()
	c.started = true
	c.clock = ctx.Every(0, talkEvery, chat{})
}

func (c *chatter) OnStop(*rpcenv.Context) {
	c.enter("OnStop")()
	c.stopped = true
}

func (c *chatter) OnConnected(_ *rpcenv.Context, peer rpcenv.Address) {
	defer c.enter("OnConnected")()
	c.up[peer]++
}

func (c *chatter) OnDisconnected(_ *rpcenv.Context, peer rpcenv.Address) {
	defer c.enter("OnDisconnected")()
	if c.up[peer]--; c.up[peer] < 0 {
		c.p.l.problem("connection: %s: disconnected from %s more often than connected", c.name, peer)
	}
}

func (c *chatter) Receive(ctx *rpcenv.Context, m rpcenv.Message) {
	defer c.enter("Receive")()
	l := c.p.l
	l.handled++
	if from := ctx.Sender(); from != c.p.env.Address() && c.up[from] < 1 {
		l.problem("connection: %s: a message of %s, which is not connected", c.name, from)
	}
	switch m := m.(type) {
	case chat:
		if l.silent {
			ctx.Cancel(c.clock)
			return
		}
		c.talk(ctx)
	case *wrapperspb.StringValue:
		c.hear(m.GetValue())
	case *wrapperspb.Int32Value:
		c.answer(ctx, m)
	default:
		ctx.Unsupported(m)
	}
}

// talk sends a few messages and perhaps an ask, to another process or its own.
func (c *chatter) talk(ctx *rpcenv.Context) {
	l := c.p.l
	to := l.live[l.names[ctx.Rand().IntN(processes)]]
	ref := ctx.Env().Ref(to.env.Address(), []string{"A", "B", "A", "B", "B", "Nobody"}[ctx.Rand().IntN(6)])
	most := mostSaid
	if l.flood {
		most = mostFlooded
		c.flood(ctx, ref)
	}
	for range ctx.Rand().IntN(most + 1) {
		c.said++
		ctx.Send(ref, wrapperspb.String(c.name+" "+strconv.Itoa(c.said)))
	}
	if ctx.Rand().IntN(2) == 0 {
		return
	}
	c.asks++
	l.asked++
	n, over := int32(ctx.Rand().IntN(5)), false
	rpcenv.AskAs(ctx, ref, wrapperspb.Int32(n), func(r *wrapperspb.Int32Value, err error) {
		defer c.enter("the end of an ask")()
		if over {
			l.problem("ask: %s: ended twice", c.name)
		}
		over = true
		c.asks--
		l.ended++
		switch {
		case err == nil && (r.GetValue() != 2*n || n == 3):
			l.problem("answer: %s: asked %d, got %d", c.name, n, r.GetValue())
		case err != nil && to != c.p && !errors.Is(err, rpcenv.ErrRefused) && !errors.Is(err, rpcenv.ErrUnreachable):
			l.problem("family: %s: %v", c.name, err)
		}
	}, rpcenv.Timeout("test", 2*time.Second))
}

// hear checks that a sender's numbers grow. It has the bug that is planted on purpose: once a process has begun again, a
// chatter that hears the same twice fails.
func (c *chatter) hear(text string) {
	l := c.p.l
	from, number, _ := strings.Cut(text, " ")
	n, err := strconv.Atoi(number)
	if err != nil {
		l.problem("content: %s heard %q", c.name, text)
	}
	last := c.heard[from]
	switch {
	case l.plant && n == last && len(l.all) > processes:
		l.problem("planted: %s heard %s twice", c.name, text)
	case n <= last && !l.moved:
		l.problem("FIFO: %s heard %s after %d", c.name, text, last)
	}
	if c.heard == nil {
		c.heard = map[string]int{}
	}
	c.heard[from] = n
}

// answer doubles, fails, forgets, answers late, or after work.
func (c *chatter) answer(ctx *rpcenv.Context, m *wrapperspb.Int32Value) {
	switch m.GetValue() {
	case 4:
		c.held.Reply(wrapperspb.Int32(8)) // of the ask before
		c.held = rpcenv.Defer(ctx, typed{m})
	case 3:
		if ctx.Rand().IntN(2) == 0 {
			panic("three")
		}
	case 2:
		c.runs++
		rpcenv.Run(ctx, "lane", func(b *rpcenv.Blocking) (int, error) {
			return 0, b.Sleep(time.Duration(ctx.Rand().IntN(300)) * time.Millisecond)
		}, func(int, error) {
			defer c.enter("the end of a Run")()
			c.runs--
		})
		rpcenv.ReplyAs(ctx, m, wrapperspb.Int32(4))
	default:
		rpcenv.ReplyAs(ctx, m, wrapperspb.Int32(2*m.GetValue()))
	}
}

// typed gives a message a type of answer.
type typed struct{ *wrapperspb.Int32Value }

func (typed) ReplyType() rpcenv.Message { return nil }
