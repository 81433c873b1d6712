package container

import (
	"time"

	"github.com/coherer/coherer/actors/nodemanager"
	"github.com/coherer/coherer/cluster/machine"
	"github.com/coherer/coherer/rpcenv"
)

// Machine is this computer, as a NodeManager looks at it.
type Machine struct{ Volumes *Disks }

var _ nodemanager.Machine = Machine{}

// Usage is the memory of a tree of processes.
func (Machine) Usage(_ *rpcenv.Blocking, pid int) (nodemanager.Usage, error) {
	m, err := machine.Usage(pid)
	return nodemanager.Usage(m), err
}

// Disks looks at the node's directories.
func (m Machine) Disks(*rpcenv.Blocking) (report string, healthy bool) { return m.Volumes.Check() }

// Script runs the health script.
func (Machine) Script(b *rpcenv.Blocking, path string, limit time.Duration) (report string, healthy bool) {
	return machine.Health(b.Context(), path, limit)
}
