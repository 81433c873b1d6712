package election

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

// entries are those of a term from one index to another.
func entries(term, from, to uint64) (out []*deploy.LogEntry) {
	for i := from; i <= to; i++ {
		out = append(out, &deploy.LogEntry{Index: i, Term: term})
	}
	return out
}

// show is what a log or a batch has, in short.
func show(id *deploy.LogIdentity, v *deploy.LogVote, s *deploy.LogSnapshot, whole bool, entries []*deploy.LogEntry) string {
	text := ""
	if id != nil {
		text += fmt.Sprintf("id %s ", id.GetSelf())
	}
	if v != nil {
		text += fmt.Sprintf("vote %d ", v.GetTerm())
	}
	if whole {
		text += "whole "
	}
	if s != nil {
		text += fmt.Sprintf("snapshot %d ", s.GetIndex())
	}
	for _, e := range entries {
		text += fmt.Sprintf("%d/%d ", e.GetIndex(), e.GetTerm())
	}
	return text
}

func (b *Batch) show() string { return show(b.Identity, b.Vote, b.Snapshot, b.Whole, b.Entries) }

func (l *MemoryLog) show() string {
	return show(l.saved.Identity, l.saved.Vote, l.saved.Snapshot, false, l.saved.Entries)
}

// What is saved one after the other, and what is saved as one batch, is the same.
func TestBatchesThatAreAddedDoWhatEachDoes(t *testing.T) {
	id, other := &deploy.LogIdentity{Self: "a"}, &deploy.LogIdentity{Self: "b"}
	vote, later := &deploy.LogVote{Term: 3}, &deploy.LogVote{Term: 4}
	at := func(index uint64) *deploy.LogSnapshot { return &deploy.LogSnapshot{Index: index} }
	for _, c := range []struct {
		batches   []Batch
		added     string
		has, then string // what a log has that was empty, and one with the entries 1 to 4 of term 1
	}{
		{[]Batch{{}, {}}, "", "", "1/1 2/1 3/1 4/1 "},
		{[]Batch{{Identity: id, Vote: vote}, {}}, "id a vote 3 ", "id a vote 3 ", "id a vote 3 1/1 2/1 3/1 4/1 "},
		{[]Batch{{Identity: id, Vote: vote}, {Identity: other}}, "id b vote 3 ", "id b vote 3 ", "id b vote 3 1/1 2/1 3/1 4/1 "},
		{[]Batch{{Identity: id, Vote: vote}, {Vote: later}}, "id a vote 4 ", "id a vote 4 ", "id a vote 4 1/1 2/1 3/1 4/1 "},
		{[]Batch{{Entries: entries(2, 1, 3)}, {Entries: entries(3, 4, 4)}}, "1/2 2/2 3/2 4/3 ", "1/2 2/2 3/2 4/3 ", "1/2 2/2 3/2 4/3 "},
		{[]Batch{{Entries: entries(2, 1, 3)}, {Entries: entries(3, 3, 4)}}, "1/2 2/2 3/3 4/3 ", "1/2 2/2 3/3 4/3 ", "1/2 2/2 3/3 4/3 "},
		{[]Batch{{Entries: entries(2, 1, 3)}, {Entries: entries(3, 1, 1)}}, "1/3 ", "1/3 ", "1/3 "},
		{[]Batch{{Entries: entries(2, 3, 3)}, {}}, "3/2 ", "3/2 ", "1/1 2/1 3/2 "},
		{[]Batch{{Snapshot: at(1)}, {Snapshot: at(3)}}, "snapshot 3 ", "snapshot 3 ", "snapshot 3 4/1 "},
		{[]Batch{{Snapshot: at(2)}, {Vote: vote}}, "vote 3 snapshot 2 ", "vote 3 snapshot 2 ", "vote 3 snapshot 2 3/1 4/1 "},
		{[]Batch{{Snapshot: at(4)}, {Entries: entries(2, 5, 5)}}, "snapshot 4 5/2 ", "snapshot 4 5/2 ", "snapshot 4 5/2 "},
		{
			[]Batch{{Entries: entries(2, 5, 6)}, {Snapshot: at(9), Whole: true}},
			"whole snapshot 9 ", "snapshot 9 ", "snapshot 9 ",
		},
		{[]Batch{{Snapshot: at(2), Whole: true}, {}}, "whole snapshot 2 ", "snapshot 2 ", "snapshot 2 "},
		{
			[]Batch{{Snapshot: at(3), Whole: true}, {Entries: entries(2, 4, 4)}},
			"whole snapshot 3 4/2 ", "snapshot 3 4/2 ", "snapshot 3 4/2 ",
		},
	} {
		var added Batch
		var each, one, full, fullOne MemoryLog
		full.saved.Entries, fullOne.saved.Entries = entries(1, 1, 4), entries(1, 1, 4)
		for _, b := range c.batches {
			added.add(b)
			each.saved.apply(b)
			full.saved.apply(b)
		}
		one.saved.apply(added)
		fullOne.saved.apply(added)
		if got := added.show(); got != c.added || added.empty() != (c.added == "") {
			t.Errorf("added %q, want %q; empty %v", got, c.added, added.empty())
		}
		if each.show() != c.has || one.show() != c.has {
			t.Errorf("an empty log has %q, as one %q, want %q", each.show(), one.show(), c.has)
		}
		if full.show() != c.then || fullOne.show() != c.then {
			t.Errorf("a log with entries has %q, as one %q, want %q", full.show(), fullOne.show(), c.then)
		}
	}
}

// Whoever has a part of a batch, or of what was loaded, does not see what comes later.
func TestWhatALogGaveIsNotChangedAnyMore(t *testing.T) {
	l := MemoryLog{saved: Saved{Entries: append(make([]*deploy.LogEntry, 0, 9), entries(1, 1, 3)...)}}
	got, _ := l.Load(nil) // without Early it needs no clock
	longer := append(got.Entries, entries(9, 4, 4)...)
	l.saved.apply(Batch{Entries: entries(2, 4, 4)})
	if text := show(nil, nil, nil, false, longer); text != "1/1 2/1 3/1 4/9 " {
		t.Errorf("what was added to it is %q now", text)
	}
	var b Batch
	b.add(Batch{Entries: got.Entries})
	b.add(Batch{Entries: entries(2, 2, 2)})
	l.saved.apply(Batch{Entries: entries(3, 1, 1)})
	if text := show(nil, nil, nil, false, got.Entries); text != "1/1 2/1 3/1 " {
		t.Errorf("what was loaded is %q now", text)
	}
}

// saves runs Saves of a log one after the other, and gives what they return.
func saves(t *testing.T, w *rpctest.World, l *MemoryLog, batches ...Batch) (errs []error) {
	t.Helper()
	done := false
	w.Env("A", nil).Go("saves", func(b *rpcenv.Blocking) error {
		for _, batch := range batches {
			errs = append(errs, l.Save(b, batch))
		}
		done = true
		return nil
	})
	w.Until("the saves", func() bool { return done })
	return errs
}

func TestASaveTakesItsTimeAndIsNothingBefore(t *testing.T) {
	w, l := rpctest.New(t, 1), &MemoryLog{Takes: time.Second}
	w.Env("A", nil).Go("save", func(b *rpcenv.Blocking) error { return l.Save(b, Batch{Vote: &deploy.LogVote{Term: 3}}) })
	w.Advance(time.Second - 1)
	if got := l.show(); got != "" || l.Saves != 0 {
		t.Errorf("before it has %q in %d saves", got, l.Saves)
	}
	w.Advance(1)
	if got := l.show(); got != "vote 3 " || l.Saves != 1 {
		t.Errorf("it has %q in %d saves", got, l.Saves)
	}
	w.Env("B", nil).Go("save", func(b *rpcenv.Blocking) error { return l.Save(b, Batch{Vote: &deploy.LogVote{Term: 4}}) }).OnDone(func(err error) {
		if !errors.Is(err, rpcenv.ErrStopped) {
			t.Error(err)
		}
	})
	w.Advance(time.Second / 2)
	w.EnvAt(rpcenv.Address{Host: "10.0.0.2", Port: 7077}).Shutdown()
	w.Settle()
	if got := l.show(); got != "vote 3 " {
		t.Errorf("a save that was given up left %q", got)
	}
	if err := (&MemoryLog{}).Save(nil, Batch{}); err != nil {
		t.Errorf("a save that takes no time, and needs no clock: %v", err)
	}
}

func TestAFullLogKeepsWhatItHas(t *testing.T) {
	l := &MemoryLog{Full: true, saved: Saved{Vote: &deploy.LogVote{Term: 3}}}
	errs := saves(t, rpctest.New(t, 1), l, Batch{Vote: &deploy.LogVote{Term: 4}})
	if !errors.Is(errs[0], ErrFull) || l.show() != "vote 3 " || l.Saves != 0 {
		t.Errorf("%v, it has %q", errs, l.show())
	}
	l.Lose()
	if got := l.show(); got != "" {
		t.Errorf("it lost everything but %q", got)
	}
}

// A log that lies has what was durable when the process ended, to the instant.
func TestASaveThatReturnsEarlyMayBeLost(t *testing.T) {
	w, l := rpctest.New(t, 1), &MemoryLog{Early: time.Second}
	loaded := func(b *rpcenv.Blocking) string {
		s, err := l.Load(b)
		if err != nil {
			t.Error(err)
		}
		return show(s.Identity, s.Vote, s.Snapshot, false, s.Entries)
	}
	var got []string
	w.Env("A", nil).Go("saves", func(b *rpcenv.Blocking) error {
		for term := range uint64(3) { // at 0, 400 and 800 ms
			if err := l.Save(b, Batch{Vote: &deploy.LogVote{Term: term + 1}, Entries: entries(1, term+1, term+1)}); err != nil {
				return err
			}
			if err := b.Sleep(400 * time.Millisecond); err != nil {
				return err
			}
		}
		if err := b.Sleep(200 * time.Millisecond); err != nil { // 1.4 s: the second one is durable at this instant
			return err
		}
		got = append(got, loaded(b))
		if err := b.Sleep(time.Minute); err != nil {
			return err
		}
		got = append(got, loaded(b))
		return nil
	})
	w.Advance(2 * time.Minute)
	if want := "vote 2 1/1 2/1 "; len(got) != 2 || got[0] != want || got[1] != want {
		t.Errorf("it had %q, want %q", got, want)
	}
}
