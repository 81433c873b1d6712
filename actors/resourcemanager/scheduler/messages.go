package scheduler

import (
	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
)

// AMAllocated says that the scheduler has a container for an ApplicationMaster.
type AMAllocated struct {
	rpcenv.Local
	Attempt ids.Attempt
}

// AMContainerFinished says that the container of an attempt's ApplicationMaster ended.
type AMContainerFinished struct {
	rpcenv.Local
	Attempt ids.Attempt
	Status  *yarn.ContainerStatus
}

// RunningOnNode says that an application has a container on a node, or files of it.
type RunningOnNode struct {
	rpcenv.Local
	App  ids.Application
	Node ids.Node
}

// CleanUpContainer says that a node has to end a container.
type CleanUpContainer struct {
	rpcenv.Local
	Node      ids.Node
	Container ids.Container
}

// ForgetContainer says that a container's ApplicationMaster knows of its end, or that nobody waits for it: its node may forget it.
type ForgetContainer struct {
	rpcenv.Local
	Node      ids.Node
	Container ids.Container
}
