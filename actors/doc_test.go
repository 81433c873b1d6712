package actors

import (
	"testing"

	"github.com/coherer/coherer/rpcenv/rpctest/spec"
)

func TestThePackageCommentNamesEveryPackage(t *testing.T) { spec.Packages(t) }
