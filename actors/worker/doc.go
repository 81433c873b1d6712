// Package worker is a standalone cluster's Worker: it offers a machine's cores and memory to a Master, starts and ends
// the executors that the Master orders, and reports what becomes of them. It mirrors
// org.apache.spark.deploy.worker.Worker and ExecutorRunner; [Watcher] is WorkerWatcher, by which an executor shares its
// Worker's fate.
//
// Registration: look the Master up by its verifier, send RegisterWorker, and when RegisteredWorker comes answer with
// WorkerLatestState and begin the heartbeats. All Masters are tried side by side; retries come after 5 to 15 s, later
// after 30 to 90 s (drawn once), and after spark.worker.maxRegistrationRetries of them the process ends with code 1.
// When the connection to the Master ends the Worker registers again; its executors run on.
//
// Executors: LaunchExecutor starts a process of the Host. The Worker sends itself [ExecutorStateChanged] at the process's start
// and end, changes its books and asks the Master to take note.
//
// Drivers in cluster mode: LaunchDriver has its program fetched ([Programs]) and started, again after 1, 2, 4 s and so on
// while it is supervised and fails; [DriverStateChanged] reports its end in the same way.
//
// The Worker keeps no socket, file, process or page: the Host starts processes, [Directories] removes what they leave,
// the endpoint Membership finds Masters that no setting names.
//
// # Differences from Spark
//
//   - Heartbeats never run twice: Spark 3.5 has a second timer after a registration again.
//     (TestProtocol/registration)
//   - A Worker that stood still sends one heartbeat when it goes on; Spark's timer catches up, a heartbeat for each tick that
//     was missed. (TestAWorkerThatStoodStillSendsOneHeartbeat)
//   - A report about an executor is repeated each heartbeat period rather than each spark.rpc.askTimeout, so that a lost
//     one leaves the Master's books wrong for no longer than that. The Worker gives up, with exit code 1 as in Spark,
//     after the time that Spark's spark.worker.executorStateSync.maxAttempts take.
//     (TestProtocol/reports, TestProtocol/reports_give_up)
//   - A report that no Master acknowledged survives the connection: the Worker repeats it after the next registration. Spark
//     counts tries to a Master that is gone, and exits. (TestProtocol/reports)
//   - The Worker repeats only the last report about an executor: RUNNING never comes after EXITED.
//     (TestProtocol/reports)
//   - A LaunchExecutor for an executor that is alive is a duplicate and does nothing; Spark would report FAILED, by which
//     the Master forgets the live one. (TestProtocol/executors)
//   - Application ids become directories, so one that is no plain name is refused (FAILED).
//     (TestProtocol/executors_refused)
//   - Messages of an earlier leadership than the latest heard of are refused, unless the Master that led last sends them:
//     it lost its records. Spark has no leader term. (TestProtocol/terms)
//   - A new Master gets the reports that the one before did not acknowledge. (TestProtocol/new_master)
//   - At its end the Worker reports the executors that live then, FAILED with "Worker shutting down"; Spark's reports those
//     again that ended long ago. A Worker that only stops its endpoint ends its executors and reports nothing.
//     (TestProtocol/shutdown, TestProtocol/executors)
//   - An order with resources that the Worker does not have is refused (FAILED); Spark's Worker takes it.
//     (TestResourcesThatAreNotThereAreRefused)
//   - An executor that is killed before its process was started gets none. Spark's may start it all the same.
//     (TestAnExecutorThatIsKilledBeforeItHasAProcessGetsNone)
//   - With Membership, a Master that has left is not the only one tried.
//     (TestAMasterThatNobodyKnowsOfAnyMoreIsNotTheOnlyOneTried)
//   - Nor is one that says that it does not lead, that cannot be reached, or that did not answer the first retries: Spark's
//     Worker seeks the Master that it knew until it gives up. If that Master had given the Worker up, the Worker never finds
//     the next leader, and no Master counts its executors, which live on.
//     (TestAMasterThatDoesNotLeadIsNotTheOnlyOneTried)
//   - The report that a driver has ended is an ask, repeated until it is acknowledged, as that of an executor: Spark's is a
//     one-way message, lost when the Master is away. Until then WorkerLatestState lists the driver.
//     (TestProtocol/drivers, TestProtocol/drivers_report)
//   - A LaunchDriver for a driver that is here, or has ended here, is a duplicate and does nothing; Spark would run it twice.
//     (TestProtocol/drivers)
//   - A decommissioned Worker says so to each Master that it registers with, and reports an executor that it does not launch as
//     KILLED; Spark's Worker says it once and refuses without a report, so that after a failover its Master takes such executors
//     for launched until the application ends. (TestProtocol/decommission)
//   - The message of an executor that ended by itself goes on with the last error of its stderr; Spark's has the exit code
//     alone. (TestTheEndOfAnExecutorSaysWhy)
//   - Driver ids become directories, so one that is no plain name is refused (ERROR). (TestProtocol/drivers_refused)
package worker
