// Package numbers numbers the jobs of an application. Programs submit them from several goroutines, outside all endpoints, and must know
// the number of a job before its end, to cancel it (DAGScheduler.nextJobId of Spark).
package numbers

import "sync/atomic"

// Jobs gives each job a number, from 0. The zero Jobs is ready; several goroutines may use it.
type Jobs struct{ next, open atomic.Int32 }

// Begin notes that the program waits for a job, until the function that it returns is called.
func (j *Jobs) Begin() (end func()) {
	j.open.Add(1)
	return func() { j.open.Add(-1) }
}

// Waiting reports whether the program waits for a job.
func (j *Jobs) Waiting() bool { return j.open.Load() > 0 }

// Next is the number of the next job.
func (j *Jobs) Next() int32 { return j.next.Add(1) - 1 }
