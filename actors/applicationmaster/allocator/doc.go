// Package allocator is the part of an ApplicationMaster that decides: how many containers to ask for and where, which
// executor gets which container, what the end of a container means, when the application has failed too often. It mirrors
// org.apache.spark.deploy.yarn.YarnAllocator with its placement strategy, its trackers, and the rhythm of the thread that
// calls it.
//
// An [Allocator] is a value with one owner. It sends nothing and waits for nothing: its methods return what is to be
// done. The order of a round is [Allocator.Update], whose changes go into the table of package amrm; a call of the
// ResourceManager; [Allocator.Allocated] and [Allocator.CompletedContainers] with the answer. [Allocator.RequestTotal],
// [Allocator.Kill], [Allocator.LossReason] and [Allocator.Launched] may come at any time, also while the call is out.
package allocator
