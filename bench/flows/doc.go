// Package flows measures the protocol's own conversations for `coherer bench`. One process is the role: the real endpoints of a
// Master, a driver or a ResourceManager. The other process is its hollow peers, as many as the spec has pairs, each with an Env and a
// connection of its own.
//
// # What one operation is
//
// A peer has at most one operation under way, and the peers take turns, so all of them take part also when few operations are
// under way at once.
//
//   - register-worker: from RegisterWorker until RegisteredWorker arrives, on a connection whose first question the Master's verifier has
//     answered. The Master's books hold as many Workers as there are pairs. Each operation registers one more, with a new Env and a new
//     id; then the Worker registered longest closes its connection, as a Worker that ends. The coming and going of Envs and connections
//     is in the rate, the CPU time and the allocations, not in the latency.
//   - heartbeat: from a registered Worker's Heartbeat until the Master has handled it. Spark answers no Heartbeat. Here the Master's
//     process acknowledges each by one small message, which is in the figures. Without it a Worker could not time a Heartbeat, and could
//     send more than the Master can take.
//   - launch-executor: from an application's KillExecutors of one executor until ExecutorUpdated says that its successor is RUNNING. The
//     Master chooses the successor in the same handler: it sends KillExecutor, and LaunchExecutor to a Worker, which reports
//     ExecutorStateChanged RUNNING at once; the report of the killed executor arrives later. One application has an executor for each
//     Worker; a Worker has two cores, so that the Master has a choice.
//   - launch-task: from an executor's StatusUpdate FINISHED until the LaunchTask that fills the core again. In between the driver takes the
//     result, and its scheduler chooses and sends the next task. Each operation has one LaunchTask and, like a real executor, the
//     StatusUpdates RUNNING and FINISHED. An executor has one core. The driver always has tasks: it runs jobs of 20,000 empty tasks, two
//     jobs at a time, which the DAGScheduler makes and ends meanwhile. Executors compute nothing: they hold a task until its turn comes.
//   - allocate-container: from when an ApplicationMaster wants a container until an AllocateResponse of the ResourceManager has it. The
//     ApplicationMaster works in rounds. One AllocateRequest asks for all wanted containers and gives back those of the round before. Each
//     node whose turn it is sends a heartbeat, on which the FairScheduler gives one container. Another AllocateRequest fetches them. So the
//     latency is about two rounds, and a round has about half of the containers in flight. Nodes have 8 GiB and 8 cores, containers 1 GiB
//     and one core; nothing is started on a node. The ApplicationMaster also wants containers on a host that does not exist: the
//     FairScheduler computes the demand of an application every 500 ms, and without these would often pass it over until then.
//
// # What is the same in all
//
// The role counts what it has handled, and a trial whose two sides disagree fails. Roles and peers log errors alone. The role's time-outs
// of silent peers are raised to a day, since hollow peers send only the heartbeats that are measured. All other settings have their
// defaults.
package flows
