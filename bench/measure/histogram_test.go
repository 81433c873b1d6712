package measure

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/HdrHistogram/hdrhistogram-go"
	"pgregory.net/rapid"
)

// A percentile is at most 0.1 % above the true one and never below, in parts and from JSON too.
func TestPercentiles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Int64Range(0, 1<<42), 1, 300).Draw(t, "values")
		var h, half Histogram
		for i, v := range values {
			if i%2 == 0 {
				h.Record(v)
			} else {
				half.Record(v)
			}
		}
		text, err := json.Marshal(&half)
		if err != nil {
			t.Fatal(err)
		}
		var again Histogram
		if err := json.Unmarshal(text, &again); err != nil {
			t.Fatal(err)
		}
		h.Merge(&again)
		slices.Sort(values)
		for _, q := range []float64{0.5, 0.9, 0.999, 1} {
			rank := max(int(q*float64(len(values))+0.5), 1) // the nearest, as HdrHistogram has it
			want := values[rank-1]
			if got := h.Percentile(q); got < want || float64(got) > float64(want)*1.001+1 {
				t.Fatalf("p%v of %d values: %d, want %d", q, len(values), got, want)
			}
		}
		if got := h.Max(); got != h.Percentile(1) || h.Count() != uint64(len(values)) {
			t.Fatal(got, h.Percentile(1), h.Count())
		}
	})
}

// An empty histogram is zeros, and comes back from JSON empty.
func TestAnEmptyHistogram(t *testing.T) {
	var h, again Histogram
	text, err := json.Marshal(&h)
	if err != nil || string(text) != `""` {
		t.Errorf("%s, %v", text, err)
	}
	again.Record(1)
	if err := json.Unmarshal(text, &again); err != nil {
		t.Fatal(err)
	}
	if again.Merge(&h); again.Percentile(0.5) != 0 || again.Max() != 0 || again.Count() != 0 {
		t.Errorf("%d of %d", again.Max(), again.Count())
	}
}

// Durations out of range are counted at its ends: none is lost.
func TestDurationsOutOfRange(t *testing.T) {
	var h Histogram
	h.Record(-5)
	h.Record(1 << 62)
	if h.Count() != 2 || h.Percentile(0.5) != 0 || h.Max() < histogramHighest {
		t.Errorf("%d, from %d to %d", h.Count(), h.Percentile(0.5), h.Max())
	}
}

// Recording is part of what is measured, so it allocates nothing after the first duration.
func TestRecordingAllocatesNothing(t *testing.T) {
	var h Histogram
	h.Record(1)
	v := int64(1)
	if n := testing.AllocsPerRun(1000, func() {
		h.Record(v)
		v = v*3 + 1
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// Its JSON is what the library, and so HdrHistogram of any language, decodes.
func TestOthersReadTheHistogram(t *testing.T) {
	var h Histogram
	h.Record(1_000_000)
	text, err := json.Marshal(&h)
	if err != nil {
		t.Fatal(err)
	}
	var encoded string
	if err := json.Unmarshal(text, &encoded); err != nil || !strings.HasPrefix(encoded, "HISTFAAAA") { // V2, compressed
		t.Fatalf("%v: %s", err, text)
	}
	if of, err := hdrhistogram.Decode([]byte(encoded)); err != nil || of.TotalCount() != 1 || of.ValueAtPercentile(50) != h.Percentile(0.5) {
		t.Errorf("%v: %+v", err, of)
	}
}

// A contender without the library writes pairs; junk is an error.
func TestHistogramsOfOthers(t *testing.T) {
	var h Histogram
	if err := json.Unmarshal([]byte(`[[1000,2],[5000,1]]`), &h); err != nil || h.Count() != 3 || h.Percentile(0.5) != 1000 {
		t.Errorf("%v: %d, %d", err, h.Count(), h.Percentile(0.5))
	}
	long := hdrhistogram.New(1, 1<<60, 2)
	if err := long.RecordValue(1 << 55); err != nil {
		t.Fatal(err)
	}
	tooLong, err := long.EncodeV2()
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{`"` + string(tooLong) + `"`, `"junk"`, `"HISTFAAAA"`, `[[1]`, `[["x",1]]`, `[[1,-1]]`, `[[-1,1]]`, `{}`, `7`} {
		if err := json.Unmarshal([]byte(text), &h); err == nil {
			t.Errorf("%s is read", text)
		}
	}
}
