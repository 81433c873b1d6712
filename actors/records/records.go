// Package records is what a Master, a ResourceManager and the stores of their records agree on: a [Change], a [Store], and the
// error of a store that another process leads.
package records

import (
	"errors"

	"github.com/coherer/coherer/rpcenv"
)

// Change is a record, or its removal.
type Change struct {
	Key   string // the kind and the id, such as app_ID
	Value []byte // nil: the record is removed
}

// Store keeps the records of its owner over its death. It mirrors org.apache.spark.deploy.master.PersistenceEngine. Its methods
// are bodies of [rpcenv.Run], one at a time: they may do I/O.
type Store interface {
	// Load reads all records, in the order of their keys. bad says which cannot be read, and why: the rest recovers.
	Load(b *rpcenv.Blocking) (all []Change, bad []error, err error)
	// Write makes changes durable, in their order, all or none; when it returns nil they are. An error says which file or
	// peer failed and why: the owner then ends, with exit code 1, or 0 when it is an [ErrNotLeader].
	Write(b *rpcenv.Blocking, changes []Change) error
}

// ErrNotLeader is what Write returns when another process leads: nothing failed.
var ErrNotLeader = errors.New("another Master leads")
