package tasks

import (
	"testing"

	"github.com/coherer/coherer/rpcenv/rpctest/spec"
)

// Each sentence of the specification names the tests that hold it, or the line of differences.txt that says what differs.
func TestEachSentenceOfTheSpecificationIsHeld(t *testing.T) { spec.Check(t, 28) }
