// Package machine has the four state machines of a ResourceManager as values: an application ([App]), its attempts
// ([Attempt]), containers ([Container]) and nodes ([Node]). It mirrors org.apache.hadoop.yarn.server.resourcemanager's
// RMAppImpl, RMAppAttemptImpl, RMContainerImpl and RMNodeImpl.
//
// A machine is a table of (state, event, case) to a state and actions; a [Case] is what the table cannot know and who steps
// does, such as whether the container that ended is the attempt's own. Step returns the machine after the event and what is
// to be done, as data: who owns the book does it. An event that the state has no row for is an [*IllegalEventError] and
// changes nothing; events that come late and mean nothing any more have rows of their own.
//
// # Differences from Hadoop
//
//   - An ApplicationMaster that registers before the answer of its NodeManager came is RUNNING, and that answer changes
//     nothing then; Hadoop has no row for it. (TestAnApplicationMasterMayRegisterBeforeItsLaunchIsAnswered)
//   - An application that is KILLED or FAILED ignores whatever its scheduler says of it late; Hadoop logs an error for some of
//     these. (TestMachinesAreTheTables)
//   - There are no unmanaged ApplicationMasters, moves between queues, changes of a node's size from outside (RESOURCE_UPDATE),
//     and no NODE_UPDATE of an application: what changed among nodes is kept by who answers the ApplicationMaster.
//     (TestMachinesAreTheTables)
package machine
