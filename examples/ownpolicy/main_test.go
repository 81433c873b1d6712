package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/coherer/coherer/actors/master"
)

func Example() {
	if err := run(os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// SpreadOut    rackA-1: 1, rackA-2: 1, rackA-3: 1, rackB-1: 1
	// Consolidate  rackA-1: 0, rackA-2: 0, rackA-3: 0, rackB-1: 4
	// racks        rackA-1: 0, rackA-2: 1, rackA-3: 1, rackB-1: 2
}

func TestRacks(t *testing.T) {
	offer := func(host string, free, room int) master.Offer {
		return master.Offer{Host: host, CoresFree: free, Room: room}
	}
	for _, test := range []struct {
		d      master.Demand
		offers []master.Offer
		want   []int
	}{
		{master.Demand{Cores: 2, CoresLeft: 8, Executors: 9}, []master.Offer{offer("A-1", 8, 9), offer("B-1", 8, 9)}, []int{4, 4}},
		{master.Demand{Cores: 2, CoresLeft: 9, Executors: 3}, []master.Offer{offer("A-1", 2, 9), offer("A-2", 8, 9), offer("B-1", 8, 1)}, []int{2, 2, 2}},
		{master.Demand{CoresLeft: 9, Executors: 9}, []master.Offer{offer("A-1", 8, 9), offer("B-1", 8, 9)}, []int{1, 1}},
		{master.Demand{Cores: 1, CoresLeft: 9, Executors: 0}, []master.Offer{offer("A-1", 8, 9)}, []int{0}},
	} {
		if got := (racks{}).Place(test.d, test.offers); !slices.Equal(got, test.want) {
			t.Errorf("%+v of %v: %v, want %v", test.d, test.offers, got, test.want)
		}
	}
}

// A policy is short enough to be read at a glance.
func TestThePolicyHasFiftyLinesAtMost(t *testing.T) {
	text, err := os.ReadFile("racks.go")
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(text), "\n"); n > 50 {
		t.Errorf("%d lines", n)
	}
}
