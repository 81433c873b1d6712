package applicationmaster

import "testing"

// The last words are cut between letters, and can be read whatever the program said.
func TestTheLastWordsAreCut(t *testing.T) {
	for limit, want := range map[int]string{0: "", 2: "a ", 3: "a d", 4: "a d", 5: "a dé", 6: "a dé?", 100: "a dé?"} {
		if got := cut("a dé\xff", limit); got != want {
			t.Errorf("%d: %q, want %q", limit, got, want)
		}
	}
}
