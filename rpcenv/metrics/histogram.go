package metrics

import (
	"math/bits"
	"sync/atomic"
	"time"
)

// Buckets is how many buckets a histogram of times has: up to 1.024 µs, then twice as long each, the last without a bound.
const Buckets = 28

// Bound is the longest time that bucket i counts; of the last one it is the shortest.
func Bound(i int) time.Duration { return 1024 << min(i, Buckets-2) }

// histogram counts times. Its methods may be called from any goroutine.
type histogram struct {
	counts [Buckets]atomic.Uint64
	sum    atomic.Int64 // ns
}

func (h *histogram) observe(d time.Duration) {
	d = max(d, 0) // the wall clock may be set back
	h.counts[bucket(d)].Add(1)
	h.sum.Add(int64(d))
}

// bucket is the first whose bound is not below d.
func bucket(d time.Duration) int {
	if d <= 0 {
		return 0
	}
	return min(bits.Len64(uint64(d-1)>>10), Buckets-1)
}

// Times is a copy of a histogram; the zero Times is one that counted nothing.
type Times struct {
	Counts [Buckets]uint64
	Sum    time.Duration
}

func (h *histogram) times() (t Times) {
	if h == nil {
		return t
	}
	for i := range h.counts {
		t.Counts[i] = h.counts[i].Load()
	}
	t.Sum = time.Duration(h.sum.Load())
	return t
}

// Count is how many times it counted.
func (t *Times) Count() (n uint64) {
	for _, c := range t.Counts {
		n += c
	}
	return n
}

// Add adds what another one counted.
func (t *Times) Add(o Times) {
	for i, c := range o.Counts {
		t.Counts[i] += c
	}
	t.Sum += o.Sum
}

// Since is what was counted after before was taken; all of t, if before is not an older copy of the same one.
func (t *Times) Since(before Times) Times {
	d := *t
	for i, c := range before.Counts {
		if c > d.Counts[i] { // counts only grow: before is of another process, or of one that was started anew
			return *t
		}
		d.Counts[i] -= c
	}
	d.Sum -= before.Sum
	return d
}

// Quantile is the time that the share q, from 0 to 1, did not exceed, as if times were spread evenly within their bucket:
// it is right within a factor of two. Of nothing it is 0. In the last bucket it is that one's bound.
func (t *Times) Quantile(q float64) time.Duration {
	n := t.Count()
	if n == 0 {
		return 0
	}
	rank := q * float64(n) // how many times are at or below the quantile
	below := 0.0
	for i, c := range t.Counts {
		if c == 0 || below+float64(c) < rank {
			below += float64(c)
			continue
		}
		if i == Buckets-1 { // no upper bound to reckon with
			break
		}
		low := time.Duration(0)
		if i > 0 {
			low = Bound(i - 1)
		}
		return low + time.Duration(float64(Bound(i)-low)*(rank-below)/float64(c))
	}
	return Bound(Buckets - 1)
}
