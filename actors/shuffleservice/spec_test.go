package shuffleservice

import (
	"testing"

	"github.com/coherer/coherer/rpcenv/rpctest/spec"
)

// Each sentence of Spark's service names the tests that hold it, or the line of differences.txt that says what differs.
func TestEachSentenceOfTheSpecificationIsHeld(t *testing.T) { spec.Check(t, 14) }
