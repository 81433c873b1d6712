package swim_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/hashicorp/memberlist"
	"go.uber.org/goleak"

	"github.com/coherer/coherer/actors/membership"
	"github.com/coherer/coherer/cluster/gossip"
	"github.com/coherer/coherer/cluster/gossip/swim"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/sim"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// heard is a piece of news, and when and by whom it was heard.
type heard struct {
	at   time.Duration // since the last call of since
	by   string
	what string // joined, suspected, refuted, failed or left
	of   string
	from string // who had no answer
}

// cluster is a Ring and its members by the names of their processes; a process that starts again is another member.
type cluster struct {
	t     testing.TB
	w     *sim.World
	ring  *swim.Ring
	names []string
	runs  map[string]*swim.Member
	n     int
	begin time.Time
	log   []heard
}

// start is a cluster of n processes N0, N1 and so on, which call on the first. It waits until all know all.
func start(t testing.TB, seed uint64, n int) *cluster { return startAt(t, seed, n, gossip.Pace()) }

// startAt is start at another pace.
func startAt(t testing.TB, seed uint64, n int, pace *memberlist.Config) *cluster {
	c := &cluster{t: t, w: sim.New(seed, 0), runs: map[string]*swim.Member{}}
	t.Cleanup(c.w.Close)
	c.ring = swim.New(c.w, pace)
	for i := range n {
		c.names = append(c.names, fmt.Sprintf("N%d", i))
		if i == 0 {
			c.run(c.names[0])
		} else {
			c.run(c.names[i], c.names[0])
		}
	}
	c.within(5*time.Second, c.agree)
	c.since()
	return c
}

// run starts a process, again if it ran before.
func (c *cluster) run(name string, calls ...string) *swim.Member {
	i := slices.Index(c.names, name)
	c.n++
	h := c.w.Host(name, ip(i))
	var at []string
	for _, x := range calls {
		at = append(at, c.runs[x].At())
	}
	m := c.ring.Join(h, membership.Member{Name: fmt.Sprintf("%s/%d", name, c.n), Role: "worker", RPC: rpcenv.Address{Host: ip(i), Port: 7000}}, at...)
	c.runs[name] = m
	m.Watch(func(news rpcenv.Message) { c.hear(name, news) })
	return m
}

func ip(i int) string { return fmt.Sprintf("10.0.%d.%d", i/250, i%250+1) }

func (c *cluster) hear(by string, news rpcenv.Message) {
	h := heard{at: c.w.Now().Sub(c.begin), by: by}
	switch x := news.(type) {
	case membership.MemberJoined:
		h.what, h.of = "joined", x.Member.Name
	case membership.MemberSuspected:
		h.what, h.of, h.from = "suspected", x.Member.Name, x.By
	case membership.MemberRefuted:
		h.what, h.of = "refuted", x.Member.Name
	case membership.MemberFailed:
		h.what, h.of = "failed", x.Member.Name
	case membership.MemberLeft:
		h.what, h.of = "left", x.Member.Name
	}
	c.log = append(c.log, h)
}

// since forgets what was heard.
func (c *cluster) since() { c.log, c.begin = nil, c.w.Now() }

// which is what was heard of a kind, of a member or, with "", of any.
func (c *cluster) which(what, of string) (out []heard) {
	for _, h := range c.log {
		if h.what == what && (of == "" || h.of == of) {
			out = append(out, h)
		}
	}
	return out
}

// all: each of the n others heard something of a member, once.
func (c *cluster) all(what, of string, n int) {
	c.t.Helper()
	by := map[string]int{}
	for _, h := range c.which(what, of) {
		by[h.by]++
	}
	for name, times := range by {
		if times > 1 {
			c.t.Errorf("%s heard %d times that %s %s", name, times, of, what)
		}
	}
	if len(by) != n {
		c.t.Errorf("%d heard that %s %s, want %d", len(by), of, what, n)
	}
}

// none: nobody heard any of these.
func (c *cluster) none(whats ...string) {
	c.t.Helper()
	for _, what := range whats {
		if got := c.which(what, ""); len(got) > 0 {
			c.t.Errorf("%d heard of %s, the first: %+v", len(got), what, got[0])
		}
	}
}

// within waits for something.
func (c *cluster) within(d time.Duration, cond func() bool) time.Duration {
	c.t.Helper()
	from := c.w.Now()
	if err := c.w.Run(cond, d); err != nil {
		for _, name := range c.names {
			c.t.Logf("%s knows %d", name, c.runs[name].Present())
		}
		c.t.Fatal(err)
	}
	return c.w.Now().Sub(from)
}

// agree reports whether all processes that run know each other, and nobody else.
func (c *cluster) agree() bool { return c.agreeOn(c.names...) }

// agreeOn is agree for some, as if there were no others.
func (c *cluster) agreeOn(names ...string) bool {
	var there []string
	for _, name := range names {
		if c.w.Find(name) != nil {
			there = append(there, c.name(name))
		}
	}
	for _, name := range names {
		if c.w.Find(name) == nil {
			continue
		}
		if m := c.runs[name]; m.Present() != len(there) {
			return false
		}
	}
	for _, name := range names {
		if c.w.Find(name) == nil {
			continue
		}
		for _, m := range c.runs[name].Members() {
			if !slices.Contains(there, m.Name) {
				return false
			}
		}
	}
	return true
}

// name is the name of a process's run.
func (c *cluster) name(process string) string { return c.runs[process].Self().Name }

// between does something to each pair, both ways.
func between(a, b []string, do func(from, to string)) {
	for _, x := range a {
		for _, y := range b {
			do(x, y)
			do(y, x)
		}
	}
}
