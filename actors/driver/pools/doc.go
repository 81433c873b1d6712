// Package pools orders task sets for service as Spark's pools do: by job and stage (FIFO), or by pools with weights and minimum
// shares (FAIR). It mirrors org.apache.spark.scheduler.{Pool, SchedulableBuilder, SchedulingAlgorithm}.
//
// A Tree has a leaf for each task set. Its owner reports the start and the end of each attempt of a task to the leaf, so that the
// pools know how many tasks run; then Sorted is the order in which sets get cores. Under FIFO there are no pools, and the order is
// that of jobs, then stages, then attempts of a stage. Under FAIR each set is in a pool of its job's choice; pools come first by
// what they lack of their minimum share, then by the tasks that run per weight, then by name, and the sets of a pool follow each
// other by the pool's own mode. A Tree does not know which sets have tasks to start: its owner skips those that have none.
//
// Parse reads an allocation file, which says what pools there are. Values that are wrong there count as unset, and a Line says
// so; a file that is no XML is an error. Nothing here logs: what Spark would log comes back as Lines.
//
// A Tree is for one goroutine.
package pools
