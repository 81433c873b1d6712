// Package actors holds the roles: the endpoints of Spark's standalone mode, of YARN, of Spark's driver and of its executors,
// each an actor over package rpcenv. It has no code itself.
//
//	master/      Master                 workers, applications, drivers, which of them goes where, what survives the Master
//	worker/      Worker, WorkerWatcher  processes of executors and drivers, registration, heartbeats
//	election/    Election               which of several Masters leads, and what they must not forget
//	membership/  Membership             what a process hears of the other members of its cluster, and how it finds them
//	appclient/   AppClient              an application's side of the Master
//	driverclient/ client                submits a driver to the Masters, ends one, asks for its state
//	resourcemanager/                    YARN's ResourceManager, four endpoints in one Env
//	             ClientRMService        applications and their attempts, for clients
//	  tracker/   ResourceTracker        nodes: their registrations and heartbeats
//	  session/   ApplicationMasterService sessions of ApplicationMasters
//	  scheduler/ Scheduler              queues and containers: which application gets what of which node
//	  machine/   pure: the states of applications, attempts, containers and nodes
//	  fair/      pure: the FairScheduler, and the FifoScheduler
//	  input/     pure: rules for what peers send, which several endpoints apply
//	  rmtest/    one endpoint under test
//	  life/      what all endpoints know: when the ResourceManager began, and its keys
//	nodemanager/ ContainerManager       YARN's node: containers, their files and processes
//	  machine/ launch/   pure: the states of applications, containers and resources; how a process is started
//	applicationmaster/ YarnAM           an application's side of YARN: asks for executors and starts them
//	  allocator/ amrm/   pure: what to ask for, what came of it; what the ResourceManager has not heard
//	yarnclient/  YarnClient             submits an application to YARN, ends one, asks for its state
//	  distcache/ pure: which files it staged
//	hadoop/                             what several roles of YARN share
//	  token/      pure: what proves to YARN from whom a message comes
//	  exceptions/ Hadoop's exceptions as errors that travel
//	  exitstatus/ pure: what YARN says of containers that it ended
//	  rmproxy/    calls of a ResourceManager that may be away
//	machine/     pure: state machines as tables
//	records/     what Masters, ResourceManagers and the stores of their records agree on
//	submit/      pure: the rules of spark-submit
//	compat/      pure: the setting that turns on faults that Spark and Hadoop had
//	ids/         pure: which ids are valid, and the names by which endpoints are looked up
//	driver/      CoarseGrainedScheduler executors of an application and their tasks
//	  dag/       DAGScheduler           jobs and stages
//	  tasks/     pure: task sets, locality, offers, slow tasks, retries
//	  pools/     pure: in which order task sets get cores
//	  exclude/   pure: which executors and nodes get none, after failures
//	  heartbeat/ HeartbeatReceiver      when an executor was last heard
//	  mapoutput/ MapOutputTracker       where map outputs lie
//	  commit/    OutputCommitCoordinator which attempt of a task may commit its output
//	  barrier/   barrierSync            where the tasks of a barrier stage wait for each other
//	  yarnscheduler/ YarnScheduler      a driver's side of its ApplicationMaster
//	  allocation/ ExecutorAllocationManager   how many executors the work wants, and which are idle
//	  progress/  Progress               what a terminal shows of the stages
//	  event/     what these tell each other
//	  bus/       LiveListenerBus        all events of an application in one order, and its event log
//	  listener/  pure: Spark's events as its event log has them
//	  status/    pure: what the pages of a running application show
//	  numbers/   the numbers of jobs, for programs of several goroutines
//	shuffleservice/ ExternalShuffleService  a Worker's or NodeManager's: serves the map outputs of executors, also of those that ended
//	storage/     BlockManagerMaster, BlockManagerMasterHeartbeat
//	  blocks/    an executor's cached blocks, in memory and on disk
//	  broadcast/ values of broadcasts in pieces, and the driver's side of them
//	  memory/    pure but for its lock: an executor's memory, divided between tasks and blocks
//	executor/    Executor               runs tasks, keeps their map outputs
//	  fetch/     brings the blocks that a task reads of shuffles, from several executors at once
//	rdd/         lineages, operations, codecs: no role, no runtime
//
// # House rules
//
// Each role's package has the same files: doc.go; config.go, what its starter hands in; settings.go, the settings that it reads;
// state.go, what it knows and the pure decisions; a file named after the role with the endpoint, whose Receive is a table of
// contents, message to method of the same name; historic.go, the faults that coherer.compat turns on; big decisions in files named
// after them (master/schedule.go).
//
// A handler touches its own state and its Context and nothing else: no goroutine, lock, channel, clock, randomness, file or
// socket. The analyzer cmd/endpointrule holds that. What a role needs of the world it declares as an interface
// (membership.Discovery, executor.Blocks), which package cluster supplies. So the same code runs in a simulation.
//
// Every book has one owner. Master owns workers, applications and drivers, CoarseGrainedScheduler owns executors and tasks,
// DAGScheduler jobs and stages, HeartbeatReceiver last-seen times, BlockManagerMaster block managers, MapOutputTracker map
// outputs. On YARN ClientRMService owns applications and attempts, ApplicationMasterService sessions, ResourceTracker nodes,
// Scheduler queues and containers, ContainerManager what runs on its node, YarnAM what an application asked for and got.
// What others must know of an executor is one message, event.ExecutorChange, to each in the same order. Spark and Hadoop
// guard the same books by locks that several threads share, and some of their dead-locks come from there.
//
// Messages, states and settings have Spark's names. Where a role does better than Spark on purpose, its
// testdata/differences.txt says what Spark or Hadoop does, what is done here, why, and which test holds it;
// `coherer explain --deviations` lists them all.
//
// The conversations of Master, Worker and their clients are in testdata/scripts, which TestProtocol runs: what comes in, and under
// it, by cause, each message that goes out. After a change `go test ./actors/master -run TestProtocol -rewrite` writes them anew: read the
// difference.
//
// # A new message
//
// Between processes: declare it in proto/ with its number, sender, receiver and the type of its answer (option coherer.protocol, see
// proto/coherer/options.proto); `make generate` writes messages/. Within one process: a struct that embeds rpcenv.Local, beside its
// handler, with a method ReplyType if it is an ask. Then give the receiver's Receive a case and a method of the same name, which
// answers once: rpcenv.Reply, Fail, or Defer for later. A script, or a test, shows the conversation.
package actors
