//coherer:pure

package fair

import "time"

// Schedulable is what a Policy needs to know of a queue or an application. Both embed it; their owner keeps it true. It
// mirrors Hadoop's interface Schedulable.
type Schedulable struct {
	Name      string        // the queue's full name, or the application's id: breaks ties
	Weight    float32       // 0 or less: it gets MinShare and no more
	Priority  int32         // an application's; 1 for all in practice
	StartTime time.Duration // of an application, since the scheduler's epoch; 0 for queues

	Usage    Resource // what its containers have, without those that are marked for preemption
	Demand   Resource // what it has and wants besides
	MinShare Resource
	MaxShare Resource // Unbounded for an application

	Inactive bool // a queue without a runnable application: it gets no instantaneous share

	FairShare       Resource // what it may have now; written by Policy.ComputeShares
	SteadyFairShare Resource // what a queue might have if all were active; written by Policy.ComputeSteadyShares
}
