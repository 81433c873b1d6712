//coherer:pure

package exclude

// Kind is what happened to an executor or a node.
type Kind int

// The kinds of Event; each is named after the event of SparkListener. Spark posts each of them a second time under its older name,
// with Blacklisted for Excluded.
const (
	ExecutorExcluded Kind = iota + 1
	ExecutorUnexcluded
	NodeExcluded
	NodeUnexcluded
	ExecutorExcludedForStage
	NodeExcludedForStage
)

// String is the kind as SparkListener names it.
func (k Kind) String() string {
	switch k {
	case ExecutorExcluded:
		return "ExecutorExcluded"
	case ExecutorUnexcluded:
		return "ExecutorUnexcluded"
	case NodeExcluded:
		return "NodeExcluded"
	case NodeUnexcluded:
		return "NodeUnexcluded"
	case ExecutorExcludedForStage:
		return "ExecutorExcludedForStage"
	case NodeExcludedForStage:
		return "NodeExcludedForStage"
	}
	return "Unknown"
}

// Event reports that an executor or a node was excluded, or no longer is.
type Event struct {
	Kind Kind
	// Executor or Node is the one that it is about; the other is "".
	Executor, Node string
	// Failures are the tasks that failed on the executor, or the executors of the node that are excluded. 0 for the end of an
	// exclusion.
	Failures int
	// Stage and Attempt are those of the kinds ForStage.
	Stage, Attempt int32
	// Text is the line for the driver's log.
	Text string
}

// Kill asks for the end of an executor, or of all executors of a node. Neither changes how many executors are wanted, none counts
// as a failure of the application, and executors end though they have tasks.
type Kill struct {
	// Executor or Node; the other is "".
	Executor, Node string
	// Decommission lets them move their blocks away first.
	Decommission bool
	// Reason is the line for the driver's log.
	Reason string
}

// Outcome is what follows from a call: the events, and the executors and nodes to be ended, both in order. Of a call that changed nothing
// it is empty.
type Outcome struct {
	Events []Event
	Kills  []Kill
}

// Exclusion is an executor or a node that gets no tasks, for people.
type Exclusion struct {
	// Executor or Node; the other is "".
	Executor, Node string `json:",omitempty"`
	// Task is the index of the only task that it does not get, All otherwise.
	Task int
	// Until is when the exclusion ends, in milliseconds of the Unix epoch; 0: with the task set.
	Until int64 `json:",omitempty"`
	// Why names what failed, and the setting that makes it too much.
	Why string
}

// All is the Task of an Exclusion from all tasks.
const All = -1

// ForStage reports whether an event is about one attempt of a stage alone.
func (e Event) ForStage() bool {
	return e.Kind == ExecutorExcludedForStage || e.Kind == NodeExcludedForStage
}
