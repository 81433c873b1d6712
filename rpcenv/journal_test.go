package rpcenv_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/metrics"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

// ledger is an endpoint that keeps what it gets, and passes it on. An ask is answered when its record is durable.
type ledger struct {
	to      rpcenv.Ref
	journal *rpcenv.Journal[string]
	groups  [][]string
	fail    error
	failed  error
	kept    []rpcenv.Call[*wrapperspb.StringValue]
}

// The messages: keep is persisted and passed on, pass is passed on alone, ask is an ask to the peer, question an ask that
// is kept.
type (
	keep struct {
		rpcenv.Local
		texts []string
	}
	pass struct {
		rpcenv.Local
		text string
	}
	askPeer  struct{ rpcenv.Local }
	question struct {
		rpcenv.Local
		persist, later, silent bool
	}
)

func (question) ReplyType() *wrapperspb.StringValue { return nil }

func newLedger(to rpcenv.Ref) *ledger {
	l := &ledger{to: to}
	l.journal = rpcenv.NewJournal(func(b *rpcenv.Blocking, records []string) error {
		if err := b.Sleep(time.Second); err != nil {
			return err
		}
		if l.fail == nil {
			l.groups = append(l.groups, records)
		}
		return l.fail
	}, func(_ *rpcenv.Context, err error) { l.failed = err })
	return l
}

func (l *ledger) Receive(c *rpcenv.Context, m rpcenv.Message) {
	switch m := m.(type) {
	case keep:
		for _, text := range m.texts {
			l.journal.Persist(c, text)
			c.Send(l.to, wrapperspb.String(text))
		}
	case pass:
		c.Send(l.to, wrapperspb.String(m.text))
	case askPeer:
		rpcenv.AskAs[*wrapperspb.StringValue](c, l.to, wrapperspb.String("ask"), func(*wrapperspb.StringValue, error) {})
	case question:
		if m.persist {
			l.journal.Persist(c, "question")
		}
		switch {
		case m.later:
			l.kept = append(l.kept, rpcenv.Defer(c, m))
		case !m.silent:
			rpcenv.Reply(c, m, wrapperspb.String("answer"))
		}
		for _, call := range l.kept {
			if !m.later {
				call.Reply(wrapperspb.String("late"))
			}
		}
	default:
		c.Unsupported(m)
	}
}

// ledgerKit is a ledger, an endpoint that drives it, and a peer in another Env.
type ledgerKit struct {
	*rpctest.World
	l      *ledger
	ref    rpcenv.Ref
	driver *rpctest.Probe
	peer   *rpctest.Probe
}

func newLedgerKit(t *testing.T) *ledgerKit {
	w := rpctest.New(t, 1)
	k := &ledgerKit{World: w, peer: w.ProbeIn(w.Env("Peer", nil), "Peer")}
	env := w.Env("Ledger", nil)
	k.l = newLedger(k.peer.Ref)
	k.ref = w.Register(env, "Ledger", k.l)
	k.driver = w.ProbeIn(env, "Driver")
	return k
}

// heard is what the peer has got.
func (k *ledgerKit) heard() (all []string) {
	k.Settle()
	for len(k.peer.Waiting()) > 0 {
		all = append(all, k.peer.Next().(*wrapperspb.StringValue).GetValue())
	}
	return all
}

func TestWhatIsSentBehindARecordWaitsForIt(t *testing.T) {
	k := newLedgerKit(t)
	k.driver.Send(k.ref, pass{text: "before"})
	k.driver.Send(k.ref, keep{texts: []string{"a"}})
	k.driver.Send(k.ref, pass{text: "behind"})
	if got := k.heard(); !slices.Equal(got, []string{"before"}) {
		t.Errorf("heard %q before anything was durable", got)
	}
	k.Advance(time.Second)
	if got := k.heard(); !slices.Equal(got, []string{"a", "behind"}) {
		t.Errorf("heard %q in the end", got)
	}
	k.driver.Send(k.ref, pass{text: "after"})
	if got := k.heard(); !slices.Equal(got, []string{"after"}) {
		t.Errorf("heard %q when nothing is held back", got)
	}
}

func TestOneWriteTakesAllThatWaits(t *testing.T) {
	k := newLedgerKit(t)
	k.driver.Send(k.ref, keep{texts: []string{"a", "b"}}) // one handler
	k.Settle()
	for i := range 100 {
		k.driver.Send(k.ref, keep{texts: []string{fmt.Sprint(i)}})
	}
	k.Settle()
	k.Advance(1500 * time.Millisecond)
	if got := k.heard(); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("heard %q when one write was over", got)
	}
	k.Advance(time.Second)
	if got := k.heard(); len(got) != 100 || got[0] != "0" || got[99] != "99" {
		t.Errorf("heard %q", got)
	}
	if len(k.l.groups) != 2 || !slices.Equal(k.l.groups[0], []string{"a", "b"}) || len(k.l.groups[1]) != 100 {
		t.Errorf("written %q", k.l.groups)
	}
}

func TestAnswersAndAsksWaitInTheSameOrder(t *testing.T) {
	k := newLedgerKit(t)
	k.peer.On(func(c *rpcenv.Context, m rpcenv.Message) bool {
		if s, ok := m.(*wrapperspb.StringValue); ok && s.GetValue() == "ask" {
			rpcenv.ReplyAs(c, m, wrapperspb.String("ok"))
		}
		return false
	})
	k.driver.Send(k.ref, keep{texts: []string{"a"}})
	k.driver.Send(k.ref, askPeer{})
	k.driver.Send(k.ref, pass{text: "b"})
	if got := k.heard(); len(got) > 0 {
		t.Errorf("heard %q before anything was durable", got)
	}
	began := k.Now()
	answer, err := rpctest.Ask[*wrapperspb.StringValue](k.driver, k.ref, question{})
	if err != nil || answer.GetValue() != "answer" || k.Now().Sub(began) != time.Second {
		t.Errorf("answered %v, %v after %s", answer, err, k.Now().Sub(began))
	}
	if got := k.heard(); !slices.Equal(got, []string{"a", "ask", "b"}) {
		t.Errorf("heard %q", got)
	}
	k.Advance(time.Minute)
	if len(k.l.groups) != 1 {
		t.Errorf("nothing waits, and %q was written", k.l.groups)
	}
}

func TestAFailureWaitsLikeAnAnswer(t *testing.T) {
	k := newLedgerKit(t)
	began := k.Now()
	_, err := rpctest.Ask[*wrapperspb.StringValue](k.driver, k.ref, question{persist: true, silent: true})
	if !errors.Is(err, rpcenv.ErrRefusedNoReply) || k.Now().Sub(began) != time.Second {
		t.Errorf("%v after %s", err, k.Now().Sub(began))
	}
}

func TestWhatCannotBeWrittenIsNeverSaid(t *testing.T) {
	k := newLedgerKit(t)
	k.l.fail = errors.New("no space left on device")
	k.driver.Send(k.ref, keep{texts: []string{"a"}})
	k.driver.Send(k.ref, pass{text: "b"})
	k.Advance(2 * time.Second)
	if !errors.Is(k.l.failed, k.l.fail) {
		t.Errorf("the endpoint heard %v", k.l.failed)
	}
	k.l.fail = nil
	k.driver.Send(k.ref, keep{texts: []string{"c"}})
	k.driver.Send(k.ref, pass{text: "d"})
	k.Advance(time.Minute)
	if got := k.heard(); len(got) > 0 || len(k.l.groups) > 0 {
		t.Errorf("after a failed write the peer heard %q, %q was written", got, k.l.groups)
	}
}

// stopMe stops the endpoint that gets it.
type stopMe struct{ rpcenv.Local }

// stopper is a ledger that stops on demand, and says so.
type stopper struct{ *ledger }

func (s stopper) Receive(c *rpcenv.Context, m rpcenv.Message) {
	if _, ok := m.(stopMe); ok {
		c.Stop()
		return
	}
	s.ledger.Receive(c, m)
}

func (s stopper) OnStop(c *rpcenv.Context) { c.Send(s.to, wrapperspb.String("stopped")) }

func TestAtTheStopWhatIsHeldBackIsGivenUp(t *testing.T) {
	k := newLedgerKit(t)
	env := k.Env("Other", nil)
	s := stopper{newLedger(k.peer.Ref)}
	ref := k.Register(env, "Stopper", s)
	driver := k.ProbeIn(env, "Driver")
	driver.Send(ref, keep{texts: []string{"a"}})
	var answer error
	job := env.Go("asker", func(b *rpcenv.Blocking) error {
		_, err := rpcenv.AskWait(b, ref, question{})
		return err
	})
	job.OnDone(func(err error) { answer = err })
	k.Settle()
	driver.Send(ref, stopMe{})
	k.Advance(time.Minute)
	if got := k.heard(); len(got) > 0 {
		t.Errorf("heard %q: a stream has no holes", got)
	}
	if !errors.Is(answer, rpcenv.ErrRefusedStopped) {
		t.Errorf("the asker heard %v", answer)
	}
	if got, want := env.Metrics().Drops, []metrics.DropRow{{Reason: metrics.ReasonStopped, Count: 2}}; !slices.Equal(got, want) {
		t.Errorf("what was held back and what OnStop sent are events: %v", got)
	}
}

func TestAJournalIsForSerialEndpoints(t *testing.T) {
	w := rpctest.New(t, 1)
	env := w.Env("Ledger", nil)
	p := w.ProbeIn(env, "Driver")
	ref, err := env.Register("Ledger", newLedger(p.Ref), rpcenv.Concurrent())
	if err != nil {
		t.Fatal(err)
	}
	_, err = rpctest.Ask[*wrapperspb.StringValue](p, ref, question{persist: true})
	if err == nil || !strings.Contains(err.Error(), "serial") {
		t.Errorf("got %v", err)
	}
}

// twoBooks has two Journals.
type twoBooks struct{ first, second *ledger }

func (b twoBooks) Receive(c *rpcenv.Context, m rpcenv.Message) {
	b.first.journal.Persist(c, "1")
	b.second.journal.Persist(c, "2")
	c.Send(b.first.to, m)
}

func TestAHandlerMayWriteIntoTwoJournals(t *testing.T) {
	k := newLedgerKit(t)
	env := k.Env("Books", nil)
	books := twoBooks{newLedger(k.peer.Ref), newLedger(k.peer.Ref)}
	k.ProbeIn(env, "Driver").Send(k.Register(env, "Books", books), wrapperspb.String("x"))
	if got := k.heard(); len(got) != 0 {
		t.Errorf("heard %q before both were durable", got)
	}
	k.Advance(3 * time.Second)
	if got := k.heard(); !slices.Equal(got, []string{"x"}) || len(books.first.groups) != 1 || len(books.second.groups) != 1 {
		t.Errorf("heard %q, %q and %q were written", got, books.first.groups, books.second.groups)
	}
}
