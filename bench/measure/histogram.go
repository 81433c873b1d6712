package measure

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// The geometry of a Histogram: every duration from a nanosecond to the longest trial, right to three digits.
const (
	histogramLowest  = 1
	histogramHighest = int64(2 * 3600 * 1e9) // ns
	histogramDigits  = 3
)

// Histogram counts durations in nanoseconds, by an HdrHistogram that is right to 0.1 %. Its zero value is empty. In JSON it is the
// compressed V2 encoding of HdrHistogram in base64, which the tools of other languages read too; empty it is "".
type Histogram struct {
	of *hdrhistogram.Histogram // made with the first duration; later ones allocate nothing
}

func (h *Histogram) hdr() *hdrhistogram.Histogram {
	if h.of == nil {
		h.of = hdrhistogram.New(histogramLowest, histogramHighest, histogramDigits)
	}
	return h.of
}

// Record counts one duration in nanoseconds. Two hours and more count as two hours, less than nothing as nothing.
func (h *Histogram) Record(ns int64) {
	_ = h.hdr().RecordValue(min(max(ns, 0), histogramHighest)) // fails only outside these bounds, or for the 2^63rd duration
}

// Count is how many were recorded.
func (h *Histogram) Count() uint64 {
	if h.of == nil {
		return 0
	}
	return uint64(h.of.TotalCount())
}

// Max is the longest of them in nanoseconds, right to 0.1 % as all of it.
func (h *Histogram) Max() int64 {
	if h.of == nil {
		return 0
	}
	return h.of.Max()
}

// Percentile is the duration that a share q of all, from 0 to 1, does not exceed; 0 of no durations.
func (h *Histogram) Percentile(q float64) int64 {
	if h.of == nil {
		return 0
	}
	return h.of.ValueAtPercentile(100 * q)
}

// Merge adds what other counted.
func (h *Histogram) Merge(other *Histogram) {
	if other.of != nil {
		h.hdr().Merge(other.of) // drops nothing: both have one geometry
	}
}

// MarshalJSON writes the encoding of HdrHistogram.
func (h *Histogram) MarshalJSON() ([]byte, error) {
	if h.of == nil {
		return []byte(`""`), nil
	}
	text, err := h.of.EncodeV2()
	if err != nil {
		return nil, fmt.Errorf("histogram: %w", err)
	}
	return json.Marshal(string(text))
}

// UnmarshalJSON reads the encoding of HdrHistogram, or a list of pairs [NANOSECONDS, COUNT] of a contender that has no library
// for it.
func (h *Histogram) UnmarshalJSON(text []byte) error {
	if bytes.HasPrefix(text, []byte("[")) {
		return h.fromPairs(text)
	}
	var encoded string
	if err := json.Unmarshal(text, &encoded); err != nil {
		return fmt.Errorf("histogram: %w", err)
	}
	h.of = nil
	if encoded == "" {
		return nil
	}
	of, err := hdrhistogram.Decode([]byte(encoded))
	if err != nil {
		return fmt.Errorf("histogram: %w", err)
	}
	// Of another program it may have another geometry: counted anew in ours, so that Merge has nothing to drop.
	if dropped := h.hdr().Merge(of); dropped > 0 {
		return fmt.Errorf("histogram: %d durations are longer than two hours", dropped)
	}
	return nil
}

func (h *Histogram) fromPairs(text []byte) error {
	var pairs [][2]int64
	if err := json.Unmarshal(text, &pairs); err != nil {
		return fmt.Errorf("histogram: %w", err)
	}
	h.of = nil
	var errs []error
	for _, p := range pairs {
		errs = append(errs, h.hdr().RecordValues(p[0], p[1]))
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("histogram: %w", err)
	}
	return nil
}
