//coherer:pure

package fair

// Faults are the faults of Hadoop 3.4 that a scheduler has, for study: coherer.compat. The zero value has none. Each comment
// names the class that has the fault; testdata/differences.txt says what holds without it.
type Faults struct {
	// CrossingAsks is YARN-1902 and YARN-11702, AppSchedulingInfo: an ask counts in addition to the containers that were given
	// and not pulled yet, though the application did not know of them when it asked.
	CrossingAsks bool
	// StalePasses, FairScheduler: a continuous pass skips an application that had no demand at the last update. The owner calls
	// Update before a pass without it.
	StalePasses bool

	nanParts       bool // DominantResourceFairnessPolicy: 0 of 0 is a NaN, equal to every number
	keepsShares    bool // FifoPolicy: only the first application's fair share is computed, the others keep theirs
	limitsRoot     bool // AllocationConfiguration: the defaults of queues limit root, and so the whole cluster
	leavesNoCores  bool // FairSchedulerConfiguration: a maximum of memory alone leaves -1 cores
	noMinimumParts bool // ConfigurableResource: a minimum in per cent is 0
	amShareUnset   bool // FSLeafQueue: of the maxAMShares below 0, -1 alone limits nothing
	anyNumber      bool // AllocationFileQueueParser: weights below 0, and NaN for any number
	halfReloads    bool // FairScheduler, QueueManager: what a reload cannot do ends it, and steady shares come before maxima
	secondsWrap    bool // AllocationFileQueueParser: a time-out in milliseconds that overflows
	rootInOneCase  bool // AllocationFileQueueParser: a queue element ROOT makes root.ROOT
	queueSuffixes  bool // AllocationFileQueueParser: tags that "queue" ends with are queues
	vanishing      bool // QueueManager: a queue that a file has twice loses children as its hash sets have it
	plansAccept    bool // QueuePlacementPolicy: a submission to a queue with <reservation> goes to one below it
	fifoByClass    bool // AllocationFileParser: the class of FifoPolicy passes as the default policy
	missesOlder    bool // AllocationFileLoaderService: an older file in the file's place is no change

	onePerRoom    bool // FairScheduler: a continuous pass offers one of the nodes with equal free memory
	releasesAny   bool // AbstractYarnScheduler: an application releases others' containers
	boundsAnyOnly bool // FSAppAttempt: the maximum of the queue bounds only the size that is asked for any node
	amAskedSize   bool // FSAppAttempt: an ApplicationMaster counts with the size asked for, not the reserved one it has
	badHeadroom   bool // FSAppAttempt: headroom below 0, and of the nodes blacklisted at the last change of the blacklist
	hashOrder     bool // FSAppAttempt, FSPreemptionThread, ClusterNodeTracker: hash maps and heaps give the order

	preemptsInVain  bool // FSPreemptionThread: containers end for an application that cannot use the room, or has enough
	owesAllVictims  bool // FSPreemptionThread: a node owes the sum of the victims, not the size wanted
	owesEachType    bool // FSSchedulerNode: what is owed is paid only when nothing of any type is left
	leastFirst      bool // FSPreemptionThread: the least starved application is helped first
	hidesStarving   bool // FSLeafQueue: an application with its share hides those served after it; what one lacked before stays
	starvesIdle     bool // FSAppAttempt: the time below the share runs while an application may not run, or wants nothing
	wrongPart       bool // FSLeafQueue: one that wants more than the queue lacks to its minimum gets the difference
	noTimeToTake    bool // FSPreemptionThread: the interval of heartbeats is read before it is set
	preemptsNoSize  bool // FSAppAttempt: requests without memory fit endlessly often into what is lacking, a quotient of floats
	hostsAsRacks    bool // VisitedResourceRequestTracker: a host with two nodes is taken for a rack
	asksAgain       bool // FSPreemptionThread: a marked container that has ended ends once more
	countsMover     bool // FairScheduler: a moved application counts against itself
	forgetsMovedAM  bool // FairScheduler: the ApplicationMaster of a moved application counts in no queue
	starvesMoved    bool // FairScheduler: in its new queue an application goes on starving
	refusesEndedApp bool // FairScheduler: an application between two attempts does not move
}

// Upstream are all of them: Hadoop 3.4, exactly.
func Upstream() Faults {
	return Faults{
		CrossingAsks: true, StalePasses: true,
		nanParts: true, keepsShares: true, limitsRoot: true, leavesNoCores: true, noMinimumParts: true, amShareUnset: true,
		anyNumber: true, halfReloads: true, secondsWrap: true, rootInOneCase: true, queueSuffixes: true, vanishing: true,
		plansAccept: true, fifoByClass: true, missesOlder: true,
		onePerRoom: true, releasesAny: true, boundsAnyOnly: true, amAskedSize: true, badHeadroom: true, hashOrder: true,
		preemptsInVain: true, owesAllVictims: true, owesEachType: true, leastFirst: true, hidesStarving: true, starvesIdle: true,
		wrongPart: true, noTimeToTake: true, preemptsNoSize: true, hostsAsRacks: true, asksAgain: true,
		countsMover: true, forgetsMovedAM: true, starvesMoved: true, refusesEndedApp: true,
	}
}
