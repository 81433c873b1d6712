package tasks

import (
	"slices"
	"testing"
)

// TestGoldenFixed: without the faults only the cases differ that are about them.
func TestGoldenFixed(t *testing.T) {
	for _, k := range []struct {
		name   string
		faults Faults
		cases  []string
	}{
		{"none", Faults{}, []string{"failures-17", "failures-22", "failures-28"}},
		{"a set aborts twice", Faults{AbortsTwice: true}, []string{"failures-17", "failures-28"}},
		{"what failed is resubmitted", Faults{ResubmitsFailed: true}, []string{"failures-22"}},
	} {
		var differ []string
		eachGolden(t, goldenFolder, func(f *goldenFile, c *goldenCase) {
			if _, ok := firstDifference(t, f, c, k.faults); ok {
				differ = append(differ, c.ID)
			}
		})
		if slices.Sort(differ); !slices.Equal(differ, k.cases) {
			t.Errorf("%s: %v differ, want %v", k.name, differ, k.cases)
		}
	}
}
