// Package life has what all endpoints of a ResourceManager know of its life: when it began, which one it is, and its keys.
package life

import (
	"fmt"

	"github.com/coherer/coherer/actors/hadoop/exceptions"
	"github.com/coherer/coherer/actors/hadoop/token"
	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
)

// Life is one life of a ResourceManager. It never changes. Container, NM and AMRM are the keys of its tokens.
type Life struct {
	Timestamp int64 // when it began, in ms; part of the ids of its applications, and its identity at nodes
	Epoch     int32 // the number of lives before it with these records
	Container *yarn.MasterKey
	NM        *yarn.MasterKey
	AMRM      *yarn.MasterKey
	Recovered bool // the records have applications that have not ended
}

// NMToken lets an attempt of a user speak to a NodeManager.
func (l Life) NMToken(attempt ids.Attempt, n ids.Node, user string) (*yarn.Token, error) {
	return token.Make(token.NM, n.String(), l.NM, &yarn.NMTokenIdentifier{
		AppAttemptId: attempt.Proto(), NodeId: n.Proto(), AppSubmitter: user, KeyId: l.NM.GetKeyId(),
	})
}

// ContainerToken starts a container on n. The identifier says which container, and whose; ContainerToken adds the node, the key
// and this life: a node that has registered with another life of the ResourceManager refuses the container.
func (l Life) ContainerToken(n ids.Node, identifier *yarn.ContainerTokenIdentifier) (*yarn.Token, error) {
	identifier.NmHostAddr, identifier.MasterKeyId, identifier.RmIdentifier = n.String(), l.Container.GetKeyId(), l.Timestamp
	return token.Make(token.Container, n.String(), l.Container, identifier)
}

// ErrNotReady is the answer until the records are read; clients take it as a reason to ask again.
func ErrNotReady() error {
	return fmt.Errorf("%w: the ResourceManager reads its records, ask again", exceptions.Retriable)
}

// Sibling is another endpoint of the ResourceManager.
func Sibling(c *rpcenv.Context, name string) rpcenv.Ref {
	return rpcenv.Ref{Address: c.Self().Address, Name: name}
}
