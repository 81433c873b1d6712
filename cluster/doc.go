// Package cluster holds the parts that make roles run: processes, disks, networks, pages. The roles themselves are in package actors,
// which touches none of these. It has no code itself.
//
//	node/        a daemon's Env and role on any Host: Master, Worker, ResourceManager, NodeManager; run as a process
//	process/     processes of the operating system: starts them, reports their end, finds programs
//	container/   a NodeManager's disk: directories, logs, fetched resources
//	archive/     unpacks archives
//	machine/     what a machine has, and whether it is healthy
//	shufflefile/ map outputs on disk, as other processes read them
//	app/         what a user's main imports: the program as driver, executor or ApplicationMaster
//	boot/        the process beneath the endpoints: how it comes up, in which order it ends
//	builtin/     the programs that come with the cluster
//	known/       all settings that are known, and those that processes read around their endpoints
//	runner/      coherer run: a cluster of processes for one application
//
//	eventlog/    a driver's event log on disk
//
//	recovery/    a Master's records on disk
//	raftlog/     an election's log on disk
//	gossip/      daemons, drivers and ApplicationMasters are members of their cluster, and hear of each other
//	  swim/      the same in simulations: a model of it
//
//	web/         what the pages of all daemons have in common
//	  spark/     pages, JSON and metrics of Master and Worker
//	  ui/        pages and REST API of a running application
//	  hadoop/    pages and REST server of ResourceManager and NodeManager
//	  rest/      submissions by HTTP
//	  webtest/   asks pages in tests
//	  pretty/    JSON as Spark's servers write it
//	restclient/  a client of rest
//	status/      coherer status: one screen of a cluster
//	top/         coherer top: its counters as they change
//
//	local/       whole clusters for tests and tools, simulated or in one process
//	scenario/    scripts about clusters: their messages, and faults among them
//	  standin/   endpoints that scripts put where a program's would be
//	invariant/   which rules a cluster breaks
//	protocol/    the protocol as data: messages, handlers, settings, differences
//	compare/     a run against another one, or against a recording of Spark
package cluster
