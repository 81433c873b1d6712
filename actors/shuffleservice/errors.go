package shuffleservice

import (
	"fmt"

	"github.com/coherer/coherer/rpcenv"
)

var (
	// ErrUnknownApplication refuses an executor whose application the daemon has not named.
	ErrUnknownApplication = rpcenv.NewRefusal("shuffleservice.unknown-application", "this shuffle service knows no application")
	// ErrRefused refuses a registration that is malformed.
	ErrRefused = rpcenv.NewRefusal("shuffleservice.refused", "refused by the shuffle service")
)

// NotRegistered is the error of a request for blocks of an executor that never registered here, in Spark's words.
func NotRegistered(x Executor) error {
	return fmt.Errorf("Executor is not registered (appId=%s, execId=%s)", x.App, x.ID)
}
