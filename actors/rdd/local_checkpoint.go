package rdd

// ActionLocalCheckpoint has each task compute and keep the partition of a LocalCheckpoint. A driver runs it for the partitions that a job,
// which has ended well, has not needed; programs never do.
const ActionLocalCheckpoint Action = "localCheckpoint"

// LocalCheckpoint is d itself, whose partitions the executors keep, in memory and what has no room there on disk, once the first job that
// uses it has ended well. Partitions that the job did not need are computed by a second one. From then on its lineage is cut: later jobs
// read what is kept and compute nothing of what d is made of. It is quicker than Checkpoint and survives less: when an executor is lost,
// jobs that read its partitions fail. It mirrors RDD.localCheckpoint, with LocalRDDCheckpointData and LocalCheckpointRDD.
//
// Which later jobs these are is as with Persist. After Unpersist the next job computes d anew. A Local runner keeps the partitions too.
func LocalCheckpoint[T any](d Dataset[T]) Dataset[T] {
	kept := Persist(d, MemoryAndDisk)
	n := kept.node
	n.op = "LocalCheckpoint"
	n.persist.local = true
	n.persist.write = func(r *run, partition int) (res Result) {
		for range kept.iterate(r, partition) {
			res.Count++
		}
		return res
	}
	return kept
}
