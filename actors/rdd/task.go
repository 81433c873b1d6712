package rdd

import (
	"fmt"
	"io"
	"iter"
	"time"
)

// Action is what a result task does with the records of its partition, as it travels: a word, and what it is to know.
type Action string

// The actions.
const (
	ActionCollect Action = "collect" // bring the records to the driver
	ActionCount   Action = "count"   // bring their number

	// Others have what they need to know behind a space.
	actionTake         Action = "take"         // bring the first N
	actionLeast        Action = "least"        // bring the first N in an order
	actionGreatest     Action = "greatest"     // bring the last N in an order
	actionCountByKey   Action = "countByKey"   // bring how often each key comes
	actionCountByValue Action = "countByValue" // bring how often each record comes
	actionSketch       Action = "sketch"       // bring N keys, and how many there are
	actionSift         Action = "sift"         // bring a FRACTION of the keys
	actionAggregate    Action = "aggregate"    // do what was defined under NAME
)

// Result is what an action has of one partition.
type Result struct {
	// Count is the number of records that the action is to bring.
	Count int64
	// Records are these, encoded; none of ActionCount.
	Records []byte
}

// Task is one partition of one node to be computed, with what that needs. A Task is used once.
type Task struct {
	// Node is the number, in the lineage, of the node whose partition is computed; Partition counts from 0.
	Node, Partition int
	// Split is what Lineage.Splits gave for this partition.
	Split []byte
	// FS has the text files. Without a TextFile in the stage it may be nil.
	FS FS
	// Fetch gives the blocks of all map outputs of a shuffle (an index of Lineage.Shuffles) for one reducer, in order of
	// the map index; empty ones may be left out. A block is read before the next one is asked for, and not after. An error, also
	// one of reading, ends the task, which returns it unchanged. Without a shuffle before the stage Fetch may be nil.
	Fetch func(shuffle, reduce int) iter.Seq2[io.Reader, error]
	// Done, when not nil, is asked every 16 records and every chunk of a file; its error ends the task, which
	// returns it unchanged.
	Done func() error
	// Cache, when not nil, keeps the partitions of persisted nodes.
	Cache BlockCache
	// Checkpoints are the folders, by node, in which the partitions of Checkpoints lie. One without a folder is computed.
	Checkpoints map[int]string
	// Sleep is what the operation Sleep pauses by: virtual time in a simulation. Its error ends the task, which returns it
	// unchanged. Without a Sleep in the stage it may be nil.
	Sleep func(d time.Duration) error
	// Barriers are where a task of a barrier stage waits for the others; nil in other stages.
	Barriers Barriers
	// Output is where ActionSave and ActionCheckpoint write. For the other actions it may be nil.
	Output Output
	// OnInput, when not nil, is called with the size of each piece of a text file that was read, in bytes.
	OnInput func(bytes int64)
	// Read, when not nil, counts the records of text files and shuffles that were read: every few records, and the rest at the task's
	// end.
	Read *Counter
	// Memory is what the task may hold of its executor; nil: what it wants.
	Memory Memory
	// Spill has temporary files for what Memory refuses; nil: none, and the task holds all.
	Spill Spill
	// SpillAfter, when positive, is how many records or keys are held at most, whatever Memory has.
	SpillAfter int
	// Metrics, when not nil, are counted while the task runs.
	Metrics *Metrics
	// Accumulated, when not nil, gets what the task has added to accumulators, by name, when it has succeeded.
	Accumulated func([]Update)
}

// RunMap computes a partition of the map side of a shuffle, and writes one block of encoded records for each reducer that has some. The
// same task writes the same bytes each time, whatever memory it has. What it wrote counts only when RunMap returns nil. Errors: a
// *UserError, those of Fetch, Done and Sleep as they are, those of out, of Spill and of reading a file, ErrBadTask, ErrCorrupt.
func (l *Lineage) RunMap(t Task, shuffle int, out MapOutput) error {
	if shuffle < 0 || shuffle >= len(l.shuffles) {
		return fmt.Errorf("%w: job %s has no shuffle %d", ErrBadTask, l.Job, shuffle)
	}
	s := l.shuffles[shuffle]
	if t.Node != s.MapNode {
		return fmt.Errorf("%w: shuffle %d of job %s is written by node %d, not %d", ErrBadTask, shuffle, l.Job,
			s.MapNode, t.Node)
	}
	return l.run(t, func(r *run) {
		w := newMapWriter(r, out)
		l.nodes[s.Node].write(r, t.Partition, w)
		w.flush()
	})
}

// RunResult computes a partition of the last node and does the action with it; ActionCheckpoint and ActionLocalCheckpoint are of the node of
// a checkpoint. Errors are those of RunMap.
func (l *Lineage) RunResult(t Task, action Action) (res Result, err error) {
	if action == ActionCheckpoint || action == ActionLocalCheckpoint {
		return l.runCheckpoint(t)
	}
	if t.Node != l.Last() {
		return Result{}, fmt.Errorf("%w: the result of job %s is node %d, not %d", ErrBadTask, l.Job, l.Last(), t.Node)
	}
	do, err := l.result(action)
	if err != nil {
		return Result{}, fmt.Errorf("job %s: %w", l.Job, err)
	}
	err = l.run(t, func(r *run) { res = do(r) })
	if err != nil {
		return Result{}, err
	}
	return res, nil
}
