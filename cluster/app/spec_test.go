package app

import (
	"testing"

	"github.com/coherer/coherer/rpcenv/rpctest/spec"
)

// Each sentence of what the processes of an application on YARN do names the tests that hold it.
func TestEachSentenceOfTheSpecificationIsHeld(t *testing.T) { spec.Check(t, 14) }
