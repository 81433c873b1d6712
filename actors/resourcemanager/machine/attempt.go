//coherer:pure

package machine

import "github.com/coherer/coherer/actors/machine"

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
	return machine.Name(int(s), "NEW", "SUBMITTED", "SCHEDULED", "ALLOCATED_SAVING", "ALLOCATED", "LAUNCHED", "RUNNING", "FINAL_SAVING",
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
	return machine.Name(int(e), "START", "KILL", "FAIL", "ATTEMPT_ADDED", "CONTAINER_ALLOCATED", "ATTEMPT_NEW_SAVED", "LAUNCHED",
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
	return machine.Name(int(a), "AddAttempt", "AskContainer", "PullContainer", "StoreAttempt", "LaunchAM", "WatchAM", "TellRegistered",
		"NoteProgress", "StoreAttemptFinal", "TellUnregistered", "EndAttempt", "TellFinished", "TellFailed", "TellKilled", "RecoverAttempt")
}

type attemptRule = machine.Rule[AttemptState, AttemptEvent, Case, AttemptAction]

var (
	toStoreFinal = []AttemptAction{StoreAttemptFinal}
	preFinal     = []AttemptState{
		AttemptNew, AttemptSubmitted, AttemptScheduled, AttemptAllocatedSaving, AttemptAllocated, AttemptLaunched, AttemptRunning,
	}
)

var attemptTable = machine.New("the attempt", []attemptRule{
	{From: []AttemptState{AttemptNew}, On: AttemptStart, To: AttemptSubmitted, Do: []AttemptAction{AddAttempt}},
	{From: []AttemptState{AttemptSubmitted}, On: AttemptAdded, To: AttemptScheduled, Do: []AttemptAction{AskContainer}},
	{From: []AttemptState{AttemptScheduled}, On: AttemptContainerAllocated, To: AttemptAllocatedSaving, Do: []AttemptAction{StoreAttempt}},
	{From: []AttemptState{AttemptScheduled}, On: AttemptContainerAllocated, When: NothingYet, To: machine.Stay, Do: []AttemptAction{PullContainer}},
	{From: []AttemptState{AttemptAllocatedSaving}, On: AttemptNewSaved, To: AttemptAllocated, Do: []AttemptAction{LaunchAM}},
	{From: []AttemptState{AttemptAllocated}, On: AttemptLaunch, To: AttemptLaunched, Do: []AttemptAction{WatchAM}},
	{From: []AttemptState{AttemptAllocated}, On: AttemptLaunchFailed, To: AttemptFinalSaving, Target: AttemptFailed, Do: toStoreFinal},
	// An ApplicationMaster may register before its NodeManager answers startContainers: the two travel on different connections.
	// That answer then finds the attempt RUNNING. A failed one changes nothing: the ApplicationMaster has proved that it runs.
	{From: []AttemptState{AttemptAllocated}, On: AttemptRegister, To: AttemptRunning, Do: []AttemptAction{TellRegistered}},
	{From: []AttemptState{AttemptLaunched}, On: AttemptRegister, To: AttemptRunning, Do: []AttemptAction{TellRegistered}},
	{From: []AttemptState{AttemptRunning}, On: AttemptLaunch, To: machine.Stay, Do: []AttemptAction{WatchAM}},
	{From: []AttemptState{AttemptRunning}, On: AttemptLaunchFailed, To: machine.Stay},
	{From: []AttemptState{AttemptRunning}, On: AttemptStatusUpdate, To: machine.Stay, Do: []AttemptAction{NoteProgress}},
	{From: []AttemptState{AttemptRunning}, On: AttemptContainerAllocated, To: machine.Stay},
	// The end of another container is the ApplicationMaster's business; that of its own, below, ends the attempt.
	{From: []AttemptState{AttemptLaunched, AttemptRunning}, On: AttemptContainerFinished, To: machine.Stay},
	{
		From: []AttemptState{AttemptScheduled, AttemptAllocatedSaving, AttemptAllocated, AttemptLaunched, AttemptRunning},
		On:   AttemptContainerFinished, When: OwnContainer, To: AttemptFinalSaving, Target: AttemptFailed, Do: toStoreFinal,
	},
	{From: []AttemptState{AttemptLaunched, AttemptRunning}, On: AttemptExpire, To: AttemptFinalSaving, Target: AttemptFailed, Do: toStoreFinal},
	{From: []AttemptState{AttemptRunning}, On: AttemptUnregister, To: AttemptFinalSaving, Target: AttemptFinishing, Do: toStoreFinal},
	{From: preFinal, On: AttemptKill, To: AttemptFinalSaving, Target: AttemptKilled, Do: toStoreFinal},
	{From: preFinal, On: AttemptFail, To: AttemptFinalSaving, Target: AttemptFailed, Do: toStoreFinal},
	{From: []AttemptState{AttemptNew, AttemptSubmitted}, On: AttemptRegister, To: AttemptFinalSaving, Target: AttemptFailed, Do: toStoreFinal},
	// The exit is remembered as FINISHED, since it does not come again: without it the attempt would wait in FINISHING for an exit
	// that was.
	{
		From: []AttemptState{AttemptFinalSaving}, Then: AttemptFinishing,
		On: AttemptContainerFinished, When: OwnContainer, To: AttemptFinalSaving, Target: AttemptFinished,
	},
	{From: []AttemptState{AttemptFinalSaving}, Then: AttemptFinishing, On: AttemptExpire, To: AttemptFinalSaving, Target: AttemptFinished},
	{From: []AttemptState{AttemptFinalSaving}, On: AttemptExpire, To: machine.Stay},
	// EndAttempt comes before the report to the application, whose answer may be another attempt: the scheduler has to let go of
	// this one first.
	{From: []AttemptState{AttemptFinalSaving}, Then: AttemptFinishing, On: AttemptUpdateSaved, To: AttemptFinishing, Do: []AttemptAction{TellUnregistered}},
	{
		From: []AttemptState{AttemptFinalSaving}, Then: AttemptFinished, On: AttemptUpdateSaved, To: AttemptFinished,
		Do: []AttemptAction{TellUnregistered, EndAttempt, TellFinished},
	},
	{From: []AttemptState{AttemptFinalSaving}, Then: AttemptFailed, On: AttemptUpdateSaved, To: AttemptFailed, Do: []AttemptAction{EndAttempt, TellFailed}},
	{From: []AttemptState{AttemptFinalSaving}, Then: AttemptKilled, On: AttemptUpdateSaved, To: AttemptKilled, Do: []AttemptAction{EndAttempt, TellKilled}},
	{From: []AttemptState{AttemptFinishing}, On: AttemptContainerFinished, When: OwnContainer, To: AttemptFinished, Do: []AttemptAction{EndAttempt, TellFinished}},
	{From: []AttemptState{AttemptFinishing}, On: AttemptExpire, To: AttemptFinished, Do: []AttemptAction{EndAttempt, TellFinished}},
	// Back to LAUNCHED, even if it was RUNNING: its ApplicationMaster registers again. WatchAM ends an attempt that never does.
	{From: []AttemptState{AttemptNew}, On: AttemptRecover, To: AttemptLaunched, Do: []AttemptAction{RecoverAttempt, WatchAM}},
	{From: []AttemptState{AttemptNew}, On: AttemptRecover, When: WasFinished, To: AttemptFinished},
	{From: []AttemptState{AttemptNew}, On: AttemptRecover, When: WasFailed, To: AttemptFailed},
	{From: []AttemptState{AttemptNew}, On: AttemptRecover, When: WasKilled, To: AttemptKilled},
},
	lateAttempt(AttemptFinalSaving, AttemptKill, AttemptFail, AttemptAdded, AttemptContainerAllocated, AttemptNewSaved, AttemptLaunch,
		AttemptLaunchFailed, AttemptRegister, AttemptStatusUpdate, AttemptUnregister, AttemptContainerFinished),
	lateAttempt(AttemptFinishing, AttemptKill, AttemptFail, AttemptContainerAllocated, AttemptStatusUpdate, AttemptUnregister,
		AttemptContainerFinished),
	lateAttempt(AttemptFinished, endOfAttempt...),
	lateAttempt(AttemptFailed, endOfAttempt...),
	lateAttempt(AttemptKilled, endOfAttempt...),
)

// endOfAttempt are the events that an attempt that is over may still see.
var endOfAttempt = []AttemptEvent{
	AttemptKill, AttemptFail, AttemptAdded, AttemptContainerAllocated, AttemptNewSaved, AttemptLaunch, AttemptLaunchFailed,
	AttemptRegister, AttemptStatusUpdate, AttemptUnregister, AttemptContainerFinished, AttemptExpire,
}

func lateAttempt(s AttemptState, events ...AttemptEvent) []attemptRule {
	return machine.Late[AttemptState, AttemptEvent, Case, AttemptAction](s, events...)
}

// Attempt is an attempt's machine. The zero Attempt is NEW.
type Attempt struct {
	State AttemptState
	// Target is the state after FINAL_SAVING.
	Target AttemptState
}

// Step is the machine after an event, and the actions that follow.
func (m Attempt) Step(e AttemptEvent, when Case) (Attempt, []AttemptAction, error) {
	next, err := attemptTable.Step(m.State, m.Target, e, when)
	return Attempt{next.State, next.Target}, next.Do, err
}
