package rdd

import (
	"errors"
	"fmt"
	"iter"
	"runtime/debug"
	"time"
)

// run is the state of one task while its iterators run. Sequences carry no errors, so an error leaves them by a panic
// that Lineage.run recovers; err is kept too, in case that a user's function swallowed the panic.
type run struct {
	task    Task
	lineage *Lineage
	split   split
	// sizes are the numbers of partitions of the nodes of the stage.
	sizes []int
	// at is the number of the node whose user function runs, or outside. Each record sets it several times: the garbage collector would
	// look at every store of a pointer, and looks at none of a number.
	at    int
	ticks uint32
	// records were read that Task.Read does not have yet.
	records int64
	action  *namedEntry                    // whose function runs, when at says so
	sums    []interface{ update() Update } // of accumulators
	err     error

	metrics *Metrics
	memory  int64      // that all budgets use
	open    []*spilled // temporary files
}

// run.at while no user function of a node runs: none at all, or one of the action.
const (
	outside  = -1
	ofAction = -2
)

// inAction notes that a function of the action runs.
func (r *run) inAction(e *namedEntry) { r.at, r.action = ofAction, e }

// number is the number of a node in the lineage.
func (r *run) number(n *node) int { return r.lineage.number[n] }

// pieces are the partitions of the parents of n of which one of its own is made.
func (r *run) pieces(n *node, partition int) []piece {
	return n.narrow.pieces(r.lineage.counts(r.number(n), r.sizes), partition)
}

// place finds where the task stands in the lineage. The task comes from a peer and may not fit.
func (r *run) place() error {
	t, l := r.task, r.lineage
	var readable bool
	if r.split, readable = decodeSplit(t.Split); !readable {
		return fmt.Errorf("%w: the split of partition %d of node %d of job %s cannot be read", ErrBadTask, t.Partition, t.Node, l.Job)
	}
	var err error
	if r.sizes, err = l.sizes(t.Node, r.split.counts); err != nil {
		return err
	}
	switch n := r.sizes[t.Node]; {
	case n == unknown:
		return fmt.Errorf("%w: the split of partition %d of node %d of job %s lacks a file", ErrBadTask, t.Partition, t.Node, l.Job)
	case t.Partition < 0 || t.Partition >= n:
		return fmt.Errorf("%w: node %d of job %s has no partition %d", ErrBadTask, t.Node, l.Job, t.Partition)
	}
	return nil
}

// stopped is the private panic of run.fail.
type stopped struct{}

func (l *Lineage) run(t Task, body func(*run)) (err error) {
	r := &run{task: t, lineage: l, at: outside, metrics: t.Metrics}
	if r.metrics == nil {
		r.metrics = &Metrics{}
	}
	if err := r.place(); err != nil {
		return err
	}
	defer r.closeSpills()
	defer func() {
		value := recover()
		if _, ok := value.(Unwinder); ok { // the end of the process that the task is a part of
			panic(value)
		}
		switch {
		case r.err != nil: // before value: it is the panic of fail, or a user's function replaced it
			err = r.err
		case value != nil:
			err = r.userError(value)
		}
	}()
	body(r)
	r.report()
	if len(r.sums) > 0 && t.Accumulated != nil {
		t.Accumulated(r.updates())
	}
	return nil
}

// Unwinder is a panic by which a runtime ends a body at once, as at the end of its process. A task lets it pass.
type Unwinder interface{ Unwinds() }

func (r *run) userError(value any) error {
	e := &UserError{Value: value, Stack: debug.Stack(), Node: r.task.Node, Op: "task", Func: r.lineage.Job}
	switch r.at {
	case outside:
	case ofAction:
		e.Op, e.Func = r.action.kind+" "+r.action.name, r.action.function
	default:
		n := r.lineage.nodes[r.at]
		e.Node, e.Op, e.Func = r.at, n.op, n.fn
	}
	return e
}

// fail ends the task with err.
func (r *run) fail(err error) {
	r.err = err
	panic(stopped{})
}

// doneEvery is how many records pass before a task looks whether it is still wanted. Slow functions make each record long, so it
// is small; each record would cost a quick function more than its own work.
const doneEvery = 16

// tick is called for each record of a source, of a shuffle and of a function that may give many.
func (r *run) tick() {
	if r.ticks++; r.ticks%doneEvery == 0 {
		r.check()
	}
}

// read is called for each record of a text file or a shuffle.
func (r *run) read() {
	r.records++
	r.tick()
}

func (r *run) report() {
	if r.records > 0 && r.task.Read != nil {
		r.task.Read.n.Add(r.records)
		r.records = 0
	}
}

func (r *run) check() {
	r.report()
	if r.task.Done == nil {
		return
	}
	if err := r.task.Done(); err != nil {
		r.fail(err)
	}
}

func (r *run) sleep(d time.Duration) {
	if d <= 0 {
		return
	}
	if r.task.Sleep == nil {
		r.fail(fmt.Errorf("%w: no clock to sleep by: set Task.Sleep", ErrBadTask))
	}
	if err := r.task.Sleep(d); err != nil {
		r.fail(err)
	}
}

// fetch gives the records of a partition of the shuffle that ends at node n.
func fetch[T any](r *run, n *node, partition int, c codec[T]) iter.Seq[T] {
	return func(yield func(T) bool) {
		shuffle := r.lineage.shuffleOf[n]
		if r.task.Fetch == nil {
			r.fail(fmt.Errorf("%w: nothing to fetch shuffle %d with", ErrBadTask, shuffle)) // which does not return
		}
		s := stream[T]{codec: c}
		for block, err := range r.task.Fetch(shuffle, partition) {
			if err != nil {
				r.fail(err)
			}
			s.open(block)
			for {
				v, ok, err := s.next()
				if errors.Is(err, ErrCorrupt) {
					err = fmt.Errorf("block of shuffle %d for reducer %d: %w", shuffle, partition, err)
				}
				if err != nil {
					r.fail(err)
				}
				if !ok {
					break
				}
				r.read()
				r.metrics.ShuffleRecordsRead++
				if !yield(v) {
					return
				}
			}
			r.metrics.ShuffleBytesRead += s.size
		}
	}
}
