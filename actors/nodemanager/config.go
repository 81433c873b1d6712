package nodemanager

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/coherer/coherer/actors/nodemanager/launch"
	"github.com/coherer/coherer/actors/shuffleservice"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
)

// Config is what a NodeManager is made of. What is a setting of Hadoop comes from the Env's conf.
type Config struct {
	// ResourceManager is where the endpoint ResourceTracker is; zero: Membership finds it.
	ResourceManager rpcenv.Address
	// Membership says that this node goes to whichever ResourceManager the endpoint Membership reports.
	Membership bool
	// MemoryMB is how much memory this node offers, in MiB, at least 1.
	MemoryMB int64
	// VCores is how many virtual cores this node offers, at least 1.
	VCores int
	// Rack is where the node is; empty: ids.DefaultRack.
	Rack string
	// HTTPPort is where this node's pages are; 0: without pages.
	HTTPPort int
	// Localizer brings resources to this machine; nil: they are where their URLs say.
	Localizer Localizer
	// Containers makes what containers need on the disk; nil: they need nothing.
	Containers Containers
	// Logs are what containers wrote; nil: it stays where it is.
	Logs Logs
	// ShuffleOutputs makes the process have an [shuffleservice.Service], the auxiliary service spark_shuffle; nil: it has none.
	ShuffleOutputs shuffleservice.Outputs
	// Machine is checked for memory and health; nil: no checks, and the node is healthy.
	Machine Machine
}

// Validate reports all that is wrong with c.
func (c *Config) Validate() error {
	var errs []error
	if c.ResourceManager.IsZero() && !c.Membership {
		errs = append(errs, errors.New("a node needs a ResourceManager: name one as HOST:PORT"))
	}
	if c.MemoryMB < 1 {
		errs = append(errs, fmt.Errorf("a node with %d MiB of memory runs nothing: want 1 at least", c.MemoryMB))
	}
	if c.VCores < 1 {
		errs = append(errs, fmt.Errorf("a node with %d virtual cores runs nothing: want 1 at least", c.VCores))
	}
	if c.VCores > math.MaxInt32 { // messages have 32 bits for them
		errs = append(errs, fmt.Errorf("a node with %d virtual cores: want %d at most", c.VCores, math.MaxInt32))
	}
	return errors.Join(errs...)
}

// Localizer is the cache of resources on this machine. What its methods do may take long; they may be called side by side.
type Localizer interface {
	// Fetch brings a resource and returns its place: a file or, of an archive, a directory. Size and time of change of the
	// source must be those of the resource. An error ends the containers that want the resource, and is their diagnostics.
	Fetch(b *rpcenv.Blocking, r Resource) (Fetched, error)
	// Remove removes what Fetch brought. Nothing there is no error.
	Remove(b *rpcenv.Blocking, path string) error
}

// Resource is what [Localizer] fetches.
type Resource struct {
	Key
	// Size is the source's in bytes.
	Size int64
	// User and App are the owners: resources that are not PUBLIC lie in their directories.
	User, App string
}

// Key is what makes two resources the same: they are fetched once. It mirrors LocalResourceRequest. Those that are not
// PUBLIC are only the same for one user, or for one application.
type Key struct {
	URL string
	// Timestamp is the time of change in ms since 1970.
	Timestamp  int64
	Type       yarn.LocalResourceType
	Visibility yarn.LocalResourceVisibility
	Pattern    string
}

// Fetched is what [Localizer] brought.
type Fetched struct {
	Path string
	// Size is how much room it takes, in bytes.
	Size int64
}

// Containers are the directories of applications and containers. Names that it is given are plain ones. What its methods do
// may take long.
type Containers interface {
	// Prepare makes a container's directories and writes there what its process needs. It fills in where: the directories
	// and, from the node's own environment, what the container inherits. ErrDisksFailed, when no directory can be used.
	Prepare(b *rpcenv.Blocking, c launch.Container) (launch.Container, error)
	// Output is the last part of the output of a container that failed, for the diagnostics.
	Output(b *rpcenv.Blocking, c launch.Container) string
	// Remove removes a container's directories, but not its logs. Nothing there is no error.
	Remove(b *rpcenv.Blocking, c launch.Container) error
	// RemoveApplication removes what an application that ended has on this machine, but for the logs of its containers.
	RemoveApplication(b *rpcenv.Blocking, user, app string) error
}

// ErrDisksFailed is the error of [Containers] when no directory can be used: the container ends with status -101.
var ErrDisksFailed = errors.New("most of the disks failed")

// Machine is the computer: what its processes use, and whether it can be used.
type Machine interface {
	// Usage is what a process uses together with all that it started; the zero Usage when it has ended.
	Usage(b *rpcenv.Blocking, pid int) (Usage, error)
	// Disks reports which of the node's directories cannot be used; "" when enough can.
	Disks(b *rpcenv.Blocking) (report string, healthy bool)
	// Script runs the program at path and returns its report. It ends the program after limit.
	Script(b *rpcenv.Blocking, path string, limit time.Duration) (report string, healthy bool)
}

// Usage is the memory of a tree of processes, in bytes.
type Usage struct{ Resident, Virtual int64 }
