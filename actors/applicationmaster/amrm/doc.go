// Package amrm is an application's side of YARN's ApplicationMasterProtocol, without its calls: which containers it wants
// where, which of these wishes the ResourceManager has not heard yet, which containers to release, which nodes to avoid. It
// mirrors org.apache.hadoop.yarn.client.api.impl.AMRMClientImpl.
//
// A [ContainerRequest] asks for one container. It counts on each of its nodes, on their racks, and on [Any]; the [Ask] of
// such a place has the whole count, so a repeated one does no harm. A call has only what changed: [Table.Take] returns the
// next [Call] and regards it as sent; [Table.Failed] takes a call back that nobody heard, where newer changes win.
// [Table.Given] sends nothing where the ResourceManager knows the count already. [Table.Reregistered] makes the next call have
// everything, for a ResourceManager that forgot it.
package amrm
