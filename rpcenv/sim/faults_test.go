package sim_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/sim"
)

// end is a Receiver that notes what it gets.
type end struct {
	got  []string
	over []error
}

func (e *end) Receive(env *rpcenv.Envelope) { e.got = append(e.got, string(env.Content)) }
func (e *end) Closed(err error)             { e.over = append(e.over, err) }

var serverAt = rpcenv.Address{Host: "10.0.0.1", Port: 7077}

// linked is a World with a link between two Hosts.
type linked struct {
	w              *sim.World
	server, client *sim.Host
	near, far      *end        // the client's end and the server's
	out            rpcenv.Link // the client's
}

func link(t *testing.T) *linked {
	l := &linked{w: sim.New(1, 0), near: &end{}, far: &end{}}
	t.Cleanup(l.w.Close)
	l.server, l.client = l.w.Host("S", "10.0.0.1"), l.w.Host("C", "10.0.0.2")
	if _, _, err := l.server.Listen(serverAt, func(rpcenv.Link) rpcenv.Receiver { return l.far }); err != nil {
		t.Fatal(err)
	}
	l.client.Dial(serverAt, func(out rpcenv.Link, err error) rpcenv.Receiver {
		if err != nil {
			t.Error(err)
		}
		l.out = out
		return l.near
	})
	l.w.Advance(time.Second)
	return l
}

func (l *linked) send(text string) {
	l.out.Send(&rpcenv.Envelope{Kind: rpcenv.KindOneWay, Content: []byte(text)})
}

func (l *linked) check(t *testing.T, want ...string) {
	t.Helper()
	if !slices.Equal(l.far.got, want) {
		t.Errorf("got %q, want %q", l.far.got, want)
	}
}

func TestACutHoldsWhatIsSentAndHealReleasesItInOrder(t *testing.T) {
	l := link(t)
	l.send("before")
	l.w.Cut("C", "S")
	l.send("one")
	l.w.Advance(time.Hour)
	l.send("two")
	l.check(t)
	if !l.w.Quiet() {
		t.Error("what is held counts as under way")
	}
	l.w.Heal("C", "S")
	l.send("three")
	l.w.Settle()
	l.check(t, "before", "one", "two", "three")
}

func TestADelayAddsToTheTime(t *testing.T) {
	l := link(t)
	l.w.Delay("C", "S", time.Second)
	l.send("late")
	l.w.Advance(999 * time.Millisecond)
	l.check(t)
	l.w.Advance(2 * time.Millisecond)
	l.check(t, "late")
}

func TestWhatWasSentBeforeACloseArrives(t *testing.T) {
	l := link(t)
	l.send("last")
	l.out.Close()
	l.out.Close()
	l.send("after")
	l.w.Settle()
	l.w.Advance(time.Second)
	l.check(t, "last")
	if len(l.near.over) != 1 || len(l.far.over) != 1 {
		t.Error("each end is reported once:", l.near.over, l.far.over)
	}
}

func TestACrashEndsTheLinksOfAHost(t *testing.T) {
	for _, busy := range []bool{false, true} {
		l := link(t)
		if busy {
			l.w.Cut("C", "S")
		}
		l.send("lost")
		l.server.Kill()
		l.w.Advance(time.Second)
		l.check(t)
		if len(l.near.over) != 1 || !l.w.Quiet() {
			t.Error(l.near.over, l.w.Quiet())
		}
		if code, dead := l.w.Exited("S"); code != 137 || !dead {
			t.Error(code, dead)
		}
	}
}

// The server goes between its accept and the moment when the client knows of the connection.
func TestACrashWhileADialIsUnderWay(t *testing.T) {
	w := sim.New(1, 0)
	t.Cleanup(w.Close)
	server, client := w.Host("S", "10.0.0.1"), w.Host("C", "10.0.0.2")
	if _, _, err := server.Listen(serverAt, func(rpcenv.Link) rpcenv.Receiver {
		server.Kill()
		return &end{}
	}); err != nil {
		t.Fatal(err)
	}
	e := &end{}
	w.Delay("S", "C", time.Second)
	client.Dial(serverAt, func(_ rpcenv.Link, err error) rpcenv.Receiver { return e })
	w.Advance(time.Minute)
	if len(e.over) != 1 {
		t.Error(e.over)
	}
}

func TestDialsThatFail(t *testing.T) {
	w := sim.New(1, 0)
	t.Cleanup(w.Close)
	server, client := w.Host("S", "10.0.0.1"), w.Host("C", "10.0.0.2")
	dial := func(to rpcenv.Address) (took time.Duration, failure error) {
		begin, done := w.Now(), false
		client.Dial(to, func(_ rpcenv.Link, err error) rpcenv.Receiver {
			failure, took, done = err, w.Now().Sub(begin), true
			return nil
		})
		if err := w.Run(func() bool { return done }, time.Hour); err != nil {
			t.Fatal(err)
		}
		return took, failure
	}
	if took, err := dial(serverAt); err == nil || took > 10*time.Millisecond {
		t.Error("refused:", err, took)
	}
	if _, _, err := server.Listen(serverAt, func(rpcenv.Link) rpcenv.Receiver { return &end{} }); err != nil {
		t.Fatal(err)
	}
	if _, _, err := server.Listen(serverAt, nil); err == nil {
		t.Error("a port was taken twice")
	}
	w.Cut("S", "C")
	if took, err := dial(serverAt); err == nil || took < 2*time.Minute || took > 3*time.Minute {
		t.Error("cut:", err, took)
	}
}

func TestATiedProcessEndsWithWhoStartedIt(t *testing.T) {
	w := sim.New(1, 0)
	t.Cleanup(w.Close)
	for _, class := range []string{"tied", "free"} {
		w.Roles[class] = func(h *sim.Host, _ rpcenv.Command) error {
			h.Rename(class)
			return nil
		}
	}
	w.Tied["tied"] = true
	parent := w.Host("P", "10.0.0.1")
	for _, class := range []string{"tied", "free", "tied"} {
		p, err := parent.Start(rpcenv.Command{Class: class}, func(rpcenv.Exit) {})
		if err != nil {
			t.Fatal(err)
		}
		w.Settle()
		if class == "free" {
			continue
		}
		p.Kill(0)
		w.Settle()
		if code, ended := w.Exited(class); !ended || code != 137 {
			t.Errorf("killed without grace: %d %t", code, ended)
		}
		if _, err := parent.Start(rpcenv.Command{Class: class}, func(rpcenv.Exit) {}); err != nil {
			t.Fatal(err)
		}
		w.Settle()
	}
	parent.Kill()
	w.Settle()
	if w.Find("tied") != nil || w.Find("free") == nil {
		t.Error("the wrong processes ended with their parent")
	}
}

func TestAProcessIsStartedByItsRole(t *testing.T) {
	w := sim.New(1, 0)
	t.Cleanup(w.Close)
	parent := w.Host("P", "10.0.0.1")
	if _, err := parent.Start(rpcenv.Command{Class: "unknown"}, nil); err == nil {
		t.Error("a class without a role was started")
	}
	failed := errors.New("no")
	w.Roles["good"] = func(h *sim.Host, cmd rpcenv.Command) error {
		h.Rename(cmd.Args[0])
		return nil
	}
	w.Roles["bad"] = func(*sim.Host, rpcenv.Command) error { return failed }
	var exits []rpcenv.Exit
	note := func(e rpcenv.Exit) { exits = append(exits, e) }
	p, err := parent.Start(rpcenv.Command{Class: "good", Args: []string{"child"}}, note)
	if err != nil {
		t.Fatal(err)
	}
	w.Settle()
	if w.Find("child") == nil {
		t.Fatal("it does not run")
	}
	p.Kill(time.Second)
	w.Advance(time.Second)
	if _, err := parent.Start(rpcenv.Command{Class: "bad"}, note); err != nil {
		t.Fatal(err)
	}
	w.Advance(time.Second)
	if len(exits) != 2 || exits[0].Code != 143 || exits[1].Code != 1 || !errors.Is(exits[1].Err, failed) {
		t.Error(exits)
	}
}
