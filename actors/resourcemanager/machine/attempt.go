//coherer:pure

package machine

import "slices"

// AttemptState is where an attempt of an application stands. It mirrors RMAppAttemptState.
type AttemptState int

// The states of an attempt, in their order.
const (
	AttemptNew             AttemptState = iota // made
	AttemptSubmitted                           // the scheduler is asked to take it
	AttemptScheduled                           // it waits for the container of its ApplicationMaster
	AttemptAllocatedSaving                     // the container is there; the record is being written
	AttemptAllocated                           // the NodeManager is asked to start the ApplicationMaster
	AttemptLaunched                            // the NodeManager has it; it has not registered
	AttemptRunning                             // it is registered
	AttemptFinalSaving                         // the record of its end is being written
	AttemptFinishing                           // it has said its end and has not exited yet
	AttemptFinished                            // it ended by itself
	AttemptFailed                              // it ended otherwise
	AttemptKilled                              // it was killed with its application
)

func (s AttemptState) String() string {
	return nameOf(int(s), "NEW", "SUBMITTED", "SCHEDULED", "ALLOCATED_SAVING", "ALLOCATED", "LAUNCHED", "RUNNING", "FINAL_SAVING",
		"FINISHING", "FINISHED", "FAILED", "KILLED")
}

// Over reports whether nothing can follow.
func (s AttemptState) Over() bool { return s >= AttemptFinished }

// AttemptEvent is an event of an attempt. It mirrors RMAppAttemptEventType.
type AttemptEvent int

// The events of an attempt.
const (
	AttemptStart AttemptEvent = iota
	AttemptKill
	AttemptFail
	AttemptAdded
	AttemptContainerAllocated
	AttemptNewSaved
	AttemptLaunch
	AttemptLaunchFailed
	AttemptRegister
	AttemptStatusUpdate
	AttemptUnregister
	AttemptContainerFinished
	AttemptExpire
	AttemptUpdateSaved
	AttemptRecover
)

func (e AttemptEvent) String() string {
	return nameOf(int(e), "START", "KILL", "FAIL", "ATTEMPT_ADDED", "CONTAINER_ALLOCATED", "ATTEMPT_NEW_SAVED", "LAUNCHED",
		"LAUNCH_FAILED", "REGISTERED", "STATUS_UPDATE", "UNREGISTERED", "CONTAINER_FINISHED", "EXPIRE", "ATTEMPT_UPDATE_SAVED", "RECOVER")
}

// AttemptAction is an action that follows a step of an attempt.
type AttemptAction int

// The actions of an attempt.
const (
	AddAttempt        AttemptAction = iota // registerAppAttempt to the ApplicationMasterService, APP_ATTEMPT_ADDED to the scheduler
	AskContainer                           // one container for the ApplicationMaster: priority 0, anywhere
	PullContainer                          // the scheduler gave no container after all: ask again in 500 ms
	StoreAttempt                           // write its record; then ATTEMPT_NEW_SAVED
	LaunchAM                               // ask the NodeManager to start the ApplicationMaster
	WatchAM                                // it is in the AMLivelinessMonitor from here on
	TellRegistered                         // ATTEMPT_REGISTERED to the application
	NoteProgress                           // keep the progress that it reports
	StoreAttemptFinal                      // write the record of the end; then ATTEMPT_UPDATE_SAVED
	TellUnregistered                       // ATTEMPT_UNREGISTERED to the application; watch that it exits
	EndAttempt                             // it is over: out of the ApplicationMasterService and the scheduler, stop its container
	TellFinished                           // ATTEMPT_FINISHED to the application
	TellFailed                             // ATTEMPT_FAILED to the application
	TellKilled                             // ATTEMPT_KILLED to the application
	RecoverAttempt                         // as AddAttempt, of the ResourceManager before this one: its ApplicationMaster runs
)

func (a AttemptAction) String() string {
	return nameOf(int(a), "AddAttempt", "AskContainer", "PullContainer", "StoreAttempt", "LaunchAM", "WatchAM", "TellRegistered",
		"NoteProgress", "StoreAttemptFinal", "TellUnregistered", "EndAttempt", "TellFinished", "TellFailed", "TellKilled", "RecoverAttempt")
}

type attemptRule = rule[AttemptState, AttemptEvent, AttemptAction]

var (
	toStoreFinal = []AttemptAction{StoreAttemptFinal}
	preFinal     = []AttemptState{
		AttemptNew, AttemptSubmitted, AttemptScheduled, AttemptAllocatedSaving, AttemptAllocated, AttemptLaunched, AttemptRunning,
	}
)

var attemptTable = tableOf(slices.Concat([]attemptRule{
	{from: []AttemptState{AttemptNew}, on: AttemptStart, to: AttemptSubmitted, do: []AttemptAction{AddAttempt}},
	{from: []AttemptState{AttemptSubmitted}, on: AttemptAdded, to: AttemptScheduled, do: []AttemptAction{AskContainer}},
	{from: []AttemptState{AttemptScheduled}, on: AttemptContainerAllocated, to: AttemptAllocatedSaving, do: []AttemptAction{StoreAttempt}},
	{from: []AttemptState{AttemptScheduled}, on: AttemptContainerAllocated, when: NothingYet, to: stay, do: []AttemptAction{PullContainer}},
	{from: []AttemptState{AttemptAllocatedSaving}, on: AttemptNewSaved, to: AttemptAllocated, do: []AttemptAction{LaunchAM}},
	{from: []AttemptState{AttemptAllocated}, on: AttemptLaunch, to: AttemptLaunched, do: []AttemptAction{WatchAM}},
	{from: []AttemptState{AttemptAllocated}, on: AttemptLaunchFailed, to: AttemptFinalSaving, target: AttemptFailed, do: toStoreFinal},
	// An ApplicationMaster may register before its NodeManager answers startContainers: the two travel on different connections.
	// That answer then finds the attempt RUNNING. A failed one changes nothing: the ApplicationMaster has proved that it runs.
	{from: []AttemptState{AttemptAllocated}, on: AttemptRegister, to: AttemptRunning, do: []AttemptAction{TellRegistered}},
	{from: []AttemptState{AttemptLaunched}, on: AttemptRegister, to: AttemptRunning, do: []AttemptAction{TellRegistered}},
	{from: []AttemptState{AttemptRunning}, on: AttemptLaunch, to: stay, do: []AttemptAction{WatchAM}},
	{from: []AttemptState{AttemptRunning}, on: AttemptLaunchFailed, to: stay},
	{from: []AttemptState{AttemptRunning}, on: AttemptStatusUpdate, to: stay, do: []AttemptAction{NoteProgress}},
	{from: []AttemptState{AttemptRunning}, on: AttemptContainerAllocated, to: stay},
	// The end of another container is the ApplicationMaster's business; that of its own, below, ends the attempt.
	{from: []AttemptState{AttemptLaunched, AttemptRunning}, on: AttemptContainerFinished, to: stay},
	{
		from: []AttemptState{AttemptScheduled, AttemptAllocatedSaving, AttemptAllocated, AttemptLaunched, AttemptRunning},
		on:   AttemptContainerFinished, when: OwnContainer, to: AttemptFinalSaving, target: AttemptFailed, do: toStoreFinal,
	},
	{from: []AttemptState{AttemptLaunched, AttemptRunning}, on: AttemptExpire, to: AttemptFinalSaving, target: AttemptFailed, do: toStoreFinal},
	{from: []AttemptState{AttemptRunning}, on: AttemptUnregister, to: AttemptFinalSaving, target: AttemptFinishing, do: toStoreFinal},
	{from: preFinal, on: AttemptKill, to: AttemptFinalSaving, target: AttemptKilled, do: toStoreFinal},
	{from: preFinal, on: AttemptFail, to: AttemptFinalSaving, target: AttemptFailed, do: toStoreFinal},
	{from: []AttemptState{AttemptNew, AttemptSubmitted}, on: AttemptRegister, to: AttemptFinalSaving, target: AttemptFailed, do: toStoreFinal},
	// The exit is remembered as FINISHED, since it does not come again: without it the attempt would wait in FINISHING for an exit
	// that was.
	{
		from: []AttemptState{AttemptFinalSaving}, then: AttemptFinishing,
		on: AttemptContainerFinished, when: OwnContainer, to: AttemptFinalSaving, target: AttemptFinished,
	},
	{from: []AttemptState{AttemptFinalSaving}, then: AttemptFinishing, on: AttemptExpire, to: AttemptFinalSaving, target: AttemptFinished},
	{from: []AttemptState{AttemptFinalSaving}, on: AttemptExpire, to: stay},
	// EndAttempt comes before the report to the application, whose answer may be another attempt: the scheduler has to let go of
	// this one first.
	{from: []AttemptState{AttemptFinalSaving}, then: AttemptFinishing, on: AttemptUpdateSaved, to: AttemptFinishing, do: []AttemptAction{TellUnregistered}},
	{
		from: []AttemptState{AttemptFinalSaving}, then: AttemptFinished, on: AttemptUpdateSaved, to: AttemptFinished,
		do: []AttemptAction{TellUnregistered, EndAttempt, TellFinished},
	},
	{from: []AttemptState{AttemptFinalSaving}, then: AttemptFailed, on: AttemptUpdateSaved, to: AttemptFailed, do: []AttemptAction{EndAttempt, TellFailed}},
	{from: []AttemptState{AttemptFinalSaving}, then: AttemptKilled, on: AttemptUpdateSaved, to: AttemptKilled, do: []AttemptAction{EndAttempt, TellKilled}},
	{from: []AttemptState{AttemptFinishing}, on: AttemptContainerFinished, when: OwnContainer, to: AttemptFinished, do: []AttemptAction{EndAttempt, TellFinished}},
	{from: []AttemptState{AttemptFinishing}, on: AttemptExpire, to: AttemptFinished, do: []AttemptAction{EndAttempt, TellFinished}},
	// Back to LAUNCHED, even if it was RUNNING: its ApplicationMaster registers again. WatchAM ends an attempt that never does.
	{from: []AttemptState{AttemptNew}, on: AttemptRecover, to: AttemptLaunched, do: []AttemptAction{RecoverAttempt, WatchAM}},
	{from: []AttemptState{AttemptNew}, on: AttemptRecover, when: WasFinished, to: AttemptFinished},
	{from: []AttemptState{AttemptNew}, on: AttemptRecover, when: WasFailed, to: AttemptFailed},
	{from: []AttemptState{AttemptNew}, on: AttemptRecover, when: WasKilled, to: AttemptKilled},
},
	lateAttempt(AttemptFinalSaving, AttemptKill, AttemptFail, AttemptAdded, AttemptContainerAllocated, AttemptNewSaved, AttemptLaunch,
		AttemptLaunchFailed, AttemptRegister, AttemptStatusUpdate, AttemptUnregister, AttemptContainerFinished),
	lateAttempt(AttemptFinishing, AttemptKill, AttemptFail, AttemptContainerAllocated, AttemptStatusUpdate, AttemptUnregister,
		AttemptContainerFinished),
	lateAttempt(AttemptFinished, endOfAttempt...),
	lateAttempt(AttemptFailed, endOfAttempt...),
	lateAttempt(AttemptKilled, endOfAttempt...),
)...)

// endOfAttempt are the events that an attempt that is over may still see.
var endOfAttempt = []AttemptEvent{
	AttemptKill, AttemptFail, AttemptAdded, AttemptContainerAllocated, AttemptNewSaved, AttemptLaunch, AttemptLaunchFailed,
	AttemptRegister, AttemptStatusUpdate, AttemptUnregister, AttemptContainerFinished, AttemptExpire,
}

func lateAttempt(s AttemptState, events ...AttemptEvent) []attemptRule {
	return late[AttemptState, AttemptEvent, AttemptAction](s, events...)
}

// Attempt is an attempt's machine. The zero Attempt is NEW.
type Attempt struct {
	State AttemptState
	// Target is the state after FINAL_SAVING.
	Target AttemptState
}

// Step is the machine after an event, and the actions that follow.
func (m Attempt) Step(e AttemptEvent, when Case) (Attempt, []AttemptAction, error) {
	to, target, do, err := attemptTable.step("the attempt", m.State, m.Target, e, when)
	return Attempt{to, target}, do, err
}
