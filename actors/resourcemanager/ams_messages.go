package resourcemanager

import (
	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
)

// amRegistered says that an ApplicationMaster registered.
type amRegistered struct {
	rpcenv.Local
	attempt ids.Attempt
	host    string
	port    int32
	url     string
}

// amProgress is the progress of an application, from 0 to 1.
type amProgress struct {
	rpcenv.Local
	attempt  ids.Attempt
	progress float32
}

// amUnregistered says how an application ended, in its ApplicationMaster's words.
type amUnregistered struct {
	rpcenv.Local
	attempt     ids.Attempt
	final       yarn.FinalApplicationStatus
	diagnostics string
	url         string
}

// amExpired says that an ApplicationMaster has been silent for too long.
type amExpired struct {
	rpcenv.Local
	attempt ids.Attempt
}
