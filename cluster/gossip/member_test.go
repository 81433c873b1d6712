package gossip_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sirupsen/logrus"
	"go.uber.org/goleak"

	"github.com/coherer/coherer/cluster/gossip"
	"github.com/coherer/coherer/rpcenv"
)

// TestMain does not look at the calls that memberlist has under way when a member ends: its Shutdown does not wait for them,
// and they end by their own clock, a probe in up to 1.6 s on a slow machine. A member that was not closed is seen all the
// same: its listeners and tickers do not end.
func TestMain(m *testing.M) {
	if os.Getenv(busyVar) != "" {
		compute()
		return
	}
	goleak.VerifyTestMain(m,
		goleak.IgnoreAnyFunction("github.com/hashicorp/memberlist.(*Memberlist).probeNode"),
		goleak.IgnoreAnyFunction("github.com/hashicorp/memberlist.(*Memberlist).sendPingAndWaitForAck"),
		goleak.IgnoreAnyFunction("github.com/hashicorp/memberlist.(*Memberlist).handleConn"),
	)
}

// player is a member and the events that it got.
type player struct {
	*gossip.Member
	t      *testing.T
	events chan gossip.Event
}

// config is that of a member which says that it listens at a port of RPC.
func config(role string, port int, join ...*player) gossip.Config {
	c := gossip.Config{
		Label: "test", Incarnation: 1,
		Meta: gossip.Meta{Role: role, RPC: rpcenv.Address{Host: "127.0.0.1", Port: port}, PID: 1},
	}
	for _, p := range join {
		c.Join = append(c.Join, p.Addr().String())
	}
	return c
}

func play(t *testing.T, c gossip.Config) *player {
	t.Helper()
	p := &player{t: t, events: make(chan gossip.Event, 100)}
	c.OnChange = func(e gossip.Event) { p.events <- e }
	m, err := gossip.Join(within(t), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	p.Member = m
	return p
}

func within(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	t.Cleanup(cancel)
	return ctx
}

// wantMembers waits until the player knows exactly these.
func (p *player) wantMembers(names ...string) {
	p.t.Helper()
	want := strings.Join(names, " ")
	if err := p.WaitFor(within(p.t), func(members []gossip.Info) bool { return namesOf(members) == want }); err != nil {
		p.t.Fatalf("want %s: %v", want, err)
	}
	if got := namesOf(p.Members()); got != want {
		p.t.Errorf("members %s, want %s", got, want)
	}
}

func namesOf(members []gossip.Info) string {
	var names []string
	for _, m := range members {
		names = append(names, m.Name)
	}
	return strings.Join(names, " ")
}

// wantEvent takes the next event, but for suspicions and refutations that are not wanted: on a busy machine a member may answer late.
func (p *player) wantEvent(kind gossip.EventKind, of *player) gossip.Event {
	p.t.Helper()
	ctx := within(p.t)
	for {
		select {
		case e := <-p.events:
			switch {
			case e.Kind == kind && e.Info.Name == of.Name():
				return e
			case e.Kind != gossip.MemberSuspected && e.Kind != gossip.MemberRefuted:
				p.t.Fatalf("%s %s, want %s %s", e.Info.Name, e.Kind, of.Name(), kind)
			}
		case <-ctx.Done():
			p.t.Fatalf("no event; want %s %s", of.Name(), kind)
		}
	}
}

// wantEvents takes the next n events, whatever they are.
func (p *player) wantEvents(n int) {
	p.t.Helper()
	for range n {
		select {
		case <-p.events:
		case <-within(p.t).Done():
			p.t.Fatal("an event is missing")
		}
	}
}

// wantNoEvent is for a player that nothing can happen to any more.
func (p *player) wantNoEvent() {
	p.t.Helper()
	for len(p.events) > 0 {
		if e := <-p.events; e.Kind != gossip.MemberSuspected && e.Kind != gossip.MemberRefuted || e.Info.Name == p.Name() {
			p.t.Errorf("one more event: %v", e)
		}
	}
}

// wantSuspected takes the next event, which says that one player had no answer from another.
func (p *player) wantSuspected(of, by *player) {
	p.t.Helper()
	if e := p.wantEvent(gossip.MemberSuspected, of); e.By != by.Name() {
		p.t.Errorf("suspected by %s, want %s", e.By, by.Name())
	}
}

// A member that is there refutes whatever it is accused of, and all hear that.
func TestTheAccusedRefutes(t *testing.T) {
	a := play(t, config(gossip.RoleMaster, 1))
	b := play(t, config("worker", 2, a))
	c := play(t, config("worker", 3, a))
	all := []*player{a, b, c}
	for _, p := range all {
		p.wantMembers(a.Name(), b.Name(), c.Name())
		p.wantEvents(2) // they joined
	}
	for range 2 {
		n := a.Accuse(c.Name())
		a.wantSuspected(c, a)
		a.wantEvent(gossip.MemberRefuted, c)
		// The refutation may overtake the accusation, which then is no event.
		for _, p := range all {
			if err := p.WaitRefuted(within(t), a.Name(), c.Name(), n); err != nil {
				t.Fatal(err)
			}
		}
	}
	c.wantNoEvent() // of itself
}

// A goodbye that a member has not said hides it for a moment only.
func TestAMemberRefutesAGoodbyeThatItHasNotSaid(t *testing.T) {
	t.Parallel()
	var all []*player
	for i := range 3 {
		c := config("worker", 1+i, all[:min(i, 1)]...)
		c.Upkeep = quick
		all = append(all, play(t, c))
	}
	a, b, c := all[0], all[1], all[2]
	for _, p := range all {
		p.wantMembers(a.Name(), b.Name(), c.Name())
	}
	a.Hear("bye " + c.Name())
	for _, p := range []*player{a, b} {
		if err := p.WaitFor(within(t), func(members []gossip.Info) bool { return len(members) == 3 && members[2].Again > 0 }); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Leave(within(t)); err != nil { // it means it
		t.Fatal(err)
	}
	a.wantMembers(a.Name(), b.Name())
	b.wantMembers(a.Name(), b.Name())
}

// Three members find each other, and hear nothing of those that only look. One crashes: those whose probes failed suspect it by name, which
// the others hear, before all give it up. Another leaves, and the rest see the difference. This test fails if memberlist words the line of its
// log otherwise, by which a member knows of its failed probe.
func TestMembership(t *testing.T) {
	a := play(t, config(gossip.RoleMaster, 1))
	b := play(t, config("worker", 2, a))
	a.wantEvent(gossip.MemberJoined, b)
	c := play(t, config("worker", 3, a))
	for _, p := range []*player{a, b, c} {
		p.wantMembers(a.Name(), b.Name(), c.Name())
		masters := slices.DeleteFunc(p.Members(), func(i gossip.Info) bool { return i.Role != gossip.RoleMaster })
		if len(masters) != 1 || masters[0].RPC.Port != 1 || masters[0].Gossip != a.Addr() || masters[0].PID != 1 {
			t.Errorf("masters %+v", masters)
		}
	}
	a.wantEvent(gossip.MemberJoined, c)
	b.wantEvent(gossip.MemberJoined, a)
	b.wantEvent(gossip.MemberJoined, c)

	const ui = "http://127.0.0.1:8081"
	if err := b.Revise(within(t), func(own *gossip.Meta) { own.UI = ui }); err != nil {
		t.Fatal(err)
	}
	if e := a.wantEvent(gossip.MemberUpdated, b); e.Info.UI != ui {
		t.Errorf("updated to %+v", e.Info)
	}

	for i := range 10 {
		looks := play(t, gossip.Config{Label: "test", Incarnation: uint64(i), Meta: gossip.Meta{Role: gossip.RoleLook}, Join: []string{a.Addr().String()}})
		looks.wantEvents(3) // they joined
		looks.wantMembers(a.Name(), b.Name(), c.Name(), looks.Name())
		if i%2 == 0 {
			looks.Close()
		}
	}
	before := time.Now().Truncate(time.Millisecond) // as times travel
	b.Close()
	// Of the accusers, a probes after c or before.
	if e := a.wantEvent(gossip.MemberSuspected, b); e.By != a.Name() && e.By != c.Name() {
		t.Errorf("suspected by %s", e.By)
	}
	a.wantEvent(gossip.MemberFailed, b)
	a.wantMembers(a.Name(), c.Name())

	if err := c.Leave(within(t)); err != nil {
		t.Fatal(err)
	}
	a.wantEvent(gossip.MemberLeft, c)
	a.wantMembers(a.Name())
	a.wantNoEvent()

	// A latecomer learns from the member that it joins which members are gone.
	late := play(t, gossip.Config{Label: "test", Incarnation: 2, Meta: gossip.Meta{Role: gossip.RoleLook}, Join: []string{a.Addr().String()}})
	got := late.Standings()
	slices.SortFunc(got, func(x, y gossip.Standing) int { return cmp.Compare(x.Name, y.Name) }) // both may be gone at one time
	if len(got) != 3 || got[0].Name != a.Name() || got[0].State != gossip.Alive || got[2].Name != c.Name() || got[2].State != gossip.Left ||
		got[1].Name != b.Name() || got[1].State != gossip.Failed || len(got[1].By) == 0 || got[1].At.Before(before) || got[1].At.After(time.Now()) {
		t.Errorf("standings %+v", got)
	}
}

// A daemon that crashed and comes back at its address is another member.
func TestRestartAtTheSameAddress(t *testing.T) {
	a := play(t, config(gossip.RoleMaster, 1))
	first := config("worker", 2, a)
	b := play(t, first)
	a.wantEvent(gossip.MemberJoined, b)
	b.Close()
	second := first
	second.Incarnation = 2
	c := play(t, second)
	if b.Name() == c.Name() {
		t.Fatal("one name for two incarnations")
	}
	// The new one may come before the old one's end is seen.
	a.wantMembers(a.Name(), c.Name())
	if workers := a.Members()[1:]; workers[0].RPC != first.Meta.RPC {
		t.Errorf("worker %+v", workers[0])
	}
}

func TestLabelsKeepClustersApart(t *testing.T) {
	a := play(t, config(gossip.RoleMaster, 1))
	c := config("worker", 2, a)
	c.Label = "other"
	if _, err := gossip.Join(within(t), c); !errors.Is(err, gossip.ErrNobody) {
		t.Errorf("joined another cluster: %v", err)
	}
	a.wantMembers(a.Name())
}

func TestJoinRefuses(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	at := taken.Addr().(*net.TCPAddr).Port
	defer taken.Close()
	for _, c := range []struct {
		name   string
		change func(*gossip.Config)
		want   []string
		is     error
	}{
		{
			"nobody there", func(c *gossip.Config) { c.Join = []string{"127.0.0.1:1", "127.0.0.1:2"} },
			[]string{"127.0.0.1:1", "127.0.0.1:2", "refused", `"test"`},
			gossip.ErrNobody,
		},
		{"metadata too long", func(c *gossip.Config) { c.Meta.ID = strings.Repeat("x", 600) }, []string{"512"}, gossip.ErrMetaTooLong},
		{"no role", func(c *gossip.Config) { c.Meta.Role = "" }, []string{"role"}, nil},
		{"label too long", func(c *gossip.Config) { c.Label = strings.Repeat("x", 256) }, []string{"256"}, nil},
		{"no address", func(c *gossip.Config) { c.Join = []string{"here"} }, []string{"HOST:PORT"}, nil},
		{"no port", func(c *gossip.Config) { c.Join = []string{"127.0.0.1:0"} }, []string{"port"}, nil},
		{"port taken", func(c *gossip.Config) { c.Bind.Host = "127.0.0.1"; c.Bind.Port = at }, []string{fmt.Sprint(at), "coherer.gossip.port"}, syscall.EADDRINUSE},
		{"not of this machine", func(c *gossip.Config) { c.Bind.Host = "192.0.2.1" }, []string{"192.0.2.1"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			cfg := config("worker", 1)
			c.change(&cfg)
			_, err := gossip.Join(within(t), cfg)
			if err == nil || c.is != nil && !errors.Is(err, c.is) {
				t.Fatalf("error %v", err)
			}
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error %v, want %q", err, want)
				}
			}
		})
	}
}

func TestOneAnswerIsEnough(t *testing.T) {
	a := play(t, config(gossip.RoleMaster, 1))
	c := config("worker", 2)
	c.Join = []string{"127.0.0.1:1", a.Addr().String()}
	b := play(t, c)
	b.wantMembers(a.Name(), b.Name())
}

func TestAfterTheEnd(t *testing.T) {
	for name, end := range map[string]func(*player){
		"closed": func(p *player) { p.Close() },
		"left": func(p *player) {
			if err := p.Leave(within(t)); err != nil {
				t.Error(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := play(t, config("worker", 1))
			waited := make(chan error)
			go func() {
				waited <- p.WaitFor(t.Context(), func(members []gossip.Info) bool { return len(members) > 1 })
			}()
			end(p)
			if err := <-waited; !errors.Is(err, gossip.ErrClosed) {
				t.Errorf("WaitFor: %v", err)
			}
			p.Close()
			if err := p.Leave(within(t)); err != nil {
				t.Errorf("Leave: %v", err)
			}
			if err := p.Revise(within(t), func(*gossip.Meta) {}); !errors.Is(err, gossip.ErrClosed) {
				t.Errorf("Revise: %v", err)
			}
		})
	}
}

func TestWaitForSaysWhoIsThere(t *testing.T) {
	p := play(t, config("worker", 1))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := p.WaitFor(ctx, func([]gossip.Info) bool { return false })
	if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), p.Name()) {
		t.Errorf("error %v", err)
	}
}

// A port that is taken, over TCP or over UDP, is passed over as long as there are retries.
func TestATakenPortIsPassedOver(t *testing.T) {
	first := play(t, config("worker", 1)) // it has both
	var log bytes.Buffer
	c := config(gossip.RoleMaster, 2, first)
	c.Bind, c.Retries = first.Addr(), 16
	logger := logrus.New()
	logger.SetOutput(&log)
	c.Log = logrus.NewEntry(logger)
	second := play(t, c)
	if at := second.Addr(); at.Port <= first.Addr().Port || at.Port > first.Addr().Port+16 {
		t.Errorf("listens at %s, the first at %s", at, first.Addr())
	}
	if want := fmt.Sprintf("could not bind on port %d. Attempting port %d.", first.Addr().Port, first.Addr().Port+1); !strings.Contains(log.String(), want) {
		t.Errorf("logged %q, want %q", log.String(), want)
	}
	first.wantMembers(first.Name(), second.Name())
}

// A member that leads from now on is known to the others as one.
func TestWhoLeadsIsKnown(t *testing.T) {
	a := play(t, config(gossip.RoleMaster, 1))
	b := play(t, config("worker", 2, a))
	b.wantEvent(gossip.MemberJoined, a)
	if err := a.Lead(within(t)); err != nil {
		t.Fatal(err)
	}
	if e := b.wantEvent(gossip.MemberUpdated, a); !e.Info.Leads || e.Info.RPC.Port != 1 {
		t.Errorf("updated to %+v", e.Info)
	}
	a.Close()
	if err := a.Lead(within(t)); !errors.Is(err, gossip.ErrClosed) {
		t.Errorf("after the end: %v", err)
	}
}

// A member that meets another joins its cluster, at once or when somebody listens there, and again when that was started anew.
func TestMeet(t *testing.T) {
	a := play(t, config(gossip.RoleMaster, 1))
	c := config("worker", 2)
	c.Upkeep = 50 * time.Millisecond
	b := play(t, c)
	b.wantMembers(b.Name())
	b.Meet(a.Addr().String())
	b.wantMembers(a.Name(), b.Name())
	at := a.Addr()
	a.Close()
	b.wantMembers(b.Name())
	again := config(gossip.RoleMaster, 3)
	again.Bind = at
	third := play(t, again)
	b.wantMembers(b.Name(), third.Name())
}

// A patient member begins alone, says once whom it did not find, and finds them when they are there.
func TestAPatientMemberBeginsAlone(t *testing.T) {
	a := play(t, config(gossip.RoleMaster, 1))
	at := a.Addr()
	a.Close()
	var log bytes.Buffer
	c := config(gossip.RoleMaster, 2, a)
	logger := logrus.New()
	logger.SetOutput(&log)
	c.Log, c.Upkeep, c.Patient = logrus.NewEntry(logger), 50*time.Millisecond, true
	b := play(t, c)
	if got := strings.Count(log.String(), "no member of the cluster answered"); got != 1 || !strings.Contains(log.String(), at.String()) {
		t.Errorf("it says so %d times: %s", got, log.String())
	}
	again := config(gossip.RoleMaster, 3)
	again.Bind = at
	third := play(t, again)
	b.wantMembers(b.Name(), third.Name())
}
