package main

import (
	"strings"

	"github.com/coherer/coherer/actors/master"
)

// racks is a placement of our own: each executor goes to the rack that has got the fewest so far, and in it to the worker
// that has got the fewest. A worker's rack is its host's name up to the first dash.
type racks struct{}

// Place fulfils master.Placement.
func (racks) Place(d master.Demand, offers []master.Offer) []int {
	cores := make([]int, len(offers))
	inRack := map[string]int{}
	left := d.CoresLeft
	for range d.Executors {
		best := -1
		for i, o := range offers {
			had := cores[i] / d.Step()
			// Passed over: the application has all its cores, the worker has no cores or no room for a further executor, or Cores is 0,
			// which means one executor a Worker.
			if left < d.Step() || o.CoresFree-cores[i] < d.Step() || had == o.Room || d.Cores == 0 && had > 0 {
				continue
			}
			if best < 0 || fewer(inRack[rack(o)], had, inRack[rack(offers[best])], cores[best]/d.Step()) {
				best = i
			}
		}
		if best < 0 {
			break
		}
		cores[best] += d.Step()
		inRack[rack(offers[best])]++
		left -= d.Step()
	}
	return cores
}

// fewer compares by rack, then by worker.
func fewer(rackA, a, rackB, b int) bool { return rackA < rackB || rackA == rackB && a < b }

func rack(o master.Offer) string {
	name, _, _ := strings.Cut(o.Host, "-")
	return name
}
