package sim_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
	"github.com/coherer/coherer/rpcenv/fault"
	"github.com/coherer/coherer/rpcenv/sim"
	"github.com/coherer/coherer/rpcenv/trace"
)

// hearer notes what it hears, and when.
type hearer struct {
	got     []string
	at      []time.Duration
	events  []string
	started int
}

func (e *hearer) OnStart(*rpcenv.Context) { e.started++ }
func (e *hearer) OnConnected(_ *rpcenv.Context, a rpcenv.Address) {
	e.events = append(e.events, "connected "+a.String())
}

func (e *hearer) OnDisconnected(_ *rpcenv.Context, a rpcenv.Address) {
	e.events = append(e.events, "disconnected "+a.String())
}

func (e *hearer) Receive(c *rpcenv.Context, m rpcenv.Message) {
	e.at = append(e.at, c.Now().Sub(sim.Start))
	switch m := m.(type) {
	case *wrapperspb.StringValue:
		e.got = append(e.got, m.GetValue())
	case *wrapperspb.Int32Value:
		rpcenv.ReplyAs(c, m, wrapperspb.Int32(2*m.GetValue()))
	}
}

// pair is a World with a server S, whose endpoint hears, and a client C.
type pair struct {
	t      *testing.T
	w      *sim.World
	hearer *hearer
	ref    rpcenv.Ref
	client *rpcenv.Env
	conf   *conf.Conf
}

func newPair(t *testing.T) *pair { return newPairWith(t, nil) }

// newPairWith is newPair with settings of both processes.
func newPairWith(t *testing.T, settings map[string]string) *pair {
	c, err := conf.New(settings)
	if err != nil {
		t.Fatal(err)
	}
	p := &pair{t: t, w: sim.New(1, 0), hearer: &hearer{}, conf: c}
	t.Cleanup(p.w.Close)
	p.boot("S", "10.0.0.1", func(e *rpcenv.Env) error {
		var err error
		p.ref, err = e.Register("Hearer", p.hearer)
		return err
	})
	p.boot("C", "10.0.0.2", func(e *rpcenv.Env) error {
		p.client = e
		return nil
	})
	return p
}

// boot starts a process with one Env of its name.
func (p *pair) boot(name, ip string, program func(*rpcenv.Env) error) {
	p.t.Helper()
	if _, err := p.w.Boot(name, ip, func(h *sim.Host) error {
		e, err := rpcenv.New(h, rpcenv.Config{Name: name, Listen: rpcenv.Address{Host: ip, Port: 7077}, Log: rpcenv.NoLog(), Conf: p.conf})
		if err != nil {
			return err
		}
		return program(e)
	}); err != nil {
		p.t.Fatal(err)
	}
}

func (p *pair) apply(line string) {
	p.t.Helper()
	f, err := fault.Parse(line)
	if err == nil {
		err = p.w.Apply(f)
	}
	if err != nil {
		p.t.Fatalf("%s: %v", line, err)
	}
}

func (p *pair) say(words ...string) {
	p.t.Helper()
	for _, word := range words {
		if err := p.client.Send(p.ref, wrapperspb.String(word)); err != nil {
			p.t.Fatal(err)
		}
	}
}

// ask asks and returns the words of its end, and how long that took.
func (p *pair) ask(limit time.Duration) (string, time.Duration) {
	p.t.Helper()
	end, begin, done := "", p.w.Now(), false
	p.client.Go("ask", func(b *rpcenv.Blocking) error {
		r, err := rpcenv.AskWaitAs[*wrapperspb.Int32Value](b, p.ref, wrapperspb.Int32(21), rpcenv.Timeout("test", limit))
		if done, end = true, fmt.Sprint(r.GetValue()); err != nil {
			end = err.Error()
		}
		return nil
	})
	if err := p.w.Run(func() bool { return done }, time.Hour); err != nil {
		p.t.Fatal(err)
	}
	return end, p.w.Now().Sub(begin)
}

func (p *pair) wantHeard(want ...string) {
	p.t.Helper()
	if !slices.Equal(p.hearer.got, want) {
		p.t.Errorf("heard %q, want %q", p.hearer.got, want)
	}
}

// faults are the faults in the trace, with the message that each was about.
func (p *pair) faults() []string {
	byID, out := map[string]trace.Entry{}, []string{}
	entries := trace.Merge(p.w.Recorder().Records()).Entries
	for _, e := range entries {
		byID[e.ID] = e
	}
	for _, e := range entries {
		switch {
		case e.K == trace.KindDrop && e.ID != "":
			out = append(out, fmt.Sprintf("%s %s %s->%s %s", byID[e.Cause].Body, e.Type, e.From, e.To, e.Why))
		case e.K == trace.KindState && e.Name == "fault" && e.Is != "applied":
			out = append(out, strings.TrimSpace(fmt.Sprintf("%s %s %s %s", byID[e.Cause].Body, e.Subject, e.Is, e.Why)))
		}
	}
	return out
}

func (p *pair) wantFaults(want ...string) {
	p.t.Helper()
	if got := p.faults(); !slices.Equal(got, want) {
		p.t.Errorf("the trace has\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestADroppedMessageIsLostAndTheTraceNamesTheRule(t *testing.T) {
	p := newPair(t)
	p.say("one")
	p.w.Settle()
	p.apply("drop C->S/Hearer:StringValue n=2")
	p.say("two", "three", "four")
	p.w.Settle()
	p.wantHeard("one", "four")
	p.wantFaults(`{"value":"two"} StringValue C/outside->S/Hearer lost by fault: drop C->S/Hearer:StringValue n=2`,
		`{"value":"three"} StringValue C/outside->S/Hearer lost by fault: drop C->S/Hearer:StringValue n=2`)
	// What came after the lost ones has kept its name.
	for _, e := range trace.Merge(p.w.Recorder().Records()).Entries {
		if e.K == trace.KindMsg && strings.Contains(e.Body, "four") && !e.Handled {
			t.Error("the ends count differently:", e)
		}
	}
}

func TestALostAskOrReplyEndsWithItsTimeout(t *testing.T) {
	for _, rule := range []string{"drop C->S:Int32Value n=1", "drop S->C:Int32Value n=1"} {
		p := newPair(t)
		p.apply(rule)
		if end, took := p.ask(2 * time.Second); !strings.Contains(end, "This timeout is controlled by test") || took.Round(time.Second) != 2*time.Second {
			t.Error(rule, end, took)
		}
		if end, _ := p.ask(2 * time.Second); end != "42" {
			t.Error(rule, end)
		}
	}
}

func TestADuplicateIsHandledTwiceUnderItsOwnName(t *testing.T) {
	p := newPair(t)
	p.apply("duplicate *->*:* n=1")
	p.say("one", "two")
	p.w.Settle()
	p.wantHeard("one", "one", "two")
	p.wantFaults(`{"value":"one"} google.protobuf.StringValue duplicated duplicate *->*:* n=1`)
	var ids []string
	for _, e := range trace.Merge(p.w.Recorder().Records()).Entries {
		if e.K == trace.KindMsg && strings.Contains(e.Body, "one") && e.Handled {
			ids = append(ids, e.ID[strings.LastIndexByte(e.ID, '.'):])
		}
	}
	if !slices.Equal(ids, []string{".1", ".1000000001"}) {
		t.Error(ids)
	}
}

func TestADuplicatedAskEndsOnce(t *testing.T) {
	p := newPair(t)
	p.apply("duplicate C->S:Int32Value")
	if end, _ := p.ask(time.Minute); end != "42" {
		t.Error(end)
	}
	p.w.Settle()
	if len(p.hearer.at) != 2 {
		t.Error("handled", len(p.hearer.at), "times")
	}
}

func TestADelayedMessageHoldsUpWhatFollowsAndAReorderedOneIsOvertaken(t *testing.T) {
	p := newPair(t)
	p.apply("delay C->S:* by=1s n=1")
	p.say("one", "two")
	p.w.Advance(999 * time.Millisecond)
	p.wantHeard()
	p.w.Advance(time.Second)
	p.wantHeard("one", "two")
	p.apply("reorder C->S:* n=1")
	p.say("three", "four")
	if p.w.Quiet() {
		t.Error("a message that is held back is under way")
	}
	p.w.Settle()
	p.wantHeard("one", "two", "four", "three")
	p.wantFaults(`{"value":"one"} google.protobuf.StringValue delayed delay C->S:* by=1s n=1`,
		`{"value":"three"} google.protobuf.StringValue reordered reorder C->S:* n=1`)
}

func TestARuleHoldsForItsTimeAndWithItsProbability(t *testing.T) {
	p := newPair(t)
	p.say("one")
	p.w.Settle()
	p.apply("drop C->S:* for=1s")
	p.say("two")
	p.w.Advance(time.Second)
	p.say("three")
	p.w.Settle()
	p.wantHeard("one", "three")
	p.hearer.got = nil
	p.apply("drop C->S:* p=0.25")
	for range 1000 {
		p.say("x")
	}
	p.w.Settle()
	if n := len(p.hearer.got); n < 690 || n > 810 {
		t.Errorf("%d of 1000 arrived, want about 750", n)
	}
}

func TestRulesOfOneMessageAddUp(t *testing.T) {
	p := newPair(t)
	p.apply("duplicate C->S:*")
	p.apply("duplicate C->S:*")
	p.apply("delay C->S:* by=1s")
	p.apply("drop C->S:* p=0.000000000001")
	p.say("one")
	p.w.Settle()
	p.wantHeard("one", "one", "one")
	if p.hearer.at[0] < time.Second {
		t.Error(p.hearer.at)
	}
}

func TestThePlanOfARunHappensAtItsTimes(t *testing.T) {
	p := newPair(t)
	p.say("one")
	plan, err := fault.ParsePlan("at 1s cut C S oneway\nat 3s heal C S oneway\nat 3s pause Nobody\n")
	if err != nil {
		t.Fatal(err)
	}
	p.w.Schedule(plan)
	p.w.Advance(1500 * time.Millisecond)
	p.say("two")
	p.w.Advance(time.Second)
	p.wantHeard("one")
	p.w.Advance(time.Second)
	p.wantHeard("one", "two")
	p.wantFaults("pause Nobody without effect sim: no such host: Nobody")
}
