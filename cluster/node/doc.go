// Package node runs daemons. Master, Worker, ResourceManager and NodeManager make a daemon's Env and role on any Host, a simulated
// one as well; RunMaster and its like are whole processes: Env, role, membership, trace, the ready line, and the end in good
// order; Launch makes a process an executor.
//
// A daemon ends when its context does, when its role decides so (an *ExitError with the code), or with the process that
// started it. Errors of its start say what to change.
//
// # Differences from Spark
//
//   - Without spark.local.dir and SPARK_LOCAL_DIRS executors' blocks lie in the work directory, and go with it; Spark's lie in
//     /tmp. (TestWhatAnApplicationSaidStaysWhatItHadGoes)
//   - The clean-up of the work directory removes only directories with the output of an executor or driver; Spark's every old
//     one. (TestOnlyOldDirectoriesOfApplicationsAreCleanedUp)
//   - A work directory that cannot be written ends the Worker at its start; Spark's when the first executor comes.
//     (TestAWorkDirectoryThatCannotBeUsedIsAnErrorThatHelps)
//
// # Differences from Hadoop
//
//   - A ResourceManager has one port, Hadoop's 8032, for clients, NodeManagers and application masters: all its endpoints live in
//     one Env. Hadoop has 8031 and 8030 for the last two. (TestAResourceManagerHasOnePort)
//   - The containers of a NodeManager end with it, however it ends: the script of each leaves behind a shell that waits for
//     that. There is no yarn.nodemanager.recovery.enabled. (TestKillingANodeManagerEndsItsContainers)
//   - On SIGTERM the shell of a container waits for its command; Hadoop's dies, which makes no difference there, since what is
//     left of a process group has the same time. (TestACommandHasItsTimeToEnd)
//   - A NodeManager that ends removes its files in its local directories; Hadoop's next one does.
//     (TestANodeManagerRunsContainers)
package node
