package fair

import (
	"fmt"
	"testing"
)

// A message has no more cores than it can carry.
func TestAnAmountThatNoMessageCarriesIsCut(t *testing.T) {
	var got string
	for _, n := range []int64{5, 1<<31 - 1, 1 << 31, -1 << 31, -1<<31 - 1} {
		r := Resource{Memory: n, VCores: n}.Proto()
		got += fmt.Sprintln(r.GetMemory(), r.GetVirtualCores())
	}
	if got != "5 5\n2147483647 2147483647\n2147483648 2147483647\n-2147483648 -2147483648\n-2147483649 -2147483648\n" {
		t.Error(got)
	}
}
