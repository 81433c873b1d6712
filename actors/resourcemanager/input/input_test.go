package input

import (
	"math"
	"testing"
)

// A text is cut between characters; what is no text is none.
func TestATextIsCutBetweenCharacters(t *testing.T) {
	for _, is := range []struct {
		text string
		n    int
		want string
	}{
		{"", 0, ""}, {"ab", 0, ""}, {"ab", 1, "a"}, {"ab", 2, "ab"}, {"ab", 3, "ab"}, {"äöü", 2, "äö"}, {"äöü", 3, "äöü"}, {"a\xff", 2, ""}, {"a\xff", 1, "a"}, {"\xffab", 2, ""},
	} {
		if got := Cut(is.text, is.n); got != is.want {
			t.Errorf("%q cut at %d is %q, want %q", is.text, is.n, got, is.want)
		}
	}
}

// Response ids follow each other, 0 after the largest.
func TestAfterTheLargestResponseIDComesZero(t *testing.T) {
	if a, b := NextResponse(0), NextResponse(math.MaxInt32); a != 1 || b != 0 {
		t.Errorf("after 0 comes %d, after the largest %d", a, b)
	}
}
