package local_test

import (
	"testing"

	"github.com/coherer/coherer/cluster/local"
)

func TestMain(m *testing.M) { local.Main(m) }
