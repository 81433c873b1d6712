package record

import (
	"fmt"
	"hash/maphash"
	"testing"
)

// Two texts of one place of the cache push each other out with each message. They are found again without an allocation.
func TestTextsOfOnePlaceOfTheCacheAllocateNothing(t *testing.T) {
	var n dictionary
	var used uint64
	n.init(make([]byte, 64<<10), &used)
	place := func(text string) uint64 { return maphash.String(n.seed, text) % uint64(len(n.cache)) }
	const one = "127.0.0.1:40001"
	other := ""
	for i := 0; other == "" || place(other) != place(one); i++ {
		other = fmt.Sprint("peer ", i)
	}
	first, second := n.of(one), n.of(other)
	if first == 0 || second == 0 || first == second {
		t.Fatalf("%d and %d", first, second)
	}
	if allocs := testing.AllocsPerRun(100, func() {
		if n.of(one) != first || n.of(other) != second {
			t.Error("another number")
		}
	}); allocs > 0 {
		t.Errorf("%v allocations", allocs)
	}
}

// A text that is cut has the number of its beginning, and is found in the cache by all of it.
func TestALongTextHasTheNumberOfItsBeginning(t *testing.T) {
	var n dictionary
	var used uint64
	n.init(make([]byte, 64<<10), &used)
	long := fmt.Sprintf("%0*d", maxName+1, 7)
	name := n.of(long)
	if got := n.of(long[:maxName]); name == 0 || got != name || n.of(long) != name || n.of(long+"8") != name {
		t.Errorf("%d, and its beginning %d", name, got)
	}
	if texts := n.texts(); len(texts) != 1 || texts[0] != long[:maxName] {
		t.Errorf("texts %q", texts)
	}
}
