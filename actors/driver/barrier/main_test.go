package barrier

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/coherer/coherer/rpcenv/rpctest/spec"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// Each sentence of the specification names the tests that hold it, or the line of differences.txt that says what differs.
func TestEachSentenceOfTheSpecificationIsHeld(t *testing.T) { spec.Check(t, 10) }
