package gossip

import (
	"strings"
	"testing"
)

// A flood is said at once, and then its count whenever that is ten times the last.
func TestStrangersAreCounted(t *testing.T) {
	s := tallies()[0]
	var said []string
	for range 10_000 {
		for _, text := range []string{s.note("discarding packet with unacceptable label"), s.sum()} {
			if text != "" {
				said = append(said, text)
			}
		}
	}
	if len(said) != 5 || !strings.Contains(said[0], "unacceptable label") || !strings.Contains(said[4], " 10000 packets") {
		t.Errorf("%d lines: %q", len(said), said)
	}
	for line, want := range map[string]bool{
		"discarding packet with unacceptable label \"x\": from=h:1":            true,
		"failed to receive and remove the stream label header: x from=h:1":     true,
		"failed to receive: read tcp h:1->h:2: read: connection reset by peer": false,
		"Failed fallback TCP ping: timeout":                                    false,
		"Suspect x has failed, no acks received":                               false,
		"Push/Pull with x failed: dial tcp: connection refused":                false,
	} {
		if strange(line) != want {
			t.Errorf("%s: %v", line, !want)
		}
	}
}
