package resourcemanager

import (
	"fmt"

	"github.com/coherer/coherer/actors/exceptions"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
)

// beginService tells the ApplicationMasterService that the ResourceManager serves, and as whom.
type beginService struct {
	rpcenv.Local
	life
}

func (s *ApplicationMasterService) beginService(m beginService) { s.life, s.ready = m.life, true }

// life is one life of a ResourceManager: what its endpoints have in common. It never changes.
type life struct {
	timestamp int64 // when it began, in ms; part of the ids of its applications, and its identity at nodes
	epoch     int32 // how many were before it with these records
	container *yarn.MasterKey
	nm        *yarn.MasterKey
	amrm      *yarn.MasterKey
	recovered bool // there are records of applications that have not ended
}

// errNotReady is the answer while the records are being read.
func errNotReady() error {
	return fmt.Errorf("%w: the ResourceManager reads its records, ask again", exceptions.Retriable)
}

// sibling is another endpoint of the ResourceManager.
func sibling(c *rpcenv.Context, name string) rpcenv.Ref {
	return rpcenv.Ref{Address: c.Self().Address, Name: name}
}
