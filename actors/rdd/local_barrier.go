package rdd

import (
	"errors"
	"fmt"
	"iter"
)

// localBarrier is a barrier stage of Local: its tasks are coroutines, which go on in turn from barrier to barrier.
type localBarrier struct {
	tasks []*localTask
}

// localTask is a task that runs, waits at a barrier or has ended.
type localTask struct {
	of      *localBarrier
	resume  func() (struct{}, bool)
	stop    func()
	yield   func(struct{}) bool
	ended   bool
	gather  bool
	message string
	all     []string // the messages that it gets
	err     error
}

var errLeft = errors.New("another task of the stage has ended")

// runBarrier runs the tasks of a stage side by side. It returns the first error.
func runBarrier(tasks []Task, run func(i int, t Task) error) error {
	b := &localBarrier{}
	for i, t := range tasks {
		one := &localTask{of: b}
		t.Barriers = one
		one.resume, one.stop = iter.Pull(func(yield func(struct{}) bool) {
			one.yield = yield
			one.err = run(i, t)
		})
		defer one.stop()
		b.tasks = append(b.tasks, one)
	}
	for {
		ended := 0
		for _, t := range b.tasks {
			if _, waits := t.resume(); !waits {
				t.ended = true
				ended++
			}
			if t.err != nil {
				return t.err
			}
		}
		switch {
		case ended == len(b.tasks):
			return nil
		case ended > 0:
			return fmt.Errorf("%w: of %d tasks of a barrier stage %d have ended, and the others wait for them at a barrier", ErrBarrier, len(b.tasks), ended)
		}
		if err := b.pass(); err != nil {
			return err
		}
	}
}

// pass gives all tasks, which all wait, what they wait for.
func (b *localBarrier) pass() error {
	messages := make([]string, len(b.tasks))
	for i, t := range b.tasks {
		messages[i] = t.message
		if t.gather != b.tasks[0].gather {
			return fmt.Errorf("%w: Different barrier sync types found. Please use the same barrier sync type within a single sync.", ErrBarrier)
		}
	}
	for _, t := range b.tasks {
		t.all = messages
	}
	return nil
}

// Sync waits for the others.
func (t *localTask) Sync(message string, gather bool) ([]string, error) {
	t.message, t.gather = message, gather
	if !t.yield(struct{}{}) {
		return nil, errLeft
	}
	return t.all, nil
}

// Addresses are as many as there are tasks.
func (t *localTask) Addresses() []string {
	out := make([]string, len(t.of.tasks))
	for i := range out {
		out[i] = "localhost:0"
	}
	return out
}
