package tracker

import (
	"math"
	"strings"
	"testing"

	"github.com/coherer/coherer/actors/resourcemanager/machine"
	"github.com/coherer/coherer/messages/yarn"
)

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

// Each state of a node is one of the messages' too.
func TestEachStateOfANodeIsPublic(t *testing.T) {
	for s := machine.NodeNew; s <= machine.NodeShutdown; s++ {
		n := &node{machine: machine.Node{State: s}}
		if got := n.report().GetNodeState().String(); got != "NS_"+s.String() {
			t.Errorf("%s is %s", s, got)
		}
	}
}
