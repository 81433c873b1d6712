package mapoutput

import (
	"github.com/coherer/coherer/messages/storage"
	"github.com/coherer/coherer/rpcenv"
)

// RegisterShuffle enters a shuffle with its number of map tasks, all outputs missing. A known shuffle stays as it is.
type RegisterShuffle struct {
	rpcenv.Local
	Shuffle int32
	Maps    int
}

// RegisterMapOutput enters the output of a map task; it replaces an earlier one.
type RegisterMapOutput struct {
	rpcenv.Local
	Shuffle, MapIndex int32
	Status            *storage.MapStatus
}

// UpdateMapOutput enters the new place of an output that has moved, if it is still the one of that map id.
type UpdateMapOutput struct {
	rpcenv.Local
	Shuffle, MapIndex int32
	MapID             int64
	Location          *storage.BlockManagerId
}

// UnregisterMapOutput drops an output if it still lies at that executor.
type UnregisterMapOutput struct {
	rpcenv.Local
	Shuffle, MapIndex int32
	Executor          string
	// Epoch is the new epoch of the book.
	Epoch int64
}

// UnregisterAllMapOutput drops all outputs of a shuffle, which stays registered. An unknown one is ignored.
type UnregisterAllMapOutput struct {
	rpcenv.Local
	Shuffle int32
	// Epoch is the new epoch of the book.
	Epoch int64
}

// RemoveOutputsOnExecutor drops all outputs that lie at an executor.
type RemoveOutputsOnExecutor struct {
	rpcenv.Local
	Executor string
	// Epoch is the new epoch of the book.
	Epoch int64
}

// RemoveOutputsOnHost drops all outputs that lie on a host.
type RemoveOutputsOnHost struct {
	rpcenv.Local
	Host string
	// Epoch is the new epoch of the book.
	Epoch int64
}

// IncrementEpoch makes executors forget what they cached: a stage ended whose outputs may have moved.
type IncrementEpoch struct {
	rpcenv.Local
	Epoch int64
}

// UnregisterShuffle forgets a shuffle. An unknown one is ignored.
type UnregisterShuffle struct {
	rpcenv.Local
	Shuffle int32
}
