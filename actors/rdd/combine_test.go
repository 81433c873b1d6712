package rdd

import (
	"slices"
	"strings"
	"testing"
	"unsafe"

	"pgregory.net/rapid"
)

// The combiner agrees with a map and keeps the order, also where all hashes are alike, with batches and without.
func TestCombiner(t *testing.T) {
	codecs, err := pairCodecs[string, string, string]()
	if err != nil {
		t.Fatal(err)
	}
	for name, hash := range map[string]func(string) uint32{
		"own":     hasher[string](),
		"alike":   func(string) uint32 { return 1<<32 - 1 },
		"zero":    func(string) uint32 { return 0 },
		"lengths": func(s string) uint32 { return uint32(len(s)) },
	} {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				c := newCombiner(idle(), 0, reducing(func(a, b string) string { return a + b }), codecs)
				c.hash = hash
				c.small = rapid.SampledFrom([]int{0, 128, smallTable}).Draw(t, "small")
				counts := map[string]string{}
				var order []string
				for _, k := range rapid.SliceOfN(rapid.StringN(0, 3, -1), 0, 300).Draw(t, "keys") {
					if _, ok := counts[k]; !ok {
						order = append(order, k)
					}
					counts[k] += k + "."
					c.add(PairOf(k, k+"."))
				}
				var want []Pair[string, string]
				for _, k := range order {
					want = append(want, PairOf(k, counts[k]))
				}
				c.flush()
				if got := slices.Collect(c.pairs()); !slices.Equal(got, want) {
					t.Fatalf("got %q, want %q", got, want)
				}
			})
		})
	}
}

// A key that is kept does not hold its whole line in memory.
func TestKeptKeysAreCopies(t *testing.T) {
	line := strings.Repeat("word ", 10)
	type compound struct {
		Number int
		Word   string
	}
	type word string
	for name, kept := range map[string]string{
		"string":      keeper(mustCodec[string](t))(line[:4]),
		"string type": string(keeper(mustCodec[word](t))(word(line[:4]))),
		"struct":      keeper(mustCodec[compound](t))(compound{1, line[:4]}).Word,
		"array":       keeper(mustCodec[[1]string](t))([1]string{line[:4]})[0],
	} {
		if kept != "word" || unsafe.StringData(kept) == unsafe.StringData(line) {
			t.Errorf("%s: %q is a part of the line", name, kept)
		}
	}
}
