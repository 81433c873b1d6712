// Package machine has the four state machines of a ResourceManager as values: an application ([App]), its attempts
// ([Attempt]), containers ([Container]) and nodes ([Node]). It mirrors org.apache.hadoop.yarn.server.resourcemanager's
// RMAppImpl, RMAppAttemptImpl, RMContainerImpl and RMNodeImpl.
//
// A machine is a table of [github.com/coherer/coherer/actors/machine]. Step returns the machine after the event and the actions
// that follow: the owner of the book carries them out.
package machine
