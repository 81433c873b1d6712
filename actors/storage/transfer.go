package storage

import (
	"fmt"

	"github.com/coherer/coherer/rpcenv"
)

// Transfer fetches blocks from the block manager at an address, and calls each for them in the order of ids. The first block that
// fails, or an error of each, ends it.
type Transfer interface {
	Fetch(b *rpcenv.Blocking, from rpcenv.Address, ids []string, each func(i int, data []byte) error) error
}

// TaskResultID is the name of the block that has a task's result (org.apache.spark.storage.TaskResultBlockId).
func TaskResultID(task int64) string { return fmt.Sprintf("taskresult_%d", task) }
