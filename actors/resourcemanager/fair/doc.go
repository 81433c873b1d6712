// Package fair is Hadoop's FairScheduler as pure code: nodes, applications, asks and time come in as calls, decisions come out
// as values. Nothing here reads a clock, a file or a random number, starts a goroutine or takes a lock; the owner of a
// Scheduler calls it from one place.
//
// Amounts are a Resource: memory in MiB and virtual cores. Queues and applications are schedulables, and a schedulingPolicy (fair, drf
// or fifo) divides among them and orders them for service. Allocations are the content of fair-scheduler.xml; a Reload decides
// when a changed file counts.
//
// Config.Faults are the faults of Hadoop 3.4 that are kept for study, each a field; Upstream has all of them. TestGolden
// compares Upstream with the answers of Hadoop's own classes to recorded inputs; the historic files have the code that only
// faults run. Without faults the recorded cases below differ, and no others (TestGoldenFixed).
//
// A Scheduler keeps siblings in the order of their policy and corrects it where something changed, so that the cost of an offer
// grows with the changes and not with the number of queues and applications. The owner passes the time. FIFO, Hadoop's
// FifoScheduler, has the same calls. Why names the reasons that keep an application waiting, by the filters of an offer.
//
// It mirrors org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.
//
// # Differences from Hadoop
//
// With coherer.compat=upstream only the words of errors and warnings differ.
//
//   - The comparator of drf is a total order, since 0 of 0 counts as 0; in Hadoop it is a NaN, which is equal to every
//     number, so that three queues can each come before the next in a circle. (TestTheComparatorsAreTotal)
//   - Under fifo only the application that started first has a fair share; in Hadoop the others keep what they had.
//     (TestFIFOTakesTheShareOfWhoComesLater)
//   - queueMaxAppsDefault and queueMaxResourcesDefault hold for the queues below root; in Hadoop for root too, so that a
//     limit of each queue is one of the whole cluster. (TestDefaultsOfQueuesDoNotLimitTheCluster)
//   - A maximum such as memory-mb=4096 limits memory alone; in Hadoop it leaves no cores, and every ask is refused.
//     (TestAMaximumOfOneTypeDoesNotLimitTheOther)
//   - A minimum in per cent is that part of the cluster; in Hadoop it is 0, without a warning. (TestAMinimumInPerCent)
//   - A maxAMShare below 0 limits nothing; in Hadoop -1 alone does, and under another one no ApplicationMaster runs.
//     (TestAMaxAMShareBelowZeroLimitsNothing)
//   - A weight below 0, or one that is not a number, is an error of the file; Hadoop takes it, and serves that queue first under
//     drf. (TestAWeightIsANumberFromZeroUp)
//   - A reload takes effect as a whole, except that all old policies stay if a queue could not have its new one. In Hadoop the
//     new policies set before that queue stay, and a missing queue of the old file ends the reload: waiting applications go on
//     waiting, and maxChildResources is forgotten. (TestAReloadIsDoneAsAWhole)
//   - A time-out of more seconds than a Duration holds means never; in Hadoop 9223372036854775807 is -1 s, so that an
//     application with less than its share takes from others at once. (TestATimeOutWithoutEndIsNone)
//   - A queue element named ROOT is root's; in Hadoop it makes a queue root.ROOT, and its settings and those of its queues are
//     lost. (TestTheNameOfRootIsReadInAnyCase)
//   - In a queue element the tags queue and pool are queues; in Hadoop so is every tag that the word queue ends with, such as ue.
//     (TestOnlyQueueAndPoolAreQueues)
//   - An application gets at most its demand of the amount that its queue lacks to its minimum. In Hadoop one that wants more
//     than is lacking gets the difference, so that too little or too much is preempted for it. (TestGoldenFixed)
//   - A continuous pass offers each node; in Hadoop only one of those with equal free memory. (TestGoldenFixed)
//   - An ask includes containers that its application has not pulled yet, since it does not know of them. In Hadoop 3.4, and with
//     CrossingAsks, the book forgets them, and gives them once more (YARN-1902, YARN-11702). (TestAnAskThatCrossesAContainer)
//   - An application cannot release another's container; in Hadoop's scheduler it can, and only the ApplicationMasterService
//     prevents it. (TestGoldenFixed)
//   - Preemption is never useless: not where the starved application would get nothing for it (on nodes that are too far or that
//     it does not want, for a request behind one that stays too large, when its queue is full), not when there is room or more
//     than enough is marked already, not from its own containers, and not from its queue's when only the queue's minimum is not
//     met. In Hadoop all of these happen. (TestPreemptionIsNeverUseless)
//   - A node owes the starved application the size that it wanted; in Hadoop the sum of the preempted containers, and one
//     application may get what was preempted for two. (TestPreemptionIsNeverUseless)
//   - An application that is owed two cores and takes a container with one core, and all of the memory, is owed nothing more; in
//     Hadoop it gets another one, perhaps from the room of somebody else. (TestWhatIsOwedIsPaidWhenATypeIs)
//   - The most starved application is helped first; in Hadoop the least starved one. (TestTheMostStarvedIsHelpedFirst)
//   - Each application that is below its share for its time-out is helped; in Hadoop one with its share hides those served after
//     it, and an amount lacking at the last check stays. (TestWhoHasItsShareHidesNobodyThatStarves)
//   - The time below the share begins when an application may run and wants something; in Hadoop with its arrival, or its last
//     check. (TestTheTimeBelowTheShareIsOneOfWanting)
//   - A request at a host with two nodes and at its rack is helped once; in Hadoop twice, since it takes such a host for a rack.
//     (TestWhichRequestsAreStarved)
//   - The newest container of a node is preempted first, nodes are searched in the order of their arrival, and requests by
//     priority; in Hadoop the buckets of hash maps decide. (TestTheNewestIsPreemptedFirst)
//   - An application that was helped has the time of four heartbeats of nodes before the next check; in Hadoop no time, since
//     the interval is read before it is set. (TestWhoWasHelpedHasFourHeartbeats)
//   - Headroom is never negative and excludes blacklisted nodes; in Hadoop it is negative in a queue above its maximum, and
//     excludes the nodes of the time when the blacklist last changed. (TestHeadroomIsWhatThereIs)
//   - An ApplicationMaster counts in its queue with the size that it has; in Hadoop, after a reservation, with the size asked for
//     at that time. (TestAnApplicationMasterCountsWithWhatItHas)
//   - A container has to be within the maximum of the queue, even if it is larger than the ask for any node; Hadoop checks only
//     that ask. (TestBooksHoldOverAnyHistory)
//   - A queue that a file has twice, as a leaf and as a parent, has all its children; in Hadoop those that come first in a
//     hash set vanish with the leaf. (TestAQueueThatIsThereTwiceKeepsItsChildren)
//   - A queue with <reservation> accepts no submissions; in Hadoop they go to a queue below it with a derived name.
//     (TestNothingIsSubmittedToAQueueWithReservation)
//   - Preemption ignores requests without memory; Hadoop preempts for all of them, however little is lacking.
//     (TestNothingIsPreemptedForNoMemory)
//   - The steady share of a queue with a maximum from maxChildResources is within it; in Hadoop, after a reload, only from the
//     next change of nodes or queues. (TestGoldenFixed)
//   - The default policy cannot be FIFO by the name of its class either; in Hadoop it can, and then no queue is made.
//     (TestTheDefaultPolicyIsNotFIFO)
//   - A container that ended by itself after it was marked, and before its application knew of it, is asked for again once; in
//     Hadoop twice. (TestWhatEndsBeforeItIsPreemptedIsAskedForOnce)
//   - Parts of a file without effect get a warning with the line: unknown elements, queues left out for their policy, minimums
//     above maximums. Hadoop logs some of them. (TestWhatAFileSaysInVain)
//   - An older file that replaces the file is a change; Hadoop does not see it. (TestAnOlderFileInItsPlaceIsAChange)
//   - Each new reason why a changed file is bad is reported; Hadoop reports the first and then no more.
//     (TestABadFileIsToldOnce)
//   - A moved application does not count against itself at the limits of running applications that it fills already, those of a
//     queue above both and of its user; in Hadoop it does, and the move fails. (TestAMoverDoesNotCountAgainstItself)
//   - The ApplicationMaster of a moved application counts in its new queue; in Hadoop it counts in neither, and is subtracted
//     from the new queue at its end. (TestAnApplicationMasterMovesAlong)
//   - In its new queue an application has to be below its share for the time-out before others lose containers for it; in Hadoop
//     the time in the old queue counts. (TestStarvationBeginsAnewInAnotherQueue)
//   - An application whose attempt has ended may be moved, and the next attempt begins in the new queue; Hadoop refuses.
//     (TestAnApplicationMovesBetweenAttempts)
package fair
