package trace

import (
	"cmp"
	"slices"
)

// inOrder puts entries into the order of a Trace.
func inOrder(entries []Entry) []Entry {
	slices.SortStableFunc(entries, func(a, b Entry) int { return cmp.Compare(a.Sent, b.Sent) })
	return causesFirst(entries)
}

// causesFirst moves each entry that stands before its cause to the place behind it: the clocks of two machines may say that
// an answer was sent before its question. Entries keep their times. What causes itself, as in a hand-made trace, comes
// last.
func causesFirst(entries []Entry) []Entry {
	at := make(map[string]int, len(entries))
	for i := range entries {
		if e := &entries[i]; e.ID != "" && e.K != KindConn {
			if _, twice := at[e.ID]; !twice {
				at[e.ID] = i
			}
		}
	}
	out := make([]Entry, 0, len(entries))
	done := make([]bool, len(entries))
	waiting := map[int][]int{}
	// Emits an entry, and behind it those that have waited for it. A stack instead of recursion: a chain of causes may be as
	// long as the trace.
	emit := func(first int) {
		for todo := []int{first}; len(todo) > 0; {
			i := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			if done[i] {
				continue
			}
			done[i] = true
			out = append(out, entries[i])
			late := waiting[i]
			delete(waiting, i)
			slices.Reverse(late) // the stack turns them round again: they come out in their old order
			todo = append(todo, late...)
		}
	}
	for i := range entries {
		if cause, known := at[entries[i].Cause]; known && !done[cause] {
			waiting[cause] = append(waiting[cause], i)
			continue
		}
		emit(i)
	}
	for i := range entries { // what causes itself
		emit(i)
	}
	return out
}
