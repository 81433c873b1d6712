package resourcemanager

import (
	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
)

// amAllocated says that the scheduler has a container for an ApplicationMaster.
type amAllocated struct {
	rpcenv.Local
	attempt ids.Attempt
}

// amContainerFinished says that the container of an attempt's ApplicationMaster ended.
type amContainerFinished struct {
	rpcenv.Local
	attempt ids.Attempt
	status  *yarn.ContainerStatus
}

// runningOnNode says that an application has a container on a node, or files of it.
type runningOnNode struct {
	rpcenv.Local
	app  ids.Application
	node ids.Node
}

// cleanUpContainer says that a node has to end a container.
type cleanUpContainer struct {
	rpcenv.Local
	node      ids.Node
	container ids.Container
}

// forgetContainer says that a container's ApplicationMaster knows of its end, or that nobody waits for it: its node may forget it.
type forgetContainer struct {
	rpcenv.Local
	node      ids.Node
	container ids.Container
}
