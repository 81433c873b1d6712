package trace

import (
	"errors"
	"math"
	"time"
)

// Selection is a choice among the messages of a trace. The zero value takes everything.
type Selection struct {
	// Any are filters of which one must mean the message; an empty list means every entry, also those that are no messages.
	Any []Filter
	// Not are filters of which none may mean it.
	Not []Filter
	// After and Before bound the time since the start of the trace, both included; a Before of 0 is no bound.
	After, Before time.Duration
}

// ParseSelection reads filters. The error joins those of all.
func ParseSelection(all, not []string) (Selection, error) {
	var s Selection
	var errs []error
	parse := func(texts []string) (filters []Filter) {
		for _, text := range texts {
			f, err := ParseFilter(text)
			filters = append(filters, f)
			errs = append(errs, err)
		}
		return filters
	}
	s.Any, s.Not = parse(all), parse(not)
	return s, errors.Join(errs...)
}

// IsZero reports whether s takes everything.
func (s Selection) IsZero() bool {
	return len(s.Any) == 0 && len(s.Not) == 0 && s.After == 0 && s.Before == 0
}

// Match reports whether s takes an entry.
func (s Selection) Match(e *Entry) bool {
	before := int64(s.Before)
	if before == 0 {
		before = math.MaxInt64
	}
	if e.Sent < int64(s.After) || e.Sent > before || matchAny(s.Not, e) {
		return false
	}
	return len(s.Any) == 0 || matchAny(s.Any, e)
}

func matchAny(filters []Filter, e *Entry) bool {
	for _, f := range filters {
		if f.Match(e) {
			return true
		}
	}
	return false
}

// Of is the trace of what s takes, with the items (timers, OnStart) that caused it: a diagram without them would not say
// why anything was sent. It shares the entries' texts with t.
func (s Selection) Of(t *Trace) *Trace {
	if s.IsZero() {
		return t
	}
	// First the causes of all that match: a filter means messages only, an item is taken for what it caused.
	causes := map[string]bool{}
	for i := range t.Entries {
		if e := &t.Entries[i]; s.Match(e) {
			causes[e.Cause] = true
		}
	}
	out := *t
	out.Entries = nil
	for i := range t.Entries {
		if e := &t.Entries[i]; s.Match(e) || e.K == KindItem && e.ID != "" && causes[e.ID] {
			out.Entries = append(out.Entries, *e)
		}
	}
	return &out
}

// Messages is how many messages and drops a trace has.
func (t *Trace) Messages() int {
	n := 0
	for i := range t.Entries {
		if k := t.Entries[i].K; k == KindMsg || k == KindDrop {
			n++
		}
	}
	return n
}
