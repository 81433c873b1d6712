package rpcenv

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// A queue of items is what a slice is: the next is the first, any of them can be taken, and the others keep their order.
func TestItemsAreAQueue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var q *items
		var want []string
		n := 0
		for range rapid.IntRange(0, 40).Draw(t, "steps") {
			switch step := rapid.SampledFrom([]string{"push", "push", "next", "take", "reset"}).Draw(t, "step"); {
			case step == "push":
				n++
				want = append(want, string(rune('a'+n)))
				q = q.push(item{name: want[len(want)-1]})
			case step == "reset" && len(want) == 0:
				q = q.reset()
			case len(want) == 0 || step == "reset":
			case step == "next":
				if got := q.next().name; got != want[0] {
					t.Fatalf("next is %q, want %q", got, want[0])
				}
				want = want[1:]
			default:
				i := rapid.IntRange(0, len(want)-1).Draw(t, "i")
				if got := q.take(i).name; got != want[i] {
					t.Fatalf("the %d-th is %q, want %q", i, got, want[i])
				}
				want = slices.Delete(want, i, i+1)
			}
			if q.len() != len(want) {
				t.Fatalf("%d wait, want %d", q.len(), len(want))
			}
			if first := q.peek(); (first == nil) != (len(want) == 0) || first != nil && first.name != want[0] {
				t.Fatalf("first is %v, want %q", first, want)
			}
		}
	})
}

// What was taken is not kept by the queue: a message may be large. A queue that has run empty begins again at its start.
func TestWhatWasTakenIsForgotten(t *testing.T) {
	var q *items
	for _, name := range []string{"a", "b", "c"} {
		q = q.push(item{name: name})
	}
	q.take(1)
	if q.list[0].name != "" || q.list[1].name != "a" || q.list[2].name != "c" {
		t.Errorf("%q %q %q", q.list[0].name, q.list[1].name, q.list[2].name)
	}
	q.take(0)
	q.take(0)
	if q.head != 0 || len(q.list) != 0 {
		t.Errorf("head %d of %d", q.head, len(q.list))
	}
	q.push(item{name: "d"}).next()
	if q = q.reset(); q.head != 0 || len(q.list) != 0 {
		t.Errorf("after reset head %d of %d", q.head, len(q.list))
	}
}
