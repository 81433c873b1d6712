package node

import (
	"strings"
	"testing"
)

// An address that is missing from the list of peers is a Master fewer than was meant: the Master does not start.
func TestPeersAreRead(t *testing.T) {
	for text, want := range map[string]int{
		"h:1,h:2,h:3": 3, "spark://h:1, h:2, h:3,": 3, " h:1": 1, "h:1,h:1,h:2": 3, // the election refuses what stands there twice
		"h:1,,h:3": 0, "h:1,spark://h:2,h:3": 0, "": 0,
	} {
		got, err := parsePeers(text)
		if len(got) != want || (err == nil) != (want > 0) {
			t.Errorf("%q: %v %v, want %d", text, got, err, want)
		}
		if err != nil && !strings.Contains(err.Error(), "coherer.deploy.raft.peers") {
			t.Errorf("%q: %v names no setting", text, err)
		}
	}
}
