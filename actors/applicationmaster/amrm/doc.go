// Package amrm is an application's side of YARN's ApplicationMasterProtocol, without its calls: which containers it wants
// where, what of that the ResourceManager has not heard yet, which containers are to be released, which nodes to be
// avoided. It mirrors org.apache.hadoop.yarn.client.api.impl.AMRMClientImpl.
//
// A [ContainerRequest] asks for one container. It counts on each of its nodes, on their racks, and on [Any]; the [Ask] of
// such a place tells the whole count, so hearing it twice does no harm. Only what changed is told: [Table.Take] gives the
// next [Call] and regards it as told; [Table.Failed] takes a call back that nobody heard, where what changed meanwhile
// wins. [Table.Given] is silent where the ResourceManager knows already. [Table.Reregistered] tells everything anew, to a
// ResourceManager that forgot it.
package amrm
