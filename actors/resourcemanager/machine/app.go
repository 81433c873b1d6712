//coherer:pure

package machine

import "slices"

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
	return nameOf(int(s), "NEW", "NEW_SAVING", "SUBMITTED", "ACCEPTED", "RUNNING", "FINAL_SAVING", "FINISHING", "FINISHED",
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
	return nameOf(int(e), "START", "RECOVER", "KILL", "APP_REJECTED", "APP_NEW_SAVED", "APP_ACCEPTED", "ATTEMPT_REGISTERED",
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
	return nameOf(int(a), "StoreApp", "AddToQueue", "StartAttempt", "KillAttempt", "StoreFinal", "RememberNode", "CleanUpNode",
		"CleanUpApp", "RecoverInQueue")
}

type appRule = rule[AppState, AppEvent, AppAction]

var appTable = tableOf(slices.Concat([]appRule{
	{from: []AppState{AppNew}, on: AppStart, to: AppNewSaving, do: []AppAction{StoreApp}},
	{from: []AppState{AppNew}, on: AppRecover, to: AppSubmitted, do: []AppAction{RecoverInQueue}},
	{from: []AppState{AppNew}, on: AppRecover, when: Attempted, to: AppAccepted, do: []AppAction{RecoverInQueue}},
	// No CleanUpApp: the scheduler of this life has never had them, and nodes that keep something report it as they register.
	{from: []AppState{AppNew}, on: AppRecover, when: WasFinished, to: AppFinished},
	{from: []AppState{AppNew}, on: AppRecover, when: WasFailed, to: AppFailed},
	{from: []AppState{AppNew}, on: AppRecover, when: WasKilled, to: AppKilled},
	{from: []AppState{AppNew}, on: AppKill, to: AppKilled, do: []AppAction{CleanUpApp}},
	{from: []AppState{AppNew, AppNewSaving, AppSubmitted}, on: AppRejected, to: AppFinalSaving, target: AppFailed, do: []AppAction{StoreFinal}},
	{from: []AppState{AppNewSaving}, on: AppNewSaved, to: AppSubmitted, do: []AppAction{AddToQueue}},
	{from: []AppState{AppNewSaving, AppSubmitted}, on: AppKill, to: AppFinalSaving, target: AppKilled, do: []AppAction{StoreFinal}},
	{from: []AppState{AppSubmitted}, on: AppAccept, to: AppAccepted, do: []AppAction{StartAttempt}},
	{from: []AppState{AppAccepted}, on: AppAccept, to: AppAccepted}, // of a recovered one: it has its attempt
	{from: []AppState{AppAccepted}, on: AppAttemptRegistered, to: AppRunning},
	{from: []AppState{AppAccepted, AppRunning}, on: AppAttemptFailed, when: Retry, to: AppAccepted, do: []AppAction{StartAttempt}},
	{from: []AppState{AppAccepted, AppRunning}, on: AppAttemptFailed, to: AppFinalSaving, target: AppFailed, do: []AppAction{StoreFinal}},
	// Of a recovered one: the settings of queues may have changed meanwhile, while its attempt runs on.
	{from: []AppState{AppAccepted, AppRunning}, on: AppRejected, to: AppFinalSaving, target: AppFailed, do: []AppAction{KillAttempt, StoreFinal}},
	{from: []AppState{AppAccepted}, on: AppAttemptFinished, to: AppFinalSaving, target: AppFinished, do: []AppAction{StoreFinal}},
	{from: []AppState{AppAccepted, AppRunning}, on: AppKill, to: AppKilling, do: []AppAction{KillAttempt}},
	{from: []AppState{AppAccepted}, on: AppAttemptKilled, to: AppFinalSaving, target: AppKilled, do: []AppAction{StoreFinal}},
	{from: []AppState{AppRunning}, on: AppAttemptUnregistered, to: AppFinalSaving, target: AppFinishing, do: []AppAction{StoreFinal}},
	{from: []AppState{AppRunning}, on: AppAttemptFinished, to: AppFinished, do: []AppAction{CleanUpApp}},
	// Its ApplicationMaster was quicker than the record: nothing is left to wait for in FINISHING.
	{from: []AppState{AppFinalSaving}, then: AppFinishing, on: AppAttemptFinished, to: AppFinalSaving, target: AppFinished},
	{from: []AppState{AppFinalSaving}, on: AppAttemptFinished, to: stay},
	{from: []AppState{AppFinalSaving}, then: AppFinishing, on: AppUpdateSaved, to: AppFinishing}, // CleanUpApp comes when its ApplicationMaster has exited
	{from: []AppState{AppFinalSaving}, then: AppFinished, on: AppUpdateSaved, to: AppFinished, do: []AppAction{CleanUpApp}},
	{from: []AppState{AppFinalSaving}, then: AppFailed, on: AppUpdateSaved, to: AppFailed, do: []AppAction{CleanUpApp}},
	{from: []AppState{AppFinalSaving}, then: AppKilled, on: AppUpdateSaved, to: AppKilled, do: []AppAction{CleanUpApp}},
	{from: []AppState{AppFinishing}, on: AppAttemptFinished, to: AppFinished, do: []AppAction{CleanUpApp}},
	{from: []AppState{AppKilling}, on: AppAttemptKilled, to: AppFinalSaving, target: AppKilled, do: []AppAction{StoreFinal}},
	{from: []AppState{AppKilling}, on: AppAttemptFailed, to: AppFinalSaving, target: AppKilled, do: []AppAction{StoreFinal}},
	{from: []AppState{AppKilling}, on: AppAttemptUnregistered, to: AppFinalSaving, target: AppFinishing, do: []AppAction{StoreFinal}},
	{from: []AppState{AppAccepted, AppRunning, AppFinalSaving, AppFinishing, AppKilling}, on: AppRunningOnNode, do: []AppAction{RememberNode}, to: stay},
	// CleanUpApp served the nodes that were known then; one that comes up later has to be cleaned up by itself.
	{from: []AppState{AppFinished, AppFailed, AppKilled}, on: AppRunningOnNode, do: []AppAction{CleanUpNode}, to: stay},
},
	lateApp(AppFinalSaving, AppKill, AppNewSaved, AppAccept, AppRejected, AppAttemptFailed, AppAttemptKilled),
	lateApp(AppFinishing, AppKill),
	lateApp(AppKilling, AppKill, AppAttemptRegistered),
	lateApp(AppFinished, AppKill, AppAccept, AppRejected, AppAttemptFinished, AppAttemptUnregistered), // the scheduler answers a recovery late
	lateApp(AppFailed, AppKill, AppNewSaved, AppAccept, AppRejected, AppAttemptFailed, AppAttemptKilled, AppAttemptFinished),
	lateApp(AppKilled, AppKill, AppNewSaved, AppAccept, AppRejected, AppAttemptFailed, AppAttemptKilled, AppAttemptFinished),
)...)

func lateApp(s AppState, events ...AppEvent) []appRule {
	return late[AppState, AppEvent, AppAction](s, events...)
}

// App is an application's machine. The zero App is NEW.
type App struct {
	State AppState
	// Target is the state after FINAL_SAVING.
	Target AppState
}

// Step is the machine after an event, and the actions that follow.
func (m App) Step(e AppEvent, when Case) (App, []AppAction, error) {
	to, target, do, err := appTable.step("the application", m.State, m.Target, e, when)
	return App{to, target}, do, err
}
