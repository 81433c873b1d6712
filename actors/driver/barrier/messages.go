package barrier

import "github.com/coherer/coherer/rpcenv"

// Name is the endpoint's name.
const Name = "barrierSync"

// StageStart announces an attempt of a barrier stage with its number of tasks, before the tasks are submitted.
type StageStart struct {
	rpcenv.Local
	Stage, Attempt int32
	Tasks          int32
}

// StageEnd forgets an attempt, and fails its tasks that still wait. An unknown one is ignored.
type StageEnd struct {
	rpcenv.Local
	Stage, Attempt int32
}

// SyncTimeout is the timer of a barrier.
type SyncTimeout struct {
	rpcenv.Local
	Stage, Attempt, Epoch int32
}
