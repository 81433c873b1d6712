package sim_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/sim"
)

func TestAPausedProcessHandlesNothingAndGoesOn(t *testing.T) {
	p := newPair(t)
	p.say("one")
	p.w.Settle()
	p.apply("pause S")
	p.say("two", "three")
	p.w.Settle()
	if !p.w.Quiet() {
		t.Error("what waits for a paused process counts as under way")
	}
	if end, took := p.ask(10 * time.Second); !strings.Contains(end, "Cannot receive any reply") || took < 10*time.Second {
		t.Error(end, took)
	}
	p.wantHeard("one")
	p.apply("resume S")
	p.w.Settle()
	p.wantHeard("one", "two", "three")
	if slices.ContainsFunc(p.hearer.events, func(s string) bool { return strings.HasPrefix(s, "disc") }) {
		t.Error(p.hearer.events)
	}
}

func TestTheTimersOfAPausedProcessAreLate(t *testing.T) {
	p := newPair(t)
	ticks := []time.Duration{}
	p.boot("T", "10.0.0.3", func(e *rpcenv.Env) error {
		_, err := e.Register("Ticker", &ticker{&ticks})
		return err
	})
	p.w.Advance(2500 * time.Millisecond)
	p.apply("pause T")
	p.apply("pause T")
	p.w.Advance(5 * time.Second)
	p.apply("resume T")
	p.apply("resume T")
	p.w.Advance(2 * time.Second)
	want := []time.Duration{time.Second, 2 * time.Second, 7500 * time.Millisecond, 8500 * time.Millisecond, 9500 * time.Millisecond}
	if !slices.Equal(ticks, want) {
		t.Errorf("ticks at %v, want %v", ticks, want)
	}
}

// ticker notes the times of its ticks.
type ticker struct{ at *[]time.Duration }

func (e *ticker) OnStart(c *rpcenv.Context) { c.Every(time.Second, time.Second, tick{}) }

func (e *ticker) Receive(c *rpcenv.Context, _ rpcenv.Message) {
	*e.at = append(*e.at, c.Now().Sub(sim.Start))
}

func TestADialToAPausedProcessIsAcceptedByItsMachine(t *testing.T) {
	p := newPair(t)
	p.apply("pause S")
	p.say("one")
	p.w.Advance(3 * time.Second)
	p.wantHeard()
	p.apply("resume S")
	p.w.Settle()
	p.wantHeard("one")
}

func TestAProcessThatIsKilledWhileItIsPaused(t *testing.T) {
	p := newPair(t)
	p.say("one")
	p.w.Settle()
	p.apply("pause S")
	p.say("two")
	p.w.Settle()
	p.apply("kill S")
	p.w.Settle()
	p.w.Advance(time.Second)
	p.wantHeard("one")
	if !p.w.Quiet() {
		t.Error("something is under way")
	}
	if end, _ := p.ask(time.Minute); !strings.Contains(end, "refused") {
		t.Error(end)
	}
}

func TestARestartIsAnotherIncarnationAtTheSameAddress(t *testing.T) {
	p := newPair(t)
	watcher := &hearer{}
	if _, err := p.client.Register("Watcher", watcher); err != nil {
		t.Fatal(err)
	}
	p.say("one")
	p.w.Settle()
	p.apply("restart S")
	p.w.Advance(time.Second)
	p.say("two")
	p.w.Settle()
	p.wantHeard("one", "two")
	if p.hearer.started != 2 {
		t.Error("started", p.hearer.started, "times")
	}
	if want := []string{"connected 10.0.0.1:7077", "disconnected 10.0.0.1:7077", "connected 10.0.0.1:7077"}; !slices.Equal(watcher.events, want) {
		t.Errorf("%q, want %q", watcher.events, want)
	}
	if err := p.w.Restart("nobody"); err == nil {
		t.Error("nobody was restarted")
	}
}

// vanished is a pair whose server's machine has vanished; the client's endpoint watches. Its Env would not notice for an hour.
func vanished(t *testing.T) (*pair, *hearer) {
	p := newPairWith(t, map[string]string{"spark.network.timeout": "1h"})
	watcher := &hearer{}
	if _, err := p.client.Register("Watcher", watcher); err != nil {
		t.Fatal(err)
	}
	p.say("one")
	p.w.Settle()
	p.apply("vanish S")
	p.w.Advance(time.Minute)
	if len(watcher.events) != 1 {
		t.Error("somebody heard of it:", watcher.events)
	}
	return p, watcher
}

func TestAHalfOpenConnectionEndsWhenTCPGivesUp(t *testing.T) {
	p, watcher := vanished(t)
	p.say("two")
	p.w.Settle()
	p.w.Advance(15 * time.Minute)
	if len(watcher.events) != 1 {
		t.Error("too early:", watcher.events)
	}
	p.w.Advance(time.Minute)
	if len(watcher.events) != 2 {
		t.Error("never:", watcher.events)
	}
	if end, took := p.ask(time.Hour); !strings.Contains(end, "timed out") || took < 2*time.Minute {
		t.Error("a dial is answered by nobody:", end, took)
	}
}

func TestANewProcessResetsAHalfOpenConnection(t *testing.T) {
	for _, sent := range []bool{true, false} {
		p, watcher := vanished(t)
		if sent {
			p.say("two")
			p.w.Advance(time.Minute)
		}
		p.apply("restart S")
		p.w.Advance(time.Second)
		if want := map[bool]int{true: 2, false: 1}[sent]; len(watcher.events) != want {
			t.Errorf("sent %v: %q", sent, watcher.events)
		}
		p.say("three")
		p.w.Advance(time.Second)
		p.say("four")
		p.w.Settle()
		if sent {
			p.wantHeard("one", "three", "four")
		} else {
			p.wantHeard("one", "four") // three met the reset
		}
		if !p.w.Quiet() {
			t.Error("something is under way")
		}
	}
}

// What was on the way when the machine vanished is missed by its sender, which hears nothing before TCP gives up.
func TestWhatWasOnTheWayToAMachineThatVanishes(t *testing.T) {
	p := newPair(t)
	watcher := &hearer{}
	if _, err := p.client.Register("Watcher", watcher); err != nil {
		t.Fatal(err)
	}
	p.say("one")
	p.w.Settle()
	p.say("two")
	p.apply("vanish S")
	p.w.Advance(16 * time.Minute)
	p.wantHeard("one")
	if len(watcher.events) != 2 || !p.w.Quiet() {
		t.Error(watcher.events, p.w.Quiet())
	}
	if code, ended := p.w.Exited("S"); code != -1 || !ended {
		t.Error(code, ended)
	}
}

func TestMessagesGoByReference(t *testing.T) {
	w := sim.New(1, 0)
	t.Cleanup(w.Close)
	w.ByReference()
	p := &pair{t: t, w: w, hearer: &hearer{}}
	same := &identity{}
	p.boot("S", "10.0.0.1", func(e *rpcenv.Env) error {
		var err error
		p.ref, err = e.Register("Identity", same)
		return err
	})
	p.boot("C", "10.0.0.2", func(e *rpcenv.Env) error { p.client = e; return nil })
	m := wrapperspb.String("one")
	if err := p.client.Send(p.ref, m); err != nil {
		t.Fatal(err)
	}
	if end, _ := p.ask(time.Minute); end != "42" {
		t.Error(end)
	}
	p.apply("duplicate *->*:* n=1")
	if err := p.client.Send(p.ref, m); err != nil {
		t.Fatal(err)
	}
	w.Settle()
	if len(same.got) != 3 || same.got[0] != rpcenv.Message(m) {
		t.Error(same.got)
	}
}

// identity keeps what it gets.
type identity struct{ got []rpcenv.Message }

func (e *identity) Receive(c *rpcenv.Context, m rpcenv.Message) {
	if q, ok := m.(*wrapperspb.Int32Value); ok {
		rpcenv.ReplyAs(c, q, wrapperspb.Int32(2*q.GetValue()))
		return
	}
	e.got = append(e.got, m)
}
