// Package numbers numbers the jobs of an application. Programs submit them from several goroutines, outside all endpoints, and must know
// the number of a job before its end, to cancel it (DAGScheduler.nextJobId of Spark).
package numbers

import "sync/atomic"

// Jobs gives each job a number, from 0. The zero Jobs is ready; several goroutines may use it.
type Jobs struct{ next atomic.Int32 }

// Next is the number of the next job.
func (j *Jobs) Next() int32 { return j.next.Add(1) - 1 }
