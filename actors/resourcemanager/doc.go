// Package resourcemanager is YARN's ResourceManager: it takes applications from clients, gives them containers on nodes,
// starts their ApplicationMasters, and notices when a node, an ApplicationMaster or itself was gone. It mirrors
// org.apache.hadoop.yarn.server.resourcemanager.
//
// [Start] registers four endpoints in one Env. Each owns its books; what another has to know is a message:
//
//	ClientRMService           applications and attempts, their records, the start of ApplicationMasters
//	ApplicationMasterService  sessions of ApplicationMasters: response ids, tokens, when each was heard last
//	ResourceTracker           nodes: their health, what they are to end and to forget
//	Scheduler                 queues and containers: package fair decides, machines step, what ended is kept until it was heard
//
// Applications, attempts, containers and nodes step through the machines of package machine; `coherer trace show` has every
// step. An event that a state has no row for is logged and changes nothing.
//
// # Guarantees
//
//   - An ApplicationMaster is told of the end of each of its containers at least once, also over a restart: a node forgets a
//     container only when the ApplicationMaster showed, by its next call, that it heard.
//   - One call of an attempt is handled at a time; a repetition is answered as the first time, and what is in it does not
//     count again.
//   - What is promised is durable: with a Store, submissions are answered, ApplicationMasters are started and ends are told
//     only when their records are written (rpcenv.Journal). A ResourceManager that cannot write ends with exit code 1.
//   - Tokens prove who speaks: an ApplicationMaster to the ResourceManager, and to NodeManagers; package token.
//
// # After a restart
//
// With a Store a ResourceManager goes on where the one before stopped: its epoch is one higher, which is in the ids of new
// containers, whose numbers begin at 1 again. NodeManagers are told to RESYNC and register with what they run;
// ApplicationMasters get ApplicationMasterNotRegisteredException and register again. Nothing is given until
// yarn.resourcemanager.work-preserving-recovery.scheduling-wait-ms is over.
//
// # Differences from Hadoop
//
//   - Who asks is said in the message and proved by its token; Hadoop takes it from the connection.
//     (TestTheTokenOfAnApplicationMasterIsItsOwn)
//   - Records are written behind the handlers and in groups, and what follows of them is held back meanwhile; a ResourceManager
//     that cannot write ends. (TestNothingIsPromisedBeforeItIsDurable, TestAResourceManagerThatCannotWriteEnds)
//   - A record that cannot be read is told, and the rest recovers; Hadoop's ResourceManager does not start.
//     (TestABadRecordIsReportedAndTheRestRecovers)
//   - For yarn.resourcemanager.work-preserving-recovery.scheduling-wait-ms after a restart containers may be asked for that are
//     larger than the largest node; in Hadoop also when the first ResourceManager begins. (TestAskedForALargeNodeThatIsNotBackYet)
//   - Keys of tokens are kept over a restart, so that an ApplicationMaster's token for a node holds on, and are not changed
//     meanwhile. (TestAnApplicationOutlivesItsResourceManager)
//   - What the scheduler had running on a node that registers again and does not report it is lost; what it reports stays.
//     Hadoop takes the whole node out and in again when no application runs there. (TestANodeThatRegistersAgain)
//   - The scheduler itself lets an application release only its own containers; Hadoop's FairScheduler frees any.
//     (TestBadAsksAreRefused)
//   - A registration of an ApplicationMaster is answered again until its first allocate: the answer may have been lost. Hadoop
//     refuses the second, which ends the attempt. (TestARegistrationIsAnsweredAgain)
//   - An ApplicationMaster that registers after a restart says which containers it has: what no node reports of them within
//     yarn.nm.liveness-monitor.expiry-interval-ms is lost. Hadoop has no word of a node that was lost while it was gone, and the
//     ApplicationMaster waits for its containers for ever. (TestANodeThatWasLostWhileTheResourceManagerWasGone)
//   - Calls of one attempt that come while one is handled wait for it, 16 at most; in Hadoop each holds a thread.
//     (TestCallsOfOneAttemptAreHandledOneByOne)
//   - The end of a container that nobody knows may be forgotten by its node at once; Hadoop's node keeps it until the
//     application ends. (TestContainersThatNobodyKnowsEnd)
//   - With continuous scheduling the pass after an ask looks at it. In Hadoop, and with coherer.compat YARN-FAIR, it does so after
//     the next update of demands, up to half a second later. (TestContinuousScheduling)
//   - Who kills an application is told by his host alone: his message says no user. (TestAnApplicationIsKilled)
//   - What is wrong with the name of a queue is told by the application's report, and an empty one is default; Hadoop fails the
//     submission. (TestBadInputIsAnsweredAsHadoopDoes)
//   - Unmanaged ApplicationMasters are refused. (TestSubmissionsThatCannotBeAreRefused)
//   - Without a setting the FairScheduler is the scheduler, and there is no CapacityScheduler. (TestWhatClientsMayAsk)
package resourcemanager
