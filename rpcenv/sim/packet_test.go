package sim_test

import (
	"testing"
	"time"

	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/fault"
	"github.com/coherer/coherer/rpcenv/sim"
)

// post is two Hosts that send each other packets.
type post struct {
	w    *sim.World
	a, b *sim.Host
	got  int // packets that B got
}

func newPost(t *testing.T) *post {
	p := &post{w: sim.New(1, 0)}
	t.Cleanup(p.w.Close)
	p.a, p.b = p.w.Host("A", "10.0.0.1"), p.w.Host("B", "10.0.0.2")
	return p
}

func (p *post) send(n int) {
	for range n {
		p.a.Datagram(p.b, func() { p.got++ })
	}
}

// A packet arrives after the time that packets take; nothing waits for it.
func TestADatagramArrives(t *testing.T) {
	p := newPost(t)
	p.send(1)
	if !p.w.Quiet() {
		t.Error("it is under way for Settle")
	}
	p.w.Advance(90 * time.Microsecond)
	if p.got != 0 {
		t.Error("it came at once")
	}
	p.w.Advance(time.Millisecond)
	if p.got != 1 {
		t.Errorf("got %d", p.got)
	}
	if took, ok := p.a.Echo(p.b); !ok || took < 200*time.Microsecond || took > 2*time.Millisecond {
		t.Error(took, ok)
	}
	p.w.Delay("B", "A", time.Second)
	p.w.Delay("*", "B", time.Second)
	if took, ok := p.a.Echo(p.b); !ok || took < 2*time.Second || took > 2100*time.Millisecond {
		t.Error(took, ok)
	}
	p.w.Delay("*", "B", 0)
	if took, ok := p.a.Echo(p.b); !ok || took > 1100*time.Millisecond {
		t.Error(took, ok)
	}
}

// What keeps a packet from its receiver also keeps an answer away.
func TestDatagramsThatDoNotArrive(t *testing.T) {
	for _, c := range []struct {
		what   string
		befall func(*post)
		later  int // packets of two that come once the fault is over
		echo   bool
	}{
		{"cut there", func(p *post) { p.w.Cut("A", "B") }, 0, false},
		{"cut back", func(p *post) { p.w.Cut("B", "*") }, 2, false},
		{"lost", func(p *post) { p.w.Lose("*", "B", 1) }, 0, false},
		{"answer lost", func(p *post) { p.w.Lose("B", "A", 1) }, 2, false},
		{"paused", func(p *post) { p.b.Pause() }, 2, false},
		{"killed", func(p *post) { p.b.Kill() }, 0, false},
		{"vanished", func(p *post) { p.b.Vanish() }, 0, false},
		{"of a killed process", func(p *post) { p.a.Kill() }, 0, false},
		{"no loss any more", func(p *post) { p.w.Lose("A", "B", 1); p.w.Lose("A", "B", 0) }, 2, true},
		{"loss elsewhere", func(p *post) { p.w.Lose("B", "C", 1) }, 2, true},
	} {
		p := newPost(t)
		c.befall(p)
		p.send(2)
		_, ok := p.a.Echo(p.b)
		p.w.Advance(time.Second)
		p.w.Calm()
		p.w.Advance(time.Second)
		if p.got != c.later || ok != c.echo {
			t.Errorf("%s: %d packets, echo %v; want %d, %v", c.what, p.got, ok, c.later, c.echo)
		}
	}
	p := newPost(t)
	p.send(1)
	p.w.Cut("A", "B") // it is on its way
	p.w.Advance(time.Second)
	if p.got != 0 {
		t.Error("a packet passes a cut")
	}
	if p.b.Vanish(); !p.w.Vanished("10.0.0.2") || p.w.Vanished("10.0.0.1") {
		t.Error("it does not know which machine has vanished")
	}
}

// Of many packets the share is lost that the fault says, and a loss is a fault that lasts.
func TestAShareOfDatagramsIsLost(t *testing.T) {
	p := newPost(t)
	f, err := fault.Parse("lose A * 0.25 oneway")
	if err != nil {
		t.Fatal(err)
	}
	if err := p.w.Apply(f); err != nil || !p.w.Faulty() {
		t.Error(err, "or no fault lasts")
	}
	p.send(4000)
	p.w.Advance(time.Second)
	if p.got < 2900 || p.got > 3100 {
		t.Errorf("%d of 4000 arrived", p.got)
	}
	if p.w.Calm(); p.w.Faulty() {
		t.Error("Calm did not end it")
	}
}

// Packets draw nothing from the streams of the World: what else happens in it is as without them.
func TestDatagramsChangeNothingElse(t *testing.T) {
	run := func(packets int) time.Duration {
		p := newPost(t)
		p.send(packets)
		if _, ok := p.a.Echo(p.b); !ok {
			t.Error("no echo")
		}
		from, took := p.w.Now(), time.Duration(0)
		p.a.Dial(serverAt, func(rpcenv.Link, error) rpcenv.Receiver { // nobody listens there
			took = p.w.Now().Sub(from)
			return nil
		})
		p.w.Advance(time.Second)
		return took
	}
	if with, without := run(100), run(0); with != without || with == 0 {
		t.Errorf("a dial is refused after %s with packets, after %s without", with, without)
	}
}
