// Package machine holds the state machines of a NodeManager as values: [Application], [Container] and [LocalizedResource],
// which mirror Hadoop's ApplicationImpl, ContainerImpl and LocalizedResource. Next takes an event and returns the value that
// follows with the [Action]s to carry out, in order. What follows is a table of [github.com/coherer/coherer/actors/machine]: an
// event that has no place in a state is its IllegalEventError, and nothing changes.
//
// Left out are the states of pausing and of re-initialising: no message of this project asks for them.
package machine
