// Package resourcemanager is YARN's ResourceManager: it takes applications from clients, gives them containers on nodes,
// starts their ApplicationMasters, and copes with the loss of nodes, of ApplicationMasters and its own restart. It mirrors
// org.apache.hadoop.yarn.server.resourcemanager.
//
// [Start] registers four endpoints in one Env. Each owns its books; they share by messages alone:
//
//	ClientRMService           this package: applications and attempts, their records, the start of ApplicationMasters
//	ApplicationMasterService  session: response ids, tokens, the time of each ApplicationMaster's last call
//	ResourceTracker           tracker: nodes, their health, and the containers and applications that they have to end or forget
//	Scheduler                 scheduler: queues and containers; package fair decides, machines step, ends are kept until acknowledged
//
// Imports run one way: this package, tracker, session, scheduler. A message stands with its receiver, or, when it goes up that
// row, with its sender. What all four need is small: life, the identity and keys; input, the rules for what peers send; machine.
//
// Applications, attempts, containers and nodes step through the machines of package machine; `coherer trace show` has every
// step. An event that a state has no row for is logged and changes nothing.
//
// # Guarantees
//
//   - Each ApplicationMaster gets the end of each of its containers at least once, also over a restart: a node forgets a
//     container only when the ApplicationMaster's next call shows that the report arrived.
//   - One call of an attempt is handled at a time; a repetition gets the first answer again, and its content does not count
//     twice.
//   - Promises are durable: with a Store, submissions are answered, ApplicationMasters are started and ends are reported
//     only when their records are written (rpcenv.Journal). A ResourceManager that cannot write ends with exit code 1.
//   - Tokens prove the sender: an ApplicationMaster to the ResourceManager and to NodeManagers; see package token.
//
// # After a restart
//
// With a Store a ResourceManager goes on where the one before stopped. Its epoch is one higher; the ids of new containers
// contain it, and their numbers begin at 1 again. NodeManagers get RESYNC and register with the containers that they run;
// ApplicationMasters get ApplicationMasterNotRegisteredException and register again. The scheduler gives no containers until
// yarn.resourcemanager.work-preserving-recovery.scheduling-wait-ms is over.
//
// # Differences from Hadoop
//
//   - A message names its sender, and its token proves the name; Hadoop takes it from the connection.
//     (TestTheTokenOfAnApplicationMasterIsItsOwn)
//   - Records are written behind the handlers and in groups; messages that depend on them are held back meanwhile. A
//     ResourceManager that cannot write ends. (TestNothingIsPromisedBeforeItIsDurable, TestAResourceManagerThatCannotWriteEnds)
//   - A record that cannot be read is logged, and the rest recovers; Hadoop's ResourceManager does not start.
//     (TestABadRecordIsReportedAndTheRestRecovers)
//   - For yarn.resourcemanager.work-preserving-recovery.scheduling-wait-ms after a restart containers may be asked for that are
//     larger than the largest node; in Hadoop also when the first ResourceManager begins. (TestAskedForALargeNodeThatIsNotBackYet)
//   - The keys of tokens never change and outlive a restart, so that an ApplicationMaster's token for a node stays good.
//     (TestAnApplicationOutlivesItsResourceManager)
//   - When a node registers again, running containers that it does not report are lost; those that it reports stay.
//     Hadoop takes the whole node out and in again when no application runs there. (TestANodeThatRegistersAgain)
//   - The scheduler itself lets an application release only its own containers; Hadoop's FairScheduler frees any.
//     (TestBadAsksAreRefused)
//   - An ApplicationMaster may register again until its first allocate, since the answer may have been lost. Hadoop refuses the
//     second registration, which ends the attempt. (TestARegistrationIsAnsweredAgain)
//   - An ApplicationMaster that registers after a restart lists its containers: those that no node reports within
//     yarn.nm.liveness-monitor.expiry-interval-ms are lost. Hadoop never learns of a node that was lost during the restart, and
//     the ApplicationMaster waits for its containers for ever. (TestANodeThatWasLostWhileTheResourceManagerWasGone)
//   - Calls of one attempt that come while one is handled wait for it, 16 at most; in Hadoop each holds a thread.
//     (TestCallsOfOneAttemptAreHandledOneByOne)
//   - A node may forget the end of a container without an owner at once; Hadoop's node keeps it until the application ends.
//     (TestContainersThatNobodyKnowsEnd)
//   - With continuous scheduling the pass after an ask considers it. In Hadoop, and with coherer.compat YARN-FAIR, the pass after
//     the next update of demands does, up to half a second later. (TestContinuousScheduling)
//   - The diagnostics of a killed application name the host that asked for it, not the user: the message names no user.
//     (TestAnApplicationIsKilled)
//   - The application's report says what is wrong with the name of a queue, and an empty name means default; Hadoop fails the
//     submission. (TestBadInputIsAnsweredAsHadoopDoes)
//   - Unmanaged ApplicationMasters are refused. (TestSubmissionsThatCannotBeAreRefused)
//   - Without a setting the FairScheduler is the scheduler; the CapacityScheduler does not exist here. (TestWhatClientsMayAsk)
package resourcemanager
