// Package nodemanager is YARN's NodeManager: it offers a machine's memory and cores to a ResourceManager, starts and ends the
// containers that ApplicationMasters bring it tokens for, and reports what becomes of them. It mirrors
// org.apache.hadoop.yarn.server.nodemanager: ContainerManagerImpl, NodeStatusUpdaterImpl, and the services behind them.
//
// Registration: look the endpoint ResourceTracker up by its verifier, register with the running containers, and begin the heartbeats.
// One that is not answered is repeated as it was, since the ResourceManager may have taken note of it. RESYNC registers again
// and keeps the containers; SHUTDOWN ends them and the process. A ResourceManager that cannot be reached is tried again every
// yarn.resourcemanager.connect.retry-interval.ms, for yarn.resourcemanager.connect.max-wait.ms; containers run on.
//
// Containers: startContainers checks each entry by itself and accepts it; then its resources are fetched, once for all that
// want the same, its directories are made, and its process is started. Application, container and resource are machines of
// package machine; package launch says how a process is started. A heartbeat reports the end of a container at once.
//
// The NodeManager keeps no socket, file or process: [Localizer], [Containers] and [Machine] do what needs the operating
// system, the Host starts processes. Without them it runs in a simulation, where a process is started by the words of its
// command.
//
// # Differences from Hadoop
//
//   - Output that an earlier NodeManager left goes when it has not changed for yarn.nodemanager.log.retain-seconds; in Hadoop it
//     does only with yarn.nodemanager.recovery.enabled. (TestOutputStaysForAWhile)
//   - A heartbeat that was not answered is repeated unchanged; Hadoop's next one has newer statuses, and those are lost when
//     the ResourceManager answers what it answered before. (TestAHeartbeatThatWasNotAnsweredIsRepeated)
//   - A request for a container that comes while this node is being registered waits for the end of that; Hadoop answers
//     NMNotYetReadyException, and its clients ask again. (TestAContainerThatComesBeforeTheKeysWaits)
//   - Names of users, links and variables that would lead out of a directory, or out of a line of a script, are refused when
//     the container comes; Hadoop fails its launch, or does what they say. (TestAContainerThatCannotBeIsRefused)
//   - The memory watch ends a container that is above its limit in two looks in a row, or above twice the limit in one; Hadoop
//     counts in the first case only processes that it saw in the look before. (TestMemoryIsWatched)
//   - A container's token that is none fails its entry; in Hadoop it fails the whole call, and an NMToken the connection.
//     (TestStartContainersChecks)
//   - OUTPUT_THREAD_DUMP does nothing. (TestSignals)
package nodemanager
