// Package fair is Hadoop's FairScheduler as pure code: what it is told (nodes, applications, asks, time) comes in as calls,
// what it decides comes out as values. Nothing here reads a clock, a file or a random number, starts a goroutine or takes a
// lock; whoever owns a Scheduler calls it from one place.
//
// Amounts are a Resource: memory in MiB and virtual cores. Queues and applications are Schedulables, and a Policy (fair, drf
// or fifo) divides among them and says which is served first. Allocations are what fair-scheduler.xml says.
//
// Config.Compat chooses between Fixed and Upstream, which is Hadoop 3.4 with its faults. TestGolden compares Upstream with
// what Hadoop's own classes answered to recorded inputs; historic.go has what only Upstream does.
//
// It mirrors org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.
package fair
