// Package fair is Hadoop's FairScheduler as pure code: what it is told (nodes, applications, asks, time) comes in as calls,
// what it decides comes out as values. Nothing here reads a clock, a file or a random number, starts a goroutine or takes a
// lock; whoever owns a Scheduler calls it from one place.
//
// Amounts are a Resource: memory in MiB and virtual cores. Queues and applications are Schedulables, and a Policy (fair, drf
// or fifo) divides among them and says which is served first. Allocations are what fair-scheduler.xml says; a Reload says
// when it is to be read again.
//
// Config.Compat chooses between Fixed and Upstream, which is Hadoop 3.4 with its faults. TestGolden compares Upstream with
// what Hadoop's own classes answered to recorded inputs; historic.go has what only Upstream does. The recorded cases in which
// Fixed does otherwise are those below, and no others (TestGoldenFixed).
//
// A Scheduler keeps siblings in the order of their policy and puts right what changed, so that an offer of a node costs what
// it changes and not what there is. Time is what its owner says. Beside it stands FIFO, Hadoop's FifoScheduler, behind the
// same calls. Why says what keeps an application waiting, by the filters that offers meet.
//
// It mirrors org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.
//
// # Differences from Hadoop
//
// With coherer.compat=upstream there are none but the words of errors and warnings.
//
//   - The comparator of drf is a total order, since none of nothing is 0; in Hadoop it is a NaN, which is equal to every
//     number, so that a queue of weight 0 can come before one that comes before one that comes before it.
//     (TestTheComparatorsAreTotal)
//   - Under fifo only the application that started first has a fair share; in Hadoop the others keep what they had.
//     (TestFIFOTakesTheShareOfWhoComesLater)
//   - queueMaxAppsDefault and queueMaxResourcesDefault hold for the queues below root; in Hadoop for root too, so that a
//     limit of each queue is one of the whole cluster. (TestDefaultsOfQueuesDoNotLimitTheCluster)
//   - A maximum such as memory-mb=4096 limits memory alone; in Hadoop it leaves no cores, and every ask is refused.
//     (TestAMaximumOfOneTypeDoesNotLimitTheOther)
//   - A minimum in per cent is that part of the cluster; in Hadoop it is 0, without a word. (TestAMinimumInPerCent)
//   - A maxAMShare below 0 limits nothing; in Hadoop -1 alone does, and under another one no ApplicationMaster runs.
//     (TestAMaxAMShareBelowZeroLimitsNothing)
//   - A weight below 0, or one that is no number, is an error of the file; Hadoop takes it, and serves that queue first under
//     drf. (TestAWeightIsANumberFromZeroUp)
//   - A file that is read again counts as a whole, but for its policies, when one of them may not stand where it is; in Hadoop
//     those that were given before stay, and a queue of the old file that is not there any more ends it: who waits goes on to
//     wait, and maxChildResources is forgotten. (TestAReloadIsDoneAsAWhole)
//   - A time-out of more seconds than there can be is none; in Hadoop 9223372036854775807 is -1 s, so that whoever has less
//     than its share takes from others at once. (TestATimeOutWithoutEndIsNone)
//   - A queue element called ROOT is root's; in Hadoop it makes a queue root.ROOT, and what it and those in it say is lost.
//     (TestTheNameOfRootIsReadInAnyCase)
//   - In a queue element queue and pool are queues; in Hadoop every tag is one that the word queue ends with, such as ue.
//     (TestOnlyQueueAndPoolAreQueues)
//   - An application's part of what its queue is below its minimum is at most what it wants; in Hadoop, when it wants more than
//     is missing, the rest of what it wants, so that too little is taken for it, or too much. (TestGoldenFixed)
//   - A continuous pass offers each node; in Hadoop one of those that have the same memory free. (TestGoldenFixed)
//   - An ask counts in what was given and not told yet: its application does not know of that. In Hadoop 3.4, and with Crossing,
//     the book forgets it, and it is given once more (YARN-1902, YARN-11702). (TestAnAskThatCrossesAContainer)
//   - An application cannot release what is another's; in Hadoop's scheduler it can, and the ApplicationMasterService sees to
//     it. (TestGoldenFixed)
//   - Nobody is preempted in vain: not where the starved application got nothing for it (on nodes that are too far or that it
//     does not want, for a request behind one that stays too large, when its queue is full), not when there is room or more
//     is taken already than is needed, not its own, and not its queue's when only the queue's minimum is not met. In Hadoop
//     all of these happen. (TestPreemptionIsNeverUseless)
//   - What is preempted for a container is owed as what was wanted; in Hadoop as what was taken, and one application may get
//     what was taken for two. (TestPreemptionIsNeverUseless)
//   - Who is owed a container with two cores and takes one with one core, and as much memory, is owed nothing more; in Hadoop
//     another one, which may be what was taken for somebody else. (TestWhatIsOwedIsPaidWhenATypeIs)
//   - Of those who starve the one that lacks the most is helped first; in Hadoop the one that lacks the least.
//     (TestTheMostStarvedIsHelpedFirst)
//   - Each application that is below its share for its time-out is helped; in Hadoop one that is served before it and is not
//     hides it, and what it lacked when it was last looked at stays. (TestWhoHasItsShareHidesNobodyThatStarves)
//   - The time below the share counts from when an application may run and wants something; in Hadoop from its coming, or
//     from when it was last looked at. (TestTheTimeBelowTheShareIsOneOfWanting)
//   - The newest container of a node is preempted first, and nodes are looked at in the order of their coming, and requests by
//     priority; in Hadoop the buckets of hash maps decide. (TestTheNewestIsPreemptedFirst)
//   - Whoever was helped has the time of four heartbeats of nodes before it is looked at again; in Hadoop no time, since the
//     interval is read before it is set. (TestWhoWasHelpedHasFourHeartbeats)
//   - Headroom is never below nothing, and without the nodes that are blacklisted; in Hadoop it is negative in a queue above
//     its maximum, and without those that were there when the blacklist last changed. (TestHeadroomIsWhatThereIs)
//   - An ApplicationMaster counts in its queue with what it has; in Hadoop, when its node was reserved before, with what is
//     asked by then. (TestAnApplicationMasterCountsWithWhatItHas)
//   - A container that is larger than what was asked of any node has to be within the maximum of the queue; in Hadoop only
//     what was asked of any node has to. (TestBooksHoldOverAnyHistory)
//   - A queue that a file has twice, as a leaf and as a parent, has all its children; in Hadoop those that come first in a
//     hash set go with the leaf. (TestAQueueThatIsThereTwiceKeepsItsChildren)
//   - Nothing can be submitted to a queue with <reservation>; in Hadoop what is goes to a queue in it that is called after it.
//     (TestNothingIsSubmittedToAQueueWithReservation)
//   - Nothing is preempted for requests without memory; in Hadoop as much as is asked, however little is lacking.
//     (TestNothingIsPreemptedForNoMemory)
//   - The steady share of a queue with a maximum from maxChildResources is within it; in Hadoop not until the next change of
//     nodes or queues, when a file was read again. (TestGoldenFixed)
//   - The default policy cannot be FIFO by the name of its class either; in Hadoop it can, and then no queue is made.
//     (TestTheDefaultPolicyIsNotFIFO)
//   - A container that ended by itself after it was marked, and before its application knew of it, is asked for again once; in
//     Hadoop twice. (TestWhatEndsBeforeItIsPreemptedIsAskedForOnce)
//   - What a file says in vain is told in words, with the line: elements that no setting is called, queues that are not there
//     for their policy, minimums above maximums. Hadoop logs some of it. (TestWhatAFileSaysInVain)
//   - A file that is older than the one before, and comes in its place, is a change; Hadoop does not see it.
//     (TestAnOlderFileInItsPlaceIsAChange)
//   - A file that cannot be used again is told of when its reason is another one; Hadoop says the first and then no more.
//     (TestABadFileIsToldOnce)
//   - An application that is moved does not count against itself at the limits of running applications that it fills already,
//     of a queue above both or of its user; in Hadoop it does, and the move fails. (TestAMoverDoesNotCountAgainstItself)
//   - The ApplicationMaster of an application that is moved counts in its new queue; in Hadoop it counts in neither, and is
//     taken off the new queue at its end. (TestAnApplicationMasterMovesAlong)
//   - In its new queue an application has to be below its share for the time-out before others lose containers for it; in Hadoop
//     the time in the old queue counts. (TestStarvationBeginsAnewInAnotherQueue)
//   - An application whose attempt has ended may be moved, and the next attempt begins in the new queue; Hadoop refuses.
//     (TestAnApplicationMovesBetweenAttempts)
package fair
