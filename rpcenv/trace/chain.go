package trace

import (
	"fmt"
	"slices"
	"strings"

	"github.com/coherer/coherer/rpcenv/conf"
)

// Chain is what led to an entry.
type Chain struct {
	// Entries begin with what nothing caused and end with the entry itself; each caused the next.
	Entries []Entry
	// Missing is the cause of the first one when the trace does not have it: nobody recorded it.
	Missing string
}

// UnknownIDError is an ID that no entry of a trace has.
type UnknownIDError struct {
	ID string
	// Near names IDs of the trace that may have been meant.
	Near string
}

func (e *UnknownIDError) Error() string {
	return fmt.Sprintf("no entry has the ID %s: %s", e.ID, e.Near)
}

// CausesOf finds the chain of causes that led to the entry with that ID. The error is an *UnknownIDError.
func (t *Trace) CausesOf(id string) (Chain, error) {
	byID := t.ByID()
	e := byID[id]
	if e == nil {
		return Chain{}, &UnknownIDError{id, nearIDs(id, byID)}
	}
	var c Chain
	seen := map[string]bool{}
	for {
		seen[e.ID] = true
		c.Entries = append(c.Entries, *e)
		cause := e.Cause
		if cause == "" {
			break
		}
		if e = byID[cause]; e == nil || seen[cause] { // a hand-made trace may go round
			c.Missing = cause
			break
		}
	}
	slices.Reverse(c.Entries)
	return c, nil
}

// ByID are the entries that can be a cause. The ID of a connection is how the IDs of its messages begin; it causes nothing.
func (t *Trace) ByID() map[string]*Entry {
	byID := make(map[string]*Entry, len(t.Entries))
	for i := range t.Entries {
		if e := &t.Entries[i]; e.ID != "" && e.K != KindConn {
			byID[e.ID] = e
		}
	}
	return byID
}

// nearIDs names the first and last ID of the same connection or peer, or the one ID that was probably meant.
func nearIDs(id string, byID map[string]*Entry) string {
	prefix := id[:strings.LastIndexByte(id, '.')+1]
	var ids, ordinals []string
	for other := range byID {
		ids = append(ids, other)
		if prefix != "" && strings.HasPrefix(other, prefix) && !strings.Contains(other[len(prefix):], ".") {
			ordinals = append(ordinals, other)
		}
	}
	switch {
	case len(ids) == 0:
		return "the trace is empty"
	case len(ordinals) > 0:
		slices.SortFunc(ordinals, func(a, b string) int { return Ordinal(a) - Ordinal(b) })
		return fmt.Sprintf("there are %s to %s", ordinals[0], ordinals[len(ordinals)-1])
	}
	slices.Sort(ids)
	if near, ok := conf.Nearest(id, ids); ok {
		return "did you mean " + near + "?"
	}
	hint := "trace show lists them"
	if !strings.Contains(id, ".") || strings.HasSuffix(id, ".") {
		hint += "; quote an ID with > or <, which a shell takes for itself"
	}
	return hint
}
