// Package executor is the executor's side of a driver: it registers, runs tasks, keeps their map outputs and sends
// heartbeats.
//
// An executor's process goes the way of org.apache.spark.executor.CoarseGrainedExecutorBackend: a short-lived Env in
// client mode, the fetcher, asks the driver for its settings (FetchConfig); a second one looks the driver's endpoints up
// and has the endpoint Executor (Start). It never listens: the driver talks to it over the connection that it opened. Only
// its blocks are served at an address of their own.
//
// A task computes a partition of a job's lineage (package rdd). What it reads and writes it gets from IO, which package
// cluster supplies. Tasks run as bodies of rpcenv.Run, one a core; the endpoint itself only keeps books.
//
// # Differences from Spark
//
//   - The closure of a task is the name of a job and its argument, inside LaunchTask. There is no broadcast.
//     (TestAnUnknownJobFails, TestALineageThatDiffersFailsWithItsLines)
//   - A map output on the same machine is fetched like any other, over the block port; Spark reads the other executor's
//     files (GetLocalDirsForExecutors). (TestAMapOutputOfAnotherExecutorHereIsFetchedLikeAnyOther)
//   - A result always travels in StatusUpdate, up to 32 MiB, and a larger one fails its job; Spark stores results over 1 MiB
//     as a block. (TestAResultThatTheDriverCannotGetSaysSizeLimitAndRemedy)
//   - An executor that never reached its driver ends with exit code 61, so that the Master can name that; Spark's with 1.
//     (TestAnExecutorThatNeverReachesItsDriverEndsWithACodeOfItsOwn)
//   - A decommissioned executor migrates no blocks (spark.storage.decommission.enabled): what reducers miss is computed again.
//     It asks for no peers, and ends when no task is left. (TestAnIdleDecommissionedExecutorEndsAfterASecond)
package executor
