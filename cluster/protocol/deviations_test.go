package protocol

import (
	"testing"

	"github.com/coherer/coherer/rpcenv/rpctest/spec"
)

// deviations are those of the tables testdata/differences.txt; spec checks that a test holds each.
func deviations(t *testing.T) []Deviation {
	t.Helper()
	var all []Deviation
	perPackage := map[string]int{}
	for _, d := range spec.Differences(t) {
		all = append(all, Deviation{Package: d.Package, Spark: d.Original, Here: d.Here, Why: d.Why, Tests: d.Tests})
		perPackage[d.Package]++
	}
	if perPackage["rpcenv"] < 15 || perPackage["actors/master"] < 8 || len(perPackage) < 10 || len(all) < 55 {
		t.Errorf("there are only %d rows, by package %v", len(all), perPackage)
	}
	return all
}
