package rpcenv

import (
	"context"
	"sync"

	"github.com/coherer/coherer/rpcenv/trace/record"
)

// Job is a program that Env.Go started.
type Job struct {
	b    *Blocking
	done chan struct{}

	mu     sync.Mutex
	err    error
	onDone []func(error)
}

// Go runs body outside all inboxes: a driver program, a test, a command. It ends with the Env.
func (e *Env) Go(name string, body func(*Blocking) error) *Job {
	b := e.newBlocking(context.Background(), name, record.ID{})
	j := &Job{b: b, done: make(chan struct{})}
	var err error
	b.start(name, func() { err = body(b) }, func(failure error) {
		if failure != nil {
			err = failure
		}
		j.finish(err)
	})
	return j
}

func (j *Job) finish(err error) {
	j.mu.Lock()
	j.err = err
	fs := j.onDone
	j.onDone = nil
	close(j.done) // under mu: OnDone either adds to the list that is called here, or finds done closed
	j.mu.Unlock()
	for _, f := range fs {
		f(err)
	}
}

// Stop makes the body's waits return ErrStopped.
func (j *Job) Stop() { j.b.cancel() }

// Done is closed after the body returned.
func (j *Job) Done() <-chan struct{} { return j.done }

// Err is the body's error after its end.
func (j *Job) Err() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.err
}

// OnDone calls f once with the body's error, at once if it has ended. In a simulation it is the way to wait.
func (j *Job) OnDone(f func(error)) {
	j.mu.Lock()
	select {
	case <-j.done:
		err := j.err
		j.mu.Unlock()
		f(err)
	default:
		j.onDone = append(j.onDone, f)
		j.mu.Unlock()
	}
}
