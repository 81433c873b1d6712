// Package scheduler has the ResourceManager's endpoint Scheduler: it owns queues and containers. Package fair decides which
// application gets what; the Scheduler lets containers step through their machine, notifies its siblings, and keeps the ends of
// containers until their ApplicationMasters have acknowledged them. It mirrors the event handler of FairScheduler, and
// ContainerAllocationExpirer.
//
// ResourceTracker sends the news of nodes, ClientRMService applications and attempts, ApplicationMasterService asks and releases.
// Each message stands with its method, except those that the Scheduler sends: messages.go has them. Nothing of its books leaves
// it but by answers, which are copies; [Scheduler.Look] is for observers of a simulation.
//
// Its first message is [BeginScheduler]: it refuses all others before, and its requesters ask again. After a restart it gives no
// containers while nodes come back, for yarn.resourcemanager.work-preserving-recovery.scheduling-wait-ms.
package scheduler
