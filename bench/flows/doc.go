// Package flows measures the protocol's own conversations for `coherer bench`. One process is the role: the real endpoints of a
// Master, a driver or a ResourceManager. The other one is its peers, as many as the spec has pairs: hollow ones, each with an Env and a
// connection of its own.
//
// # What one operation is
//
// A peer has at most one operation under way, and the peers take turns, so all of them take part also when few operations are
// under way at once.
//
//   - register-worker: from RegisterWorker, on a connection whose first question the Master's verifier has answered, until
//     RegisteredWorker came. The Master's books hold as many Workers as there are peers, and each operation registers one more: a new
//     process of a Worker with a new id, which takes the place of the Worker that has been there longest. That one leaves by closing its connection,
//     as a Worker that ends. The coming and going of Envs and connections is in the rate, the CPU time and the allocations, not in
//     the latency.
//   - heartbeat: from a registered Worker's Heartbeat until the Master has handled it. In Spark nothing answers it: here the Master's
//     process acknowledges each by one small message, which is in the figures. Without it nothing would be known of one heartbeat,
//     and nothing would keep Workers from sending more than the Master can take.
//   - launch-executor: from when an application's driver sends KillExecutors of one executor until ExecutorUpdated says that the one in
//     its place is RUNNING. The Master decides on that one in the same handler: it orders KillExecutor, and LaunchExecutor of a Worker, which
//     reports ExecutorStateChanged RUNNING at once; the report of the killed one comes in later. One application has an executor for
//     each Worker; a Worker has two cores, so that the Master has a choice.
//   - launch-task: from an executor's StatusUpdate FINISHED until the LaunchTask that fills the core again. In between the driver has taken
//     the result, and its scheduler has chosen and sent the next task: each operation has one LaunchTask and, as of a real executor, the
//     StatusUpdates RUNNING and FINISHED. An executor has one core. The driver always has tasks: it runs jobs of 20,000 empty ones, two
//     at a time, which the DAGScheduler makes and ends meanwhile. Executors compute nothing: they hold a task until its turn comes.
//   - allocate-container: from when an ApplicationMaster wants a container until an AllocateResponse of the ResourceManager has it. The
//     ApplicationMaster works in rounds: one AllocateRequest asks for all that are wanted and gives the containers of the round before
//     back, each node whose turn it is sends a heartbeat, on which the FairScheduler gives one container, and another AllocateRequest fetches them. So the
//     latency is about that of two rounds, and a round has about half of the containers that are in flight. Nodes have 8 GiB and 8
//     cores, containers 1 GiB and one core; nothing is started on a node. The ApplicationMaster also wants containers on a host that is not
//     there. The FairScheduler computes every 500 ms what an application demands, and without them would often pass it over until then.
//
// # What is the same in all
//
// The role counts what it has handled, and a trial whose two sides disagree is none. Roles and peers log errors alone. The role's
// time-outs of silent peers are raised to a day, since the hollow ones send no heartbeats but those that are measured. The rest are the
// default settings.
package flows
