package master

import (
	"slices"
	"strconv"
	"strings"
	"testing"
)

func TestFreshIDs(t *testing.T) {
	for want, test := range map[string]struct {
		known int
		taken string
	}{
		"0":   {2, ""},
		"2":   {2, "0 1"}, // as many as are known can all be taken
		"1-2": {1, "0 1"}, // more are not tried
		"0-3": {0, "0 0-2"},
	} {
		n := -1
		next := func() string { n++; return strconv.Itoa(n) }
		if got := fresh(test.known, next, func(id string) bool { return slices.Contains(strings.Fields(test.taken), id) }); got != want {
			t.Errorf("%+v: %s, want %s", test, got, want)
		}
	}
}
