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
	// diagnosticsNotAsked is our own: the application asked for fewer before it pulled the container.
	diagnosticsNotAsked = "Container not asked for any more"
)

// Cause is the reason of a container's end; the machine of containers has an event for each.
type Cause int

// The causes, with the events of Hadoop's RMContainer.
const (
	Finished Cause = iota // its node reported its end
	Released              // its application gave it back
	Killed                // the scheduler took it: node lost, preempted, application over
	Expired               // its application did not use it in time
)

var causes = [...]string{Finished: "FINISHED", Released: "RELEASED", Killed: "KILL", Expired: "EXPIRE"}

func (c Cause) String() string { return causes[c] }

// EventKind is the kind of an Event.
type EventKind int

// The kinds.
const (
	Allocated  EventKind = iota // a container was given to an application, which does not know of it yet
	Reserved                    // a node is kept for an application until the container fits
	Unreserved                  // a reservation was given up, or fulfilled: then Allocated with the same container follows
	Gone                        // a container has left the books
	Marked                      // a container will be preempted: its application is warned
	CleanUp                     // a node has an unknown container and has to end it
	Runnable                    // an application that had to wait may run now; Container is zero
)

var eventKinds = [...]string{
	Allocated: "allocated", Reserved: "reserved", Unreserved: "unreserved", Gone: "gone", Marked: "marked", CleanUp: "clean up", Runnable: "runnable",
}

func (k EventKind) String() string { return eventKinds[k] }

// Event is one decision of a call. Events come in the order of the decisions. ExitStatus, Diagnostics and Cause belong to Gone.
type Event struct {
	Kind        EventKind
	Container   ids.Container
	Attempt     ids.Attempt // the owner, which is not the attempt of its id if it inherited it
	Node        string
	Resource    Resource
	Key         Key
	AM          bool // it runs an ApplicationMaster
	ExitStatus  int32
	Diagnostics string
	Cause       Cause
}

// Container is a container as its application gets it.
type Container struct {
	ID       ids.Container
	Node     string // as AddNode named it
	Host     string
	Resource Resource
	Key      Key
	AM       bool
}

// End describes a container's end.
type End struct {
	ExitStatus  int32
	Diagnostics string
	Cause       Cause
}

// container is a container in the scheduler's books.
type container struct {
	Container
	app  *app
	node *node

	taken    *taken // the asks to put back if it ends now; nil once the application has it
	reserved bool   // it is a reservation
	launched bool
	marked   bool // for preemption
	gone     bool

	born          int64 // counts allocations: the later the newer
	inNode, inApp int   // its index in node.containers and app.live
}

// emit appends a decision about a container to the events of this call.
func (s *Scheduler) emit(kind EventKind, c *container) {
	s.events = append(s.events, Event{
		Kind: kind, Container: c.ID, Attempt: c.app.id, Node: c.Node, Resource: c.Resource, Key: c.Key, AM: c.AM,
	})
}
