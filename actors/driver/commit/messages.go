package commit

import "github.com/coherer/coherer/rpcenv"

// StageStart announces a stage whose tasks write output. A further attempt of a stage keeps what is known of the earlier ones.
type StageStart struct {
	rpcenv.Local
	Stage int32
	// Partitions of the stage; a stage has the same number in each attempt.
	Partitions int
}

// StageEnd forgets a stage: from here on nobody may commit. An unknown one is ignored.
type StageEnd struct {
	rpcenv.Local
	Stage int32
}

// TaskCompleted reports an attempt that failed. Successes and denials change nothing, so they are not reported.
type TaskCompleted struct {
	rpcenv.Local
	Stage, StageAttempt, Partition, Attempt int32
}
