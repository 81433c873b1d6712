// Package allocator is the part of an ApplicationMaster that decides: how many containers to ask for and where, which
// executor gets which container, what the end of a container means, when the application has failed too often. It mirrors
// org.apache.spark.deploy.yarn.YarnAllocator with its placement strategy, its trackers, and the rhythm of the thread that
// calls it.
//
// An [Allocator] is a value with one owner. It sends nothing and waits for nothing: its methods return what is to be
// done. The order of a round is [Allocator.Update], whose changes go into the table of package amrm; a call of the
// ResourceManager; [Allocator.Allocated] and [Allocator.CompletedContainers] with the answer. [Allocator.RequestTotal],
// [Allocator.Kill], [Allocator.LossReason] and [Allocator.Launched] may come at any time, also while the call is out.
//
// # Differences from Spark
//
//   - A container beyond the target, starting executors counted, is given back; Spark counts those that run, and keeps it,
//     unused, until it expires. (TestAContainerBeyondTheTargetIsGivenBack)
//   - Of a profile at most MostExecutors are wanted, however many the driver asks for. (TestATargetHasABound)
//   - A container that is too small is given back; in Spark an assertion fails, and so does the call.
//     (TestAContainerThatIsTooSmallIsGivenBack)
//   - Racks come from Config.Rack, which does not block, so the second pass of matching needs no thread of its own.
//     (TestHostRackAndAnyAreMatchedInThisOrder)
//   - With spark.yarn.executor.nodeLabelExpression no hosts are asked for, which YARN takes with no label; Spark asks, and its
//     calls fail. (TestALabelTakesNoHosts)
package allocator
