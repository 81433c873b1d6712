package fair

import (
	"testing"

	"github.com/coherer/coherer/rpcenv/rpctest/spec"
)

func TestEachSentenceOfTheSpecificationIsHeld(t *testing.T) { spec.Check(t, 60) }
