// Package master is the Master of a standalone cluster: it keeps the books of Workers and applications, decides where
// executors run and orders them. It mirrors org.apache.spark.deploy.master.
//
// The Master is one endpoint. schedule.go and health.go are its decisions, pure functions over the books of state.go;
// states.go says which states may follow each other. A handler changes the books first, then sends; messages to one
// peer arrive in the order in which they were sent, so a Worker gets an application's KillExecutors before its
// ApplicationFinished.
//
// The Master trusts a Worker while its connection stands and a heartbeat comes within spark.worker.timeout. A Worker that it
// gives up may be alive. When it comes back it registers and lists what it runs (WorkerLatestState), and the Master kills what
// it counted as lost meanwhile. Each handler may see a message or an event twice.
//
// A [Placement] decides where executors go: Spark's two or one of the user's. Filters (filters.go) decide whether a Worker can
// take one at all, and say in words why it cannot.
//
// # Historic faults
//
// For study the Master can have faults that Spark had or has. coherer.compat names them, "upstream" those of Spark 4; all
// are in historic.go:
//
//   - SPARK-2425: each failed executor counts for the application's life; the tenth ends it, however healthy it is.
//   - SPARK-8881: cores are given one by one, so that executors of 16 cores do not start on four Workers of 16 when 48 are
//     wanted. coherer.deploy.scheduler=core-by-core is the same.
//   - SPARK-9731: an executor without a size gets a core for each time that its memory fits, not all cores.
//   - SPARK-16925: an executor that ends with exit code 0 is not replaced until something else happens.
//   - SPARK-27510 (upstream): executors that start and exit at once are launched again for ever, without pause.
//   - MASTER-RECOVERY (upstream): an application that answers a new Master is RUNNING, also without an executor.
//
// With a Store the Master keeps a record of each application, Worker and driver, written behind its handlers
// (rpcenv.Journal): what it sends after a change waits until the record is durable, so a crash undoes nothing that a peer has
// heard of. A Master that cannot write its records ends, with exit code 1, and promises nothing more. A new leader reads the
// records, sends MasterChanged to each Worker and application in them, and is RECOVERING until all have answered or
// spark.deploy.recoveryTimeout is over; then it gives up the rest and is ALIVE. See election.go, records.go and recovery.go.
//
// # Differences from Spark
//
//   - The Master lists a record that it cannot read among its failures, and recovers the rest; in Spark such a record stops
//     the recovery, and an exception in completeRecovery leaves COMPLETING_RECOVERY for ever (SPARK-20305).
//     (TestABadRecordIsReportedAndTheRestRecovers, TestAThrowInRecoveryNeverLeavesTheMasterBetweenStates)
//   - Records are written behind the handlers and in groups; Spark's Master waits for its disk in each handler.
//     (TestProtocol/durable, TestManyRegistrationsAreOneWrite)
//   - A Master that cannot write its records ends with exit code 1; Spark's throws in the handler and goes on.
//     (TestProtocol/durable_fails)
//   - All that a Master sends has a leader term, which is higher after each start with records.
//     (TestProtocol/recovery)
//   - When a Worker registers before it answers MasterChanged, the Master waits for the list of what it runs and takes that
//     into the books; Spark's Master kills it. (TestProtocol/recovery_registration)
//   - What a recovered Worker runs without an owner is killed; Spark leaves it. (TestProtocol/recovery_ends)
//   - The Master gives no executor id again that the application has heard of, even if that executor's Worker does not answer:
//     MasterChangeAcknowledged has the next id. (TestProtocol/recovery_registration)
//   - A driver that waited for a Worker when the Master died waits on; Spark takes it for lost. (TestProtocol/recovery_ends)
//   - A Master that is started again within a second gives no id twice. (TestProtocol/recovery)
//   - A report about an executor fails at a Master in STANDBY, so that it is repeated to the leader; Spark's answers true.
//     (TestProtocol/standby)
//   - A RUNNING report that is repeated, because its answer was lost, changes nothing; Spark's Master throws, and the
//     Worker ends after five of them. (TestProtocol/executors)
//   - A repeated RegisterApplication returns the id that the application has; Spark returns a new one that it does not know
//     itself. (TestProtocol/application)
//   - The Master answers a heartbeat of an unknown Worker with ReconnectWorker, like that of a dead one; Spark ignores it, and
//     a Worker forgotten after 16 time-outs never comes back.
//     (TestAHeartbeatOfAWorkerThatNobodyHeardOfIsAnswered)
//   - An executor that ends early does not set the count of failures back by having been RUNNING for an instant; only one
//     that was RUNNING for a minute does, or ten minutes without an early end. Executors that end early, also with exit
//     code 0, are replaced at once three times in a row and then ever later, up to a minute. Spark relaunches what starts
//     and exits at once without end and without pause (SPARK-27510). (TestAnApplicationWhoseExecutorsExitAtOnceIsRemoved,
//     TestBackoff)
//   - When the connection of an application's driver ends the Master asks whether the driver lives. A live one gets
//     MasterChanged and goes on; Spark finishes its application, and the driver waits for a Master for ever.
//     (TestADriverThatLostItsConnectionOnlyIsKept, TestProtocol/application)
//   - The driver of an application that is given up at the end of a recovery gets ApplicationRemoved, since it may only have
//     stood still; in Spark such a driver waits for ever. (TestProtocol/recovery_timeout)
//   - The end of one of several connections to a peer is not the peer's end; Spark takes a Worker that came back for dead
//     when it sees its old connection close (SPARK-23191). Orders lost with that connection are given up when the Worker lists
//     what it runs, and given again. (TestProtocol/worker_lost, TestProtocol/order_lost)
//   - When a Worker reports that an executor runs which the Master has given up, the Master sends KillExecutor; Spark only
//     warns. (TestProtocol/executors)
//   - A description that no executor can satisfy (no memory, no cores) is answered with ApplicationRemoved and the
//     reason, a Worker without cores or memory with RegisterWorkerFailed.
//     (TestProtocol/application_refused, TestProtocol/registration)
//   - What an executor had on a decommissioned Worker is given back when it ends, and it is killed when its application
//     ends; Spark's Master has forgotten it by then. (TestProtocol/decommission)
//   - What a decommissioned Worker takes from an application is replaced at once; Spark waits for the next reason to
//     schedule. (TestProtocol/decommission)
//   - Workers that time out, or are decommissioned, at one time are all given up before what they had is given away; in Spark
//     it can go to the next of them. (TestProtocol/worker_timeout, TestProtocol/decommission_hosts)
//   - The log warns once of a driver that no Worker could take even if it were idle; Spark looks at one Worker, the last, and
//     warns each time. (TestADriverBeyondEveryWorkerIsWarnedOf)
//   - RequestExecutors with a profile that no executor can have is answered false and changes nothing; Spark trusts the
//     driver. (TestProtocol/request_executors)
//   - spark.master.useAppNameAsAppId.enabled does not give one id to two applications, and neither it nor
//     spark.deploy.appIdPattern gives one that is a path. (TestApplicationIDs, TestAnApplicationIDIsNoPath)
//   - The report that a driver in cluster mode has ended is an ask; a repetition, one of a driver that is unknown, and one
//     that is no end change nothing. Spark's Master throws at the last. (TestProtocol/drivers)
//   - A driver whose LaunchDriver was lost with a connection is ordered again, under a new id, when its Worker registers
//     anew and does not list it; in Spark's books it runs for ever. (TestProtocol/order_lost)
//   - RequestDriverStatus returns the new id of a relaunched driver, and what blocks one that waits.
//     (TestProtocol/drivers_lost, TestProtocol/drivers)
//   - coherer.master.maxDriverShare bounds the part of the cluster that drivers have together; without it, as in Spark, they
//     can leave nothing to their own executors (SPARK-27750). (TestTheShareOfDriversHasACap)
//   - An application that waited for its first executor when the Master died waits on when the next one has recovered; Spark's
//     Master calls each RUNNING that answers, as this one does with coherer.compat MASTER-RECOVERY (upstream).
//     (TestAnApplicationWithoutExecutorsWaitsAfterARecovery)
//   - One peer registers 16 Workers at most; the refusal and one line of the log say so. Spark takes all.
//     (TestOnePeerRegistersNoCrowd)
//   - The page of an application says why each executor has ended, and the page of the Master why a Worker is DEAD or
//     DECOMMISSIONED and why an application or a driver is over; Spark's show states alone. (TestProtocol/application)
//   - A driver that wants no cores, no memory, or nothing to start is refused when it is submitted, and so is
//     spark.deploy.driverIdPattern when it gives no name of a directory. (TestProtocol/drivers, TestDriverIDs)
package master
