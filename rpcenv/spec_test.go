package rpcenv_test

import (
	"fmt"
	"testing"

	"github.com/coherer/coherer/rpcenv/rpctest/spec"
)

// Each sentence of Spark's rules names the tests that hold it, or the line of differences.txt that says what differs.
func TestEachSentenceOfTheSpecificationIsHeld(t *testing.T) {
	counts := spec.Check(t, 190)
	for n := 1; n <= 11; n++ {
		if section := fmt.Sprint("1.", n); counts.Sections[section] < 5 {
			t.Errorf("section %s has %d sentences", section, counts.Sections[section])
		}
	}
}
