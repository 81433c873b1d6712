package master

import (
	"fmt"

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
	return nameOf(int(s), "STANDBY", "ALIVE", "RECOVERING", "COMPLETING_RECOVERY")
}

// To is next, or s and an error when a Master in s cannot become next. What was the leader is never a standby again: it
// ends.
func (s RecoveryState) To(next RecoveryState) (RecoveryState, error) {
	switch {
	// A standby without records has nothing to recover and is ALIVE at once.
	case s == RecoveryStandby && (next == RecoveryAlive || next == RecoveryRecovering),
		s == RecoveryRecovering && next == RecoveryCompleting,
		s == RecoveryCompleting && next == RecoveryAlive:
		return next, nil
	}
	return s, illegal("master", s, next)
}

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
	return nameOf(int(s), "ALIVE", "DEAD", "DECOMMISSIONED", "UNKNOWN")
}

// To is next, or s and an error when a Worker in s cannot become next. DEAD is for ever: a Worker that comes back gets a
// new record.
func (s WorkerState) To(next WorkerState) (WorkerState, error) {
	switch {
	case s == WorkerUnknown && next == WorkerAlive,
		s == WorkerAlive && next == WorkerDecommissioned,
		s != WorkerDead && next == WorkerDead:
		return next, nil
	}
	return s, illegal("worker", s, next)
}

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
	return nameOf(int(s), "WAITING", "RUNNING", "FINISHED", "FAILED", "KILLED", "UNKNOWN")
}

// Over reports whether the application has ended.
func (s ApplicationState) Over() bool { return s >= ApplicationFinished && s != ApplicationUnknown }

// To is next, or s and an error when an application in s cannot become next.
func (s ApplicationState) To(next ApplicationState) (ApplicationState, error) {
	switch {
	case s == ApplicationUnknown && (next == ApplicationWaiting || next.Over()),
		!s.Over() && s < next && next <= ApplicationKilled:
		return next, nil
	}
	return s, illegal("application", s, next)
}

// executorTo is next, or s and an error when an executor in s cannot become next: LAUNCHING, RUNNING, perhaps
// DECOMMISSIONED, and then one of the finished states, for ever. RUNNING after RUNNING is refused like any repetition: a
// report that was sent again.
func executorTo(s, next deploy.ExecutorState) (deploy.ExecutorState, error) {
	live := next == deploy.ExecutorState_RUNNING || next == deploy.ExecutorState_DECOMMISSIONED
	switch {
	case finished(s), s == next, !live && !finished(next), live && s == deploy.ExecutorState_DECOMMISSIONED:
		return s, illegal("executor", s, next)
	}
	return next, nil
}

// driverTo is next, or s and an error when a driver in s cannot become next: SUBMITTED, RUNNING, and then one of the
// finished states, for ever. One that waits can be killed; one of the Master's predecessor is UNKNOWN until a Worker says
// that it runs there.
func driverTo(s, next deploy.DriverState_State) (deploy.DriverState_State, error) {
	switch {
	case driverOver(s), s == next, next == deploy.DriverState_SUBMITTED,
		next == deploy.DriverState_UNKNOWN,
		s == deploy.DriverState_SUBMITTED && next != deploy.DriverState_RUNNING && next != deploy.DriverState_KILLED:
		return s, illegal("driver", s, next)
	}
	return next, nil
}

// driverOver reports whether a driver in s has ended.
func driverOver(s deploy.DriverState_State) bool {
	switch s {
	case deploy.DriverState_SUBMITTED, deploy.DriverState_RUNNING, deploy.DriverState_UNKNOWN:
		return false
	}
	return true
}

// finished reports whether an executor in s has ended. DECOMMISSIONED has not.
func finished(s deploy.ExecutorState) bool {
	switch s {
	case deploy.ExecutorState_KILLED, deploy.ExecutorState_FAILED, deploy.ExecutorState_LOST, deploy.ExecutorState_EXITED:
		return true
	}
	return false
}

func illegal(kind string, from, to fmt.Stringer) error {
	return fmt.Errorf("master: %s cannot become %s after %s", kind, to, from)
}

func nameOf(i int, names ...string) string {
	if i < 0 || i >= len(names) {
		return fmt.Sprintf("state %d", i)
	}
	return names[i]
}

// DriverOver reports whether a driver in a state has ended, as a Worker may report it. One that is RELAUNCHING runs again, under
// another id.
func DriverOver(s deploy.DriverState_State) bool {
	switch s {
	case deploy.DriverState_ERROR, deploy.DriverState_FINISHED, deploy.DriverState_KILLED, deploy.DriverState_FAILED:
		return true
	}
	return false
}
