package job

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// split gives the words of a line. They share the line's memory.
func split(line string) iter.Seq[string] {
	return func(yield func(string) bool) {
		start := -1
		for i := range len(line) {
			switch line[i] {
			case ' ', '\t', '\n', '\v', '\f', '\r':
				if start >= 0 && !yield(line[start:i]) {
					return
				}
				start = -1
			default:
				if start < 0 {
					start = i
				}
			}
		}
		if start >= 0 {
			yield(line[start:])
		}
	}
}

// best are the first n of in by byFrequency; none when n is below 1. It never holds more than 2n+1.
func best(in iter.Seq[Count], n int) []Count {
	n = max(n, 0)
	var kept []Count
	cut := func() {
		slices.SortFunc(kept, byFrequency)
		kept = kept[:min(n, len(kept))]
	}
	for c := range in {
		// Sorting once for each n words, not for each word.
		if kept = append(kept, c); len(kept)/2 >= n {
			cut()
		}
	}
	cut()
	return kept
}

// byFrequency orders the most frequent first, those of one count by their bytes, ascending.
func byFrequency(a, b Count) int {
	return cmp.Or(cmp.Compare(b.Value, a.Value), strings.Compare(a.Key, b.Key))
}

// Printable is a word for a terminal: bytes that are no printable UTF-8 as \xNN. A backslash stays as it is, so that the
// result is for people and cannot always be turned back.
func Printable(word string) string {
	var b strings.Builder
	for i := 0; i < len(word); {
		r, size := utf8.DecodeRuneInString(word[i:])
		bytes := word[i : i+size]
		// RuneError of one byte is a byte that is no UTF-8; of three bytes it is U+FFFD itself, which a text may hold.
		if unicode.IsPrint(r) && (r != utf8.RuneError || size > 1) {
			b.WriteString(bytes)
		} else {
			for j := range size {
				fmt.Fprintf(&b, `\x%02x`, bytes[j])
			}
		}
		i += size
	}
	return b.String()
}
