package measure

import (
	"encoding/json"
	"fmt"
	"math"
	"math/bits"
)

// Histogram counts durations in buckets that are at most 1/128 wide of what they hold, so a percentile is right to 0.8 %.
//
// It is fixed arithmetic on one array, and recording allocates nothing: less code than hdrhistogram-go would need around it, whose
// last release is of 2021 and brings plotting libraries into go.sum.
type Histogram struct {
	counts [buckets]uint64
	count  uint64
	max    int64
}

const (
	subBits = 7
	sub     = 1 << subBits
	// buckets reach beyond 2^40 ns, 18 minutes; what is longer falls into the last one.
	buckets = (41 - subBits) * sub
)

// bucket is where ns belongs: exact up to sub, then sub buckets for each power of two.
func bucket(ns int64) int {
	if ns < sub {
		return int(max(ns, 0))
	}
	exp := bits.Len64(uint64(ns)) - subBits - 1
	return min(exp*sub+int(ns>>exp), buckets-1)
}

// top is the longest duration in a bucket.
func top(i int) int64 {
	if i < 2*sub {
		return int64(i)
	}
	exp := i/sub - 1
	return int64(i-exp*sub+1)<<exp - 1
}

// Record counts one duration in nanoseconds.
func (h *Histogram) Record(ns int64) {
	h.counts[bucket(ns)]++
	h.count++
	h.max = max(h.max, ns)
}

// Count is how many were recorded.
func (h *Histogram) Count() uint64 { return h.count }

// Max is the longest of them in nanoseconds.
func (h *Histogram) Max() int64 { return h.max }

// Percentile is the duration that a share q of all, from 0 to 1, does not exceed; 0 of no durations.
func (h *Histogram) Percentile(q float64) int64 {
	rank := max(uint64(math.Ceil(q*float64(h.count))), 1)
	var seen uint64
	for i, n := range h.counts {
		if seen += n; seen >= rank {
			// The bucket's top may lie above every duration in it.
			return min(top(i), h.max)
		}
	}
	return 0
}

// Merge adds what other counted.
func (h *Histogram) Merge(other *Histogram) {
	for i, n := range other.counts {
		h.counts[i] += n
	}
	h.count += other.count
	h.max = max(h.max, other.max)
}

// wireHistogram is how a Histogram travels: the buckets that are not empty, as pairs of number and count.
type wireHistogram struct {
	Max     int64       `json:"max_ns"`
	Buckets [][2]uint64 `json:"buckets"`
}

// MarshalJSON writes the buckets that are not empty.
func (h *Histogram) MarshalJSON() ([]byte, error) {
	w := wireHistogram{Max: h.max, Buckets: [][2]uint64{}}
	for i, n := range h.counts {
		if n > 0 {
			w.Buckets = append(w.Buckets, [2]uint64{uint64(i), n})
		}
	}
	return json.Marshal(w)
}

// UnmarshalJSON is the inverse of MarshalJSON.
func (h *Histogram) UnmarshalJSON(text []byte) error {
	var w wireHistogram
	if err := json.Unmarshal(text, &w); err != nil {
		return err
	}
	*h = Histogram{max: w.Max}
	for _, b := range w.Buckets {
		// The line comes from another process, perhaps of another version: it must not index beyond the array.
		if b[0] >= buckets {
			return fmt.Errorf("histogram: bucket %d of %d", b[0], buckets)
		}
		h.counts[b[0]] += b[1]
		h.count += b[1]
	}
	return nil
}
