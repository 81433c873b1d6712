package rpcenv

import (
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// The earliest ask is the one whose limit is over first, whatever the limits are and whichever asks have left. What has left is in no
// queue, and of many limits only few empty queues stay.
func TestDeadlinesComeInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var d deadlines
		var now time.Duration
		var want []*outgoingAsk
		limits := rapid.SampledFrom([]time.Duration{0, time.Second, 2 * time.Second, 3 * time.Second, time.Hour, math.MaxInt64})
		if rapid.Bool().Draw(t, "a limit for each") {
			limits = rapid.Map(rapid.IntRange(1, 1000), func(n int) time.Duration { return time.Duration(n) * time.Millisecond })
		}
		for range rapid.IntRange(0, 100).Draw(t, "steps") {
			if len(want) == 0 || rapid.IntRange(0, 2).Draw(t, "step") > 0 {
				now += time.Duration(rapid.IntRange(0, 2000).Draw(t, "passed")) * time.Millisecond
				p := &outgoingAsk{limit: &askLimit{d: limits.Draw(t, "limit")}}
				d.enter(p, now)
				if p.deadline != now+p.limit.d && p.limit.d != math.MaxInt64 {
					t.Fatalf("asked at %v with the limit %v, ends at %v", now, p.limit.d, p.deadline)
				}
				want = append(want, p)
			} else {
				i := rapid.IntRange(0, len(want)-1).Draw(t, "i")
				p := want[i]
				want = slices.Delete(want, i, i+1)
				d.leave(p)
				d.leave(p) // it may be said twice
				if p.queue != nil || p.before != nil || p.after != nil {
					t.Fatal("what has left knows others")
				}
			}
			first := d.earliest()
			if len(want) == 0 {
				if first != nil {
					t.Fatal("an ask that has left is there")
				}
				continue
			}
			least := slices.MinFunc(want, func(a, b *outgoingAsk) int { return int(min(max(a.deadline-b.deadline, -1), 1)) })
			if first.deadline != least.deadline {
				t.Fatalf("the earliest is %v, want %v", first.deadline, least.deadline)
			}
			if n := len(d.queues) - len(d.byTime); n > keptQueues {
				t.Fatalf("%d empty queues", n)
			}
		}
		for p := d.earliest(); p != nil; p = d.earliest() {
			if at := slices.Index(want, p); at < 0 {
				t.Fatal("an ask comes twice")
			} else {
				want = slices.Delete(want, at, at+1)
			}
			d.leave(p)
		}
		if len(want) > 0 {
			t.Fatalf("%d asks are lost", len(want))
		}
	})
}
