package master

import (
	"slices"

	"github.com/coherer/coherer/actors/machine"
	"github.com/coherer/coherer/messages/deploy"
)

// RecoveryState is where a Master stands between standby and leadership. It mirrors
// org.apache.spark.deploy.master.RecoveryState.
type RecoveryState int

// The states of a Master, in their order. Without an election it is ALIVE from its start.
const (
	RecoveryStandby    RecoveryState = iota // not the leader: it takes no registrations
	RecoveryAlive                           // it schedules
	RecoveryRecovering                      // it waits for the workers and applications of its predecessor
	RecoveryCompleting                      // it gives up those that did not answer
)

func (s RecoveryState) String() string {
	return machine.Name(int(s), "STANDBY", "ALIVE", "RECOVERING", "COMPLETING_RECOVERY")
}

// recoveryMoves: a leader is never a standby again, it ends.
var recoveryMoves = machine.Moves[RecoveryState]{Kind: "master", After: map[RecoveryState][]RecoveryState{
	RecoveryStandby:    {RecoveryAlive, RecoveryRecovering}, // at once ALIVE without records, since there is nothing to recover
	RecoveryRecovering: {RecoveryCompleting},
	RecoveryCompleting: {RecoveryAlive},
}}

// WorkerState is what the Master thinks of a Worker. It mirrors org.apache.spark.deploy.master.WorkerState.
type WorkerState int

// The states of a Worker.
const (
	WorkerAlive          WorkerState = iota // it gets executors
	WorkerDead                              // given up; the record stays for a while, and for a late heartbeat
	WorkerDecommissioned                    // it gets no new executors
	WorkerUnknown                           // of the Master's predecessor, and not heard of yet
)

func (s WorkerState) String() string {
	return machine.Name(int(s), "ALIVE", "DEAD", "DECOMMISSIONED", "UNKNOWN")
}

// workerMoves: DEAD is for ever, a Worker that comes back gets a new record.
var workerMoves = machine.Moves[WorkerState]{Kind: "worker", After: map[WorkerState][]WorkerState{
	WorkerUnknown:        {WorkerAlive, WorkerDead},
	WorkerAlive:          {WorkerDecommissioned, WorkerDead},
	WorkerDecommissioned: {WorkerDead},
}}

// ApplicationState is the life of an application. It mirrors org.apache.spark.deploy.master.ApplicationState.
type ApplicationState int

// The states of an application, in their order.
const (
	ApplicationWaiting  ApplicationState = iota // no executor was launched yet
	ApplicationRunning                          // an executor was launched
	ApplicationFinished                         // its driver ended
	ApplicationFailed                           // its executors failed too often
	ApplicationKilled                           // a user ended it
	ApplicationUnknown                          // of the Master's predecessor, and not heard of yet
)

func (s ApplicationState) String() string {
	return machine.Name(int(s), "WAITING", "RUNNING", "FINISHED", "FAILED", "KILLED", "UNKNOWN")
}

// Over reports whether the application has ended.
func (s ApplicationState) Over() bool { return s >= ApplicationFinished && s != ApplicationUnknown }

var applicationMoves = machine.Moves[ApplicationState]{Kind: "application", After: map[ApplicationState][]ApplicationState{
	ApplicationUnknown: {ApplicationWaiting, ApplicationFinished, ApplicationFailed, ApplicationKilled},
	ApplicationWaiting: {ApplicationRunning, ApplicationFinished, ApplicationFailed, ApplicationKilled},
	ApplicationRunning: {ApplicationFinished, ApplicationFailed, ApplicationKilled},
}}

// executorMoves: RUNNING after RUNNING is refused like any repetition, since it is a report that was sent again.
var executorMoves = machine.Moves[deploy.ExecutorState]{Kind: "executor", Repeated: true, After: map[deploy.ExecutorState][]deploy.ExecutorState{
	deploy.ExecutorState_LAUNCHING:      append(executorEnds, deploy.ExecutorState_RUNNING, deploy.ExecutorState_DECOMMISSIONED),
	deploy.ExecutorState_RUNNING:        append(executorEnds, deploy.ExecutorState_DECOMMISSIONED),
	deploy.ExecutorState_DECOMMISSIONED: executorEnds,
}}

var executorEnds = []deploy.ExecutorState{
	deploy.ExecutorState_KILLED, deploy.ExecutorState_FAILED, deploy.ExecutorState_LOST, deploy.ExecutorState_EXITED,
}

// driverMoves: one that waits can be killed; one of the Master's predecessor is UNKNOWN until a Worker reports that it runs
// there.
var driverMoves = machine.Moves[deploy.DriverState_State]{Kind: "driver", After: map[deploy.DriverState_State][]deploy.DriverState_State{
	deploy.DriverState_SUBMITTED: {deploy.DriverState_RUNNING, deploy.DriverState_KILLED},
	deploy.DriverState_RUNNING:   driverEnds,
	deploy.DriverState_UNKNOWN:   append(driverEnds, deploy.DriverState_RUNNING),
}}

var driverEnds = []deploy.DriverState_State{
	deploy.DriverState_FINISHED, deploy.DriverState_RELAUNCHING, deploy.DriverState_KILLED, deploy.DriverState_FAILED,
	deploy.DriverState_ERROR,
}

// driverOver reports whether a driver in s has ended.
func driverOver(s deploy.DriverState_State) bool { return slices.Contains(driverEnds, s) }

// finished reports whether an executor in s has ended. DECOMMISSIONED has not.
func finished(s deploy.ExecutorState) bool { return slices.Contains(executorEnds, s) }

// DriverOver reports whether a driver in a state has ended, as a Worker may report it. One that is RELAUNCHING runs again, under
// another id.
func DriverOver(s deploy.DriverState_State) bool {
	return driverOver(s) && s != deploy.DriverState_RELAUNCHING
}
