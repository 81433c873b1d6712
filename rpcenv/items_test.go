package rpcenv

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/coherer/coherer/rpcenv/trace/record"
)

// A queue of items is what a slice is: the next is the first, any of them can be taken, and the others keep their order. What was
// taken is not kept by the queue, since a message may be large, and no segment stays that holds nothing.
func TestItemsAreAQueue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var q *items
		var want []uint64
		n := uint64(0)
		for range rapid.IntRange(0, 20).Draw(t, "steps") {
			switch step := rapid.SampledFrom([]string{"push", "push", "next", "take", "reset"}).Draw(t, "step"); {
			case step == "push":
				for range rapid.IntRange(1, 2*segmentEntries).Draw(t, "pushed") {
					n++
					want = append(want, n)
					q = itemQueues.push(q, numbered(n))
				}
			case step == "reset" && len(want) == 0:
				q = q.reset()
			case len(want) == 0 || step == "reset":
			case step == "next":
				for range rapid.IntRange(1, len(want)).Draw(t, "taken") {
					it := itemQueues.next(q)
					if it.id.N != want[0] {
						t.Fatalf("next is %d, want %d", it.id.N, want[0])
					}
					*it = item{}
					want = want[1:]
				}
			default:
				i := rapid.IntRange(0, len(want)-1).Draw(t, "i")
				if got := itemQueues.take(q, i).id.N; got != want[i] {
					t.Fatalf("the %d-th is %d, want %d", i, got, want[i])
				}
				want = slices.Delete(want, i, i+1)
			}
			if q.len() != len(want) {
				t.Fatalf("%d wait, want %d", q.len(), len(want))
			}
			if first := itemQueues.peek(q); (first == nil) != (len(want) == 0) || first != nil && first.id.N != want[0] {
				t.Fatalf("first is %v, want %d", first, want)
			}
			if got := heldBy(q); !slices.Equal(got, want) {
				t.Fatalf("the segments hold %d, want %d", got, want)
			}
			if got, most := segmentsOf(q), 2+len(want)/segmentEntries; got > most {
				t.Fatalf("%d segments hold %d items", got, len(want))
			}
		}
	})
}

// numbered makes an item with an ordinal, by which the tests tell items apart.
func numbered(n uint64) item { return item{id: record.ID{N: n}} }

// heldBy is all that the segments of a queue hold, whether it waits or not.
func heldBy(q *items) (numbers []uint64) {
	if q == nil {
		return nil
	}
	for s := q.first; s != nil; s = s.next {
		for _, it := range s.entries {
			if it.id.N != 0 {
				numbers = append(numbers, it.id.N)
			}
		}
	}
	return numbers
}

func segmentsOf(q *items) (n int) {
	if q == nil {
		return 0
	}
	for s := q.first; s != nil; s = s.next {
		n++
	}
	return n
}

// A queue that has run empty begins again at its start: one that is never deep needs one segment for ever.
func TestAQueueThatRanEmptyBeginsAgain(t *testing.T) {
	var q *items
	for range 3 * segmentEntries {
		q = itemQueues.push(q, numbered(1))
		if itemQueues.take(q, 0); q.head != 0 || q.tail != 0 {
			t.Fatalf("after take from %d to %d", q.head, q.tail)
		}
		*itemQueues.next(itemQueues.push(q, numbered(2))) = item{}
		if q = q.reset(); q.head != 0 || q.tail != 0 {
			t.Fatalf("after reset from %d to %d", q.head, q.tail)
		}
	}
	if n := segmentsOf(q); n != 1 {
		t.Errorf("%d segments", n)
	}
}

// No queue is nothing to give back: the pool has only queues that can be filled.
func TestNoQueueIsNotGivenBack(t *testing.T) {
	var q *items
	itemQueues.release(q)
	if q = itemQueues.push(q, numbered(1)); q.len() != 1 {
		t.Errorf("%d wait", q.len())
	}
}

// The items of one event share what few items have: noting when the handling of one began leaves the others as they are.
func TestTheBeginningOfOneItemIsItsOwn(t *testing.T) {
	shared := &rare{addr: Address{Host: "h"}}
	a, b := item{rare: shared}, item{rare: shared}
	now := time.Unix(1, 0)
	a.begin(now)
	if !a.began().Equal(now) || a.rare.addr != shared.addr || !b.began().IsZero() {
		t.Errorf("began %v at %v, the other %v", a.began(), a.rare.addr, b.began())
	}
	plain := item{}
	if plain.begin(now); !plain.began().Equal(now) {
		t.Errorf("began %v", plain.began())
	}
}
