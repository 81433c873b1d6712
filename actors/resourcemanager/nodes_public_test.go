package resourcemanager

import (
	"math"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/actors/resourcemanager/machine"
	"github.com/coherer/coherer/messages/yarn"
)

// Each state of a node is one of the messages' too, is counted by its name, and only running nodes are NodeManagers.
func TestNodesAreCountedByState(t *testing.T) {
	var all []*yarn.NodeReport
	for s, public := range publicNode {
		if got := "NS_" + s.String(); got != public.String() {
			t.Errorf("%s is %s", s, public)
		}
		n := &node{machine: machine.Node{State: s}}
		for range 1 + int(s) { // as many as its number, and one
			all = append(all, n.report())
		}
	}
	got := metricsOf(all)
	want := &yarn.YarnClusterMetrics{
		NumNodeManagers: 2, NumActiveNms: 2, NumUnhealthyNms: 3, NumDecommissionedNms: 4, NumLostNms: 5, NumRebootedNms: 6,
		NumDecommissioningNms: 7, NumShutdownNms: 8,
	}
	if !proto.Equal(got, want) {
		t.Errorf("%v\nwant\n%v", got, want)
	}
}

// A node's id names a place that can be called.
func TestWhatIsANodeID(t *testing.T) {
	long := strings.Repeat("x", 255)
	for _, id := range []*yarn.NodeId{{Host: "h", Port: 1}, {Host: "h", Port: 65535}, {Host: "::1", Port: 8041}, {Host: long, Port: 8041}, {Host: "é!", Port: 8041}} {
		if got, err := nodeFrom(id); err != nil || !proto.Equal(got.proto(), id) {
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
		if got, err := nodeFrom(id); err == nil || got != (nodeID{}) || !strings.HasSuffix(err.Error(), "is no node id: want a host and a port from 1 to 65535") {
			t.Errorf("%v is %s, %v", id, got, err)
		}
	}
	if _, err := nodeFrom(&yarn.NodeId{Host: long, Port: 65536}); err == nil || len(err.Error()) > 130 {
		t.Errorf("a long one becomes %v", err)
	}
}

// An empty include list lets all in, the exclude list wins.
func TestWhichHostsMayBeNodes(t *testing.T) {
	for _, is := range []struct {
		include, exclude []string
		allowed          string // of a, b and c
	}{
		{nil, nil, "abc"},
		{[]string{"a", "b"}, nil, "ab"},
		{nil, []string{"b"}, "ac"},
		{[]string{"a", "b"}, []string{"b", "c"}, "a"},
	} {
		lists, got := newHostLists(is.include, is.exclude), ""
		for _, host := range []string{"a", "b", "c"} {
			if lists.allows(host) {
				got += host
			}
		}
		if got != is.allowed {
			t.Errorf("include %q, exclude %q: %q are allowed", is.include, is.exclude, got)
		}
	}
}

// Impossible values in a registration are refused, to the last byte.
func TestWhatARegistrationMayNotSay(t *testing.T) {
	for _, is := range []struct {
		q    *yarn.RegisterNodeManagerRequest
		want string
	}{
		{&yarn.RegisterNodeManagerRequest{}, ""},
		{&yarn.RegisterNodeManagerRequest{Rack: strings.Repeat("r", 255), HttpPort: 65535, Resource: &yarn.Resource{Memory: math.MaxInt32, VirtualCores: math.MaxInt32}}, ""},
		{&yarn.RegisterNodeManagerRequest{Rack: strings.Repeat("r", 256)}, "the rack has 256 bytes, at most 255 can be"},
		{&yarn.RegisterNodeManagerRequest{HttpPort: -1}, "no port is -1"},
		{&yarn.RegisterNodeManagerRequest{HttpPort: 65536}, "no port is 65536"},
		{
			&yarn.RegisterNodeManagerRequest{Resource: &yarn.Resource{Memory: math.MaxInt32 + 1, VirtualCores: 1}},
			"it offers <memory:2147483648, vCores:1>: want 0 to 2147483647 of both",
		},
		{&yarn.RegisterNodeManagerRequest{Resource: &yarn.Resource{Memory: -1}}, "it offers <memory:-1, vCores:0>: want 0 to 2147483647 of both"},
		{&yarn.RegisterNodeManagerRequest{Resource: &yarn.Resource{VirtualCores: -1}}, "it offers <memory:0, vCores:-1>: want 0 to 2147483647 of both"},
	} {
		if got := badNode(is.q); got != is.want {
			t.Errorf("%v: %q, want %q", is.q, got, is.want)
		}
	}
}
