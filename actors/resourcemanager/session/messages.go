package session

import (
	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
)

// AMRegistered says that an ApplicationMaster registered.
type AMRegistered struct {
	rpcenv.Local
	Attempt ids.Attempt
	Host    string
	Port    int32
	URL     string
}

// AMProgress is the progress of an application, from 0 to 1.
type AMProgress struct {
	rpcenv.Local
	Attempt  ids.Attempt
	Progress float32
}

// AMUnregistered says how an application ended, in its ApplicationMaster's words.
type AMUnregistered struct {
	rpcenv.Local
	Attempt     ids.Attempt
	Final       yarn.FinalApplicationStatus
	Diagnostics string
	URL         string
}

// AMExpired says that an ApplicationMaster has been silent for too long.
type AMExpired struct {
	rpcenv.Local
	Attempt ids.Attempt
}
