// Package nodemanager is YARN's NodeManager: it offers a machine's memory and cores to a ResourceManager, starts and ends the
// containers that ApplicationMasters bring it tokens for, and reports what becomes of them. It mirrors
// org.apache.hadoop.yarn.server.nodemanager: ContainerManagerImpl, NodeStatusUpdaterImpl, and the services behind them.
//
// Registration: look the endpoint ResourceTracker up by its verifier, register with the running containers, and begin the heartbeats.
// One that is not answered is repeated as it was, since the ResourceManager may have taken note of it. RESYNC registers again
// and keeps the containers; SHUTDOWN ends them and the process. A ResourceManager that cannot be reached is tried again every
// yarn.resourcemanager.connect.retry-interval.ms, for yarn.resourcemanager.connect.max-wait.ms, and at once when it is a member of
// the cluster again; containers run on. A node that was given no ResourceManager takes whichever the endpoint Membership reports.
//
// Containers: startContainers checks each entry by itself and accepts it; then its resources are fetched, once for all that
// want the same, its directories are made, and its process is started. Application, container and resource are machines of
// package machine; package launch says how a process is started. A heartbeat reports the end of a container at once.
//
// The NodeManager keeps no socket, file or process: [Localizer], [Containers] and [Machine] do what needs the operating
// system, the Host starts processes. Without them it runs in a simulation, where a process is started by the words of its
// command.
package nodemanager
