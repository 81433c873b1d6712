package ids

import (
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/messages/yarn"
)

// A node's id names a place that can be called.
func TestWhatIsANodeID(t *testing.T) {
	long := strings.Repeat("x", 255)
	for _, id := range []*yarn.NodeId{{Host: "h", Port: 1}, {Host: "h", Port: 65535}, {Host: "::1", Port: 8041}, {Host: long, Port: 8041}, {Host: "é!", Port: 8041}} {
		if got, err := NodeFrom(id); err != nil || !proto.Equal(got.Proto(), id) {
			t.Errorf("%v is %s, %v", id, got, err)
		}
	}
	for _, id := range []*yarn.NodeId{
		nil,
		{Port: 1},
		{Host: "h"},
		{Host: "h", Port: -1},
		{Host: "h", Port: 65536},
		{Host: long + "x", Port: 1},
		{Host: "a b", Port: 1},
		{Host: "a/b", Port: 1},
		{Host: `a\b`, Port: 1},
		{Host: "a\x7f", Port: 1},
		{Host: "a\n", Port: 1},
	} {
		if got, err := NodeFrom(id); err == nil || got != (Node{}) || !strings.HasSuffix(err.Error(), "is no node id: want a host and a port from 1 to 65535") {
			t.Errorf("%v is %s, %v", id, got, err)
		}
	}
	if _, err := NodeFrom(&yarn.NodeId{Host: long, Port: 65536}); err == nil || len(err.Error()) > 130 {
		t.Errorf("a long one becomes %v", err)
	}
}
