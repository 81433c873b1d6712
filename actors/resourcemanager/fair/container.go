//coherer:pure

package fair

import "github.com/coherer/coherer/actors/ids"

// Diagnostics that go with an exit status, in Hadoop's words: scripts look for them.
const (
	DiagnosticsReleased  = "Container released by application"
	DiagnosticsLost      = "Container released on a *lost* node"
	DiagnosticsPreempted = "Container preempted by scheduler"
	DiagnosticsCompleted = "Container of a completed application"
	DiagnosticsExpired   = "Container expired since it was unused"
	// DiagnosticsNotAsked is our own: it was given, and before its application heard of it it asked for fewer.
	DiagnosticsNotAsked = "Container not asked for any more"
)

// Cause is why a container has gone; the machine of containers has an event for each.
type Cause int

// The causes, with the events of Hadoop's RMContainer.
const (
	Finished Cause = iota // its node said that it ended
	Released              // its application gave it back
	Killed                // the scheduler took it: node lost, preempted, application over
	Expired               // its application did not use it in time
)

var causes = [...]string{Finished: "FINISHED", Released: "RELEASED", Killed: "KILL", Expired: "EXPIRE"}

func (c Cause) String() string { return causes[c] }

// EventKind says what an Event tells.
type EventKind int

// The kinds.
const (
	Allocated  EventKind = iota // a container was given to an application, which does not know of it yet
	Reserved                    // a node is kept for an application until the container fits
	Unreserved                  // a reservation was given up, or fulfilled: then Allocated with the same container follows
	Gone                        // a container has left the books
	Marked                      // a container is to be preempted: its application is warned
	CleanUp                     // a node has a container that nobody knows: it is to end it
	Runnable                    // an application that had to wait may run now; Container is zero
)

var eventKinds = [...]string{
	Allocated: "allocated", Reserved: "reserved", Unreserved: "unreserved", Gone: "gone", Marked: "marked", CleanUp: "clean up", Runnable: "runnable",
}

func (k EventKind) String() string { return eventKinds[k] }

// Event is one thing that a call decided. Events come in the order of the decisions. ExitStatus, Diagnostics and Cause belong
// to Gone.
type Event struct {
	Kind        EventKind
	Container   ids.Container
	Attempt     ids.Attempt // the attempt that has it now, which is not the one of its id when an earlier one left it
	Node        string
	Resource    Resource
	Key         Key
	AM          bool // it is an ApplicationMaster's
	ExitStatus  int32
	Diagnostics string
	Cause       Cause
}

// Container is a container as an application is given it.
type Container struct {
	ID       ids.Container
	Node     string // as AddNode named it
	Host     string
	Resource Resource
	Key      Key
	AM       bool
}

// End is how a container ended.
type End struct {
	ExitStatus  int32
	Diagnostics string
	Cause       Cause
}

// container is what the scheduler keeps of one.
type container struct {
	Container
	app  *app
	node *node

	taken    *taken // what to put back; nil once the application has it
	reserved bool   // it is a reservation
	launched bool
	marked   bool // for preemption
	gone     bool

	born          int64 // counts allocations: the later the newer
	inNode, inApp int   // where it is in node.containers and app.live
}

func (s *Scheduler) tell(kind EventKind, c *container) {
	s.events = append(s.events, Event{
		Kind: kind, Container: c.ID, Attempt: c.app.id, Node: c.Node, Resource: c.Resource, Key: c.Key, AM: c.AM,
	})
}
