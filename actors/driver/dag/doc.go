// Package dag has the endpoint DAGScheduler: it owns jobs and stages. A job's lineage is cut at its shuffles into stages;
// a stage whose shuffles are complete becomes a task set, which goes to CoarseGrainedScheduler, and the ends of the tasks
// come back. It mirrors org.apache.spark.scheduler.DAGScheduler, as an endpoint instead of an event loop of its own.
//
// # Datasets
//
// Jobs of one name, argument, lineage and state of the files that it reads are of one dataset, as the jobs of one RDD in Spark, and share
// its shuffles. Jobs that run at once share the stages that write them, too: each runs once, for the first of the jobs. A later job gets
// new stages, but skips those whose outputs are there: JobStart names them, and they are never submitted. An output that was lost
// meanwhile is made again. Files count as changed when their size or the time of their last change differs.
//
// Spark forgets a shuffle when the garbage collector has found that no program can name its RDD any more. Here the program can always
// name it again, so there is a bound: of the shuffles that no running job needs the latest coherer.shuffle.kept are kept, and the others
// leave MapOutputTracker (UnregisterShuffle, ShuffleForgotten). Their files stay with the executors.
//
// # Order
//
// DAGScheduler registers a map output with MapOutputTracker before it submits the tasks that read it, so no reducer asks
// too early. CoarseGrainedScheduler reports the ends of tasks before the loss of their executor.
//
// # Where tasks want to run
//
// A task says where it wants to run; package tasks decides how long it waits for that. rdd.Prefer comes first: DAGScheduler asks it once,
// with the splits, in a body. A task behind a shuffle prefers the hosts of the executors that have a fifth or more of what it fetches, if
// the shuffle has fewer than 1,000 map tasks and fewer than 1,000 reducers. A later attempt asks where the outputs lie then.
//
// # Failures
//
// A reducer that cannot fetch (FetchFailed) makes its task set a zombie. The output that it missed, and all others of that
// executor, are given up, and both stages are submitted again 200 ms later for the partitions that are missing. A stage
// that fails to fetch spark.stage.maxConsecutiveAttempts times without a success between fails its job. A lost executor's
// outputs are given up at once; a stage that already reads them finds out by FetchFailed, as in Spark.
//
// A failure to fetch gives up the outputs of the whole host, with spark.files.fetchFailure.unRegisterOutputOnHost, when the host is
// decommissioned or a shuffle service has its outputs (Config.ExternalShuffle); a service's outputs outlive their executors and go with
// the Worker. Failures to fetch from an executor that is decommissioned and still there do not count.
//
// A map stage that depends on a dataset which was marked indeterminate (rdd.Indeterminate) runs again as a whole when some of its outputs
// are lost, and so does a map stage that was made of them in part. A job that has some results of them fails: these cannot be taken back.
//
// # Barrier stages
//
// The tasks of a barrier stage (rdd.Barrier) start together or not at all. A job with one starts when the executors have a slot for each
// task: DAGScheduler asks CoarseGrainedScheduler, again after spark.scheduler.barrier.maxConcurrentTasksCheck.interval, and fails the job
// after maxFailures further checks. The failure of one task ends all of them (CancelTasks). A map stage drops its outputs and runs again; a
// stage that brings the result fails its job. Attempts are announced to barrierSync, where their tasks meet.
//
// # Cancellation
//
// JobCancelled, StageCancelled, JobGroupCancelled, JobTagCancelled and AllJobsCancelled fail jobs with "Job N cancelled ...", also jobs
// whose splits are still being computed. CancelTasks goes out for each stage that no other job needs: CoarseGrainedScheduler sends
// KillTask for what runs and starts no more of it. A task holds its core until its executor has reported its end. What it still brings
// changes nothing.
package dag
