//coherer:pure

package fair

import "time"

// schedulable is a policy's view of a queue or an application. Both embed it; their owner keeps it up to date. It mirrors Hadoop's
// interface Schedulable.
type schedulable struct {
	Name      string        // the queue's full name, or the application's id: breaks ties
	Weight    float32       // 0 or less: it gets MinShare and no more
	Priority  int32         // an application's; 1 for all in practice
	StartTime time.Duration // of an application, since the scheduler's epoch; 0 for queues

	Usage    Resource // the sum of its containers, with those marked for preemption
	Demand   Resource // Usage and the open asks
	MinShare Resource
	MaxShare Resource // unbounded for an application

	Inactive bool // a queue without a runnable application: it gets no instantaneous share

	FairShare       Resource // its share now; written by schedulingPolicy.ComputeShares
	SteadyFairShare Resource // a queue's share if all were active; written by schedulingPolicy.ComputeSteadyShares
}
