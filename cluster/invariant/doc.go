// Package invariant watches a cluster and reports which of its rules it breaks: what must hold of Masters, Workers, drivers and
// executors whatever goes wrong between them. (The rules of the runtime below them are those of rpcenv/sim/invariant.)
//
// A [Monitor] sees each record of a trace as it is made ([Monitor.See]), and looks now and then at the cluster from outside
// ([Monitor.Look]): which processes run, and what the books of the Masters and drivers say, a [Snapshot]. Looking sends no
// message, so that a run is the same with a Monitor and without. [Rules] states the rules; they are judged by:
//
//	I1  one-live             from both: a second live process of one executor, driver or container
//	I2  ledger               by looking: what a Master counts on a Worker, and a ResourceManager on a node, against the processes there
//	I3  no-limbo             from the trace: how long something is UNKNOWN, RECOVERING, LAUNCHING, COMPLETING_RECOVERY; on YARN in
//	                         any state that waits for a record, an ApplicationMaster or a process, and an executor in LOSS_PENDING
//	I4  progress             by looking: demand that fits on a Worker, or on a node that is heard of, and is not met; from the
//	                         trace: cores that an executor without a size was not given though nobody else can use them
//	I5  told-to-stop         by looking: a process that its Master, its ResourceManager or its driver has given up
//	I6  same-view            by looking: the executors in each book of one driver
//	I7  fifo                 from the trace: order, and orders that come before the handshake they depend on
//	I8  idempotent-register  from the trace: the refusal of an identity that was accepted, two ids for one application
//	I9  bounded-retry        from the trace: early ends in five minutes, the end of an application that has a healthy executor,
//	                         attempts beyond those that may fail
//	I10 no-block             from the trace: how long an executor's heartbeat waits for its handler, a driver for its executors' number
//	I11 ask-balance          from the trace: an ApplicationMaster's books, containers that it has to give back at once
//	I12 true-cause           from the trace: ends without a reason, panics
//	I13 epoch                from the trace: a change that an earlier leadership or another process caused, a second executor of
//	                         one id
//	I14 convergence          from both: what the endpoints Membership have heard, against the processes that are members
//	I15 no-churn             from both: attempts that wait for a container that a node could give while others get some; containers
//	                         that go back and forth; drivers that ask for too few executors
//
// A deadline counts quiet time only: it begins anew with each fault that is caused, and with each process that a script starts or
// ends. The deadlines follow from spark.worker.timeout, and on YARN from heartbeats and expiries (YARN); that of
// gossip from its own times (swim.Agreement).
package invariant
