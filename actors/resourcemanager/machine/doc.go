// Package machine has the four state machines of a ResourceManager as values: an application ([App]), its attempts
// ([Attempt]), containers ([Container]) and nodes ([Node]). It mirrors org.apache.hadoop.yarn.server.resourcemanager's
// RMAppImpl, RMAppAttemptImpl, RMContainerImpl and RMNodeImpl.
//
// A machine is a table of [github.com/coherer/coherer/actors/machine]. Step returns the machine after the event and the actions
// that follow: the owner of the book carries them out.
//
// # Differences from Hadoop
//
//   - An ApplicationMaster that registers before the answer of its NodeManager came is RUNNING, and that answer changes
//     nothing then; Hadoop has no row for it. (TestAnApplicationMasterMayRegisterBeforeItsLaunchIsAnswered)
//   - An application that is KILLED or FAILED ignores late answers of its scheduler; Hadoop logs an error for some of these.
//     (TestMachinesAreTheTables)
//   - The tables have no rows for unmanaged ApplicationMasters, moves between queues, changes of a node's size from outside
//     (RESOURCE_UPDATE) and NODE_UPDATE of an application: the ApplicationMasterService itself keeps which nodes changed.
//     (TestMachinesAreTheTables)
package machine
