// Package fair is Hadoop's FairScheduler as pure code: nodes, applications, asks and time come in as calls, decisions come out
// as values. Nothing here reads a clock, a file or a random number, starts a goroutine or takes a lock; the owner of a
// Scheduler calls it from one place.
//
// Amounts are a Resource: memory in MiB and virtual cores. Queues and applications are schedulables, and a schedulingPolicy (fair, drf
// or fifo) divides among them and orders them for service. Allocations are the content of fair-scheduler.xml; a Reload decides
// when a changed file counts.
//
// Config.Faults are the faults of Hadoop 3.4 that are kept for study, each a field; Upstream has all of them, and only the words of
// errors and warnings differ from Hadoop's then. TestGolden compares Upstream with the answers of Hadoop's own classes to recorded
// inputs; the historic files have the code that only faults run. Without faults the cases in goldenDifferences differ, and no
// others (TestGoldenFixed); testdata/differences.txt says what holds instead.
//
// A Scheduler keeps siblings in the order of their policy and corrects it where something changed, so that the cost of an offer
// grows with the changes and not with the number of queues and applications. The owner passes the time. FIFO, Hadoop's
// FifoScheduler, has the same calls. Why names the reasons that keep an application waiting, by the filters of an offer.
//
// It mirrors org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.
package fair
