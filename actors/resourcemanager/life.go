package resourcemanager

import (
	"fmt"

	"github.com/coherer/coherer/actors/hadoop/exceptions"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
)

// beginService notifies the ApplicationMasterService that the ResourceManager serves, and with which identity and keys.
type beginService struct {
	rpcenv.Local
	life
}

func (s *ApplicationMasterService) beginService(m beginService) { s.life, s.ready = m.life, true }

// life is one life of a ResourceManager, common to its endpoints. It never changes.
type life struct {
	timestamp int64 // when it began, in ms; part of the ids of its applications, and its identity at nodes
	epoch     int32 // the number of lives before it with these records
	container *yarn.MasterKey
	nm        *yarn.MasterKey
	amrm      *yarn.MasterKey
	recovered bool // the records have applications that have not ended
}

// errNotReady is the answer until the records are read; clients take it as a reason to ask again.
func errNotReady() error {
	return fmt.Errorf("%w: the ResourceManager reads its records, ask again", exceptions.Retriable)
}

// sibling is another endpoint of the ResourceManager.
func sibling(c *rpcenv.Context, name string) rpcenv.Ref {
	return rpcenv.Ref{Address: c.Self().Address, Name: name}
}
