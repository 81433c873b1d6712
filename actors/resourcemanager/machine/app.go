//coherer:pure

package machine

import "github.com/coherer/coherer/actors/machine"

// AppState is where an application stands. It mirrors RMAppState.
type AppState int

// The states of an application, in their order.
const (
	AppNew         AppState = iota // nobody has submitted it yet
	AppNewSaving                   // its record is being written
	AppSubmitted                   // the scheduler is asked to take it
	AppAccepted                    // the scheduler has it; an attempt waits for its container or has not registered
	AppRunning                     // its ApplicationMaster is registered
	AppFinalSaving                 // the record of its end is being written
	AppFinishing                   // the end is known; its ApplicationMaster has not exited yet
	AppFinished                    // it ended by itself
	AppFailed                      // it was refused, or its attempts failed
	AppKilling                     // a client killed it; its attempt has not ended yet
	AppKilled                      // a client killed it
)

func (s AppState) String() string {
	return machine.Name(int(s), "NEW", "NEW_SAVING", "SUBMITTED", "ACCEPTED", "RUNNING", "FINAL_SAVING", "FINISHING", "FINISHED",
		"FAILED", "KILLING", "KILLED")
}

// Over reports whether nothing can follow.
func (s AppState) Over() bool { return s == AppFinished || s == AppFailed || s == AppKilled }

// AppEvent is an event of an application. It mirrors RMAppEventType.
type AppEvent int

// The events of an application.
const (
	AppStart AppEvent = iota
	AppRecover
	AppKill
	AppRejected
	AppNewSaved
	AppAccept
	AppAttemptRegistered
	AppAttemptUnregistered
	AppAttemptFinished
	AppAttemptFailed
	AppAttemptKilled
	AppUpdateSaved
	AppRunningOnNode
)

func (e AppEvent) String() string {
	return machine.Name(int(e), "START", "RECOVER", "KILL", "APP_REJECTED", "APP_NEW_SAVED", "APP_ACCEPTED", "ATTEMPT_REGISTERED",
		"ATTEMPT_UNREGISTERED", "ATTEMPT_FINISHED", "ATTEMPT_FAILED", "ATTEMPT_KILLED", "APP_UPDATE_SAVED", "APP_RUNNING_ON_NODE")
}

// AppAction is an action that follows a step of an application.
type AppAction int

// The actions of an application.
const (
	StoreApp       AppAction = iota // write its record; then APP_NEW_SAVED
	AddToQueue                      // APP_ADDED to the scheduler; then APP_ACCEPTED or APP_REJECTED
	StartAttempt                    // make the next attempt and START it
	KillAttempt                     // KILL the current attempt
	StoreFinal                      // write the record of the end; then APP_UPDATE_SAVED
	RememberNode                    // the node is one of those that it runs on
	CleanUpNode                     // it has ended: CLEANUP_APP to the node
	CleanUpApp                      // it has ended: CLEANUP_APP to all its nodes, APP_REMOVED to the scheduler, APP_COMPLETED
	RecoverInQueue                  // as AddToQueue, of an application of the ResourceManager before this one
)

func (a AppAction) String() string {
	return machine.Name(int(a), "StoreApp", "AddToQueue", "StartAttempt", "KillAttempt", "StoreFinal", "RememberNode", "CleanUpNode",
		"CleanUpApp", "RecoverInQueue")
}

type appRule = machine.Rule[AppState, AppEvent, Case, AppAction]

var appTable = machine.New("the application", []appRule{
	{From: []AppState{AppNew}, On: AppStart, To: AppNewSaving, Do: []AppAction{StoreApp}},
	{From: []AppState{AppNew}, On: AppRecover, To: AppSubmitted, Do: []AppAction{RecoverInQueue}},
	{From: []AppState{AppNew}, On: AppRecover, When: Attempted, To: AppAccepted, Do: []AppAction{RecoverInQueue}},
	// No CleanUpApp: the scheduler of this life has never had them, and nodes that keep something report it as they register.
	{From: []AppState{AppNew}, On: AppRecover, When: WasFinished, To: AppFinished},
	{From: []AppState{AppNew}, On: AppRecover, When: WasFailed, To: AppFailed},
	{From: []AppState{AppNew}, On: AppRecover, When: WasKilled, To: AppKilled},
	{From: []AppState{AppNew}, On: AppKill, To: AppKilled, Do: []AppAction{CleanUpApp}},
	{From: []AppState{AppNew, AppNewSaving, AppSubmitted}, On: AppRejected, To: AppFinalSaving, Target: AppFailed, Do: []AppAction{StoreFinal}},
	{From: []AppState{AppNewSaving}, On: AppNewSaved, To: AppSubmitted, Do: []AppAction{AddToQueue}},
	{From: []AppState{AppNewSaving, AppSubmitted}, On: AppKill, To: AppFinalSaving, Target: AppKilled, Do: []AppAction{StoreFinal}},
	{From: []AppState{AppSubmitted}, On: AppAccept, To: AppAccepted, Do: []AppAction{StartAttempt}},
	{From: []AppState{AppAccepted}, On: AppAccept, To: AppAccepted}, // of a recovered one: it has its attempt
	{From: []AppState{AppAccepted}, On: AppAttemptRegistered, To: AppRunning},
	{From: []AppState{AppAccepted, AppRunning}, On: AppAttemptFailed, When: Retry, To: AppAccepted, Do: []AppAction{StartAttempt}},
	{From: []AppState{AppAccepted, AppRunning}, On: AppAttemptFailed, To: AppFinalSaving, Target: AppFailed, Do: []AppAction{StoreFinal}},
	// Of a recovered one: the settings of queues may have changed meanwhile, while its attempt runs on.
	{From: []AppState{AppAccepted, AppRunning}, On: AppRejected, To: AppFinalSaving, Target: AppFailed, Do: []AppAction{KillAttempt, StoreFinal}},
	{From: []AppState{AppAccepted}, On: AppAttemptFinished, To: AppFinalSaving, Target: AppFinished, Do: []AppAction{StoreFinal}},
	{From: []AppState{AppAccepted, AppRunning}, On: AppKill, To: AppKilling, Do: []AppAction{KillAttempt}},
	{From: []AppState{AppAccepted}, On: AppAttemptKilled, To: AppFinalSaving, Target: AppKilled, Do: []AppAction{StoreFinal}},
	{From: []AppState{AppRunning}, On: AppAttemptUnregistered, To: AppFinalSaving, Target: AppFinishing, Do: []AppAction{StoreFinal}},
	{From: []AppState{AppRunning}, On: AppAttemptFinished, To: AppFinished, Do: []AppAction{CleanUpApp}},
	// Its ApplicationMaster was quicker than the record: nothing is left to wait for in FINISHING.
	{From: []AppState{AppFinalSaving}, Then: AppFinishing, On: AppAttemptFinished, To: AppFinalSaving, Target: AppFinished},
	{From: []AppState{AppFinalSaving}, On: AppAttemptFinished, To: machine.Stay},
	{From: []AppState{AppFinalSaving}, Then: AppFinishing, On: AppUpdateSaved, To: AppFinishing}, // CleanUpApp comes when its ApplicationMaster has exited
	{From: []AppState{AppFinalSaving}, Then: AppFinished, On: AppUpdateSaved, To: AppFinished, Do: []AppAction{CleanUpApp}},
	{From: []AppState{AppFinalSaving}, Then: AppFailed, On: AppUpdateSaved, To: AppFailed, Do: []AppAction{CleanUpApp}},
	{From: []AppState{AppFinalSaving}, Then: AppKilled, On: AppUpdateSaved, To: AppKilled, Do: []AppAction{CleanUpApp}},
	{From: []AppState{AppFinishing}, On: AppAttemptFinished, To: AppFinished, Do: []AppAction{CleanUpApp}},
	{From: []AppState{AppKilling}, On: AppAttemptKilled, To: AppFinalSaving, Target: AppKilled, Do: []AppAction{StoreFinal}},
	{From: []AppState{AppKilling}, On: AppAttemptFailed, To: AppFinalSaving, Target: AppKilled, Do: []AppAction{StoreFinal}},
	{From: []AppState{AppKilling}, On: AppAttemptUnregistered, To: AppFinalSaving, Target: AppFinishing, Do: []AppAction{StoreFinal}},
	{From: []AppState{AppAccepted, AppRunning, AppFinalSaving, AppFinishing, AppKilling}, On: AppRunningOnNode, Do: []AppAction{RememberNode}, To: machine.Stay},
	// CleanUpApp served the nodes that were known then; one that comes up later has to be cleaned up by itself.
	{From: []AppState{AppFinished, AppFailed, AppKilled}, On: AppRunningOnNode, Do: []AppAction{CleanUpNode}, To: machine.Stay},
},
	lateApp(AppFinalSaving, AppKill, AppNewSaved, AppAccept, AppRejected, AppAttemptFailed, AppAttemptKilled),
	lateApp(AppFinishing, AppKill),
	lateApp(AppKilling, AppKill, AppAttemptRegistered),
	lateApp(AppFinished, AppKill, AppAccept, AppRejected, AppAttemptFinished, AppAttemptUnregistered), // the scheduler answers a recovery late
	lateApp(AppFailed, AppKill, AppNewSaved, AppAccept, AppRejected, AppAttemptFailed, AppAttemptKilled, AppAttemptFinished),
	lateApp(AppKilled, AppKill, AppNewSaved, AppAccept, AppRejected, AppAttemptFailed, AppAttemptKilled, AppAttemptFinished),
)

func lateApp(s AppState, events ...AppEvent) []appRule {
	return machine.Late[AppState, AppEvent, Case, AppAction](s, events...)
}

// App is an application's machine. The zero App is NEW.
type App struct {
	State AppState
	// Target is the state after FINAL_SAVING.
	Target AppState
}

// Step is the machine after an event, and the actions that follow.
func (m App) Step(e AppEvent, when Case) (App, []AppAction, error) {
	next, err := appTable.Step(m.State, m.Target, e, when)
	return App{next.State, next.Target}, next.Do, err
}
