package worker

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/coherer/coherer/actors/shuffleservice"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/rpcenv"
)

// Config is what a Worker is made of. What is a setting of Spark comes from the Env's conf.
type Config struct {
	// Masters are where to register. More than one are standbys of each other. May be empty with
	// Membership.
	Masters []rpcenv.Address
	// Membership says that this Worker hears of further Masters from the endpoint Membership.
	Membership bool
	// Cores is how many cores this Worker offers, at least 1.
	Cores int
	// MemoryMB is how much memory this Worker offers, in MiB, at least 1.
	MemoryMB int
	// WorkDir is the directory under which each executor has its own, WorkDir/APP/EXECUTOR. Empty: executors have none.
	WorkDir string
	// Directories makes what executors need on the disk, and removes it; nil: they get nothing.
	Directories Directories
	// Programs brings the programs of drivers; nil: a driver's program is where its description says.
	Programs Programs
	// ShuffleOutputs makes the process have an [shuffleservice.Service], which hears of the applications and executors here; nil: it has none.
	ShuffleOutputs shuffleservice.Outputs
	// Resources are what this Worker offers beside cores and memory, such as gpu: each name once, each address once.
	Resources []*deploy.ResourceInformation
	// WebUIURL is where this Worker's pages are; empty: it has none.
	WebUIURL string
	// ID is the Worker's id; empty: made of the time, host and port by spark.worker.idPattern.
	ID string
}

// Validate reports all that is wrong with c.
func (c *Config) Validate() error {
	var errs []error
	if len(c.Masters) == 0 && !c.Membership {
		errs = append(errs, errors.New("a worker needs a Master: name one as spark://HOST:PORT"))
	}
	if c.Cores < 1 {
		errs = append(errs, fmt.Errorf("a worker with %d cores runs nothing: want 1 at least", c.Cores))
	}
	if c.Cores > math.MaxInt32 { // messages have 32 bits for them
		errs = append(errs, fmt.Errorf("a worker with %d cores: want %d at most", c.Cores, math.MaxInt32))
	}
	if c.MemoryMB < 1 {
		errs = append(errs, fmt.Errorf("a worker with %d MiB of memory runs nothing: want 1 at least", c.MemoryMB))
	}
	seen := map[string]bool{}
	for _, r := range c.Resources {
		if r.GetName() == "" || seen[r.GetName()] {
			errs = append(errs, fmt.Errorf("a worker's resource %q has no name or is there twice", r.GetName()))
		}
		seen[r.GetName()] = true
	}
	return errors.Join(errs...)
}

// Directories are those of the applications whose executors this Worker runs. Names that it is given are plain ones. What its
// methods do may take long.
type Directories interface {
	// Prepare makes what an executor needs on the disk before its process starts. An error says what to do.
	Prepare(b *rpcenv.Blocking, x Preparation) (Prepared, error)
	// Remove removes what an application that ended has on this machine, but for what people read afterwards. Nothing there
	// is no error.
	Remove(b *rpcenv.Blocking, app string) error
	// CleanUp removes all of the applications and drivers that are not in use and wrote nothing since a time. It returns
	// their names; the error joins what could not be removed.
	CleanUp(b *rpcenv.Blocking, inUse []string, since time.Time) ([]string, error)
}

// Preparation names the executor for which [Directories] prepares.
type Preparation struct {
	// App is the application's id, Dir the executor's directory.
	App, Dir string
	// Resources are written to a file in Dir; without any, no file is.
	Resources []*deploy.ResourceInformation
}

// Prepared is what [Directories] made.
type Prepared struct {
	// LocalDirs are the application's, for the blocks of its executors: at least one.
	LocalDirs []string
	// ResourcesFile has the Preparation's Resources in Spark's form; empty: the Preparation has none.
	ResourcesFile string
}

// Programs brings the programs of drivers in cluster mode to this machine.
type Programs interface {
	// Fetch makes the driver's directory dir, if it is missing, and brings there the program that a driver's description
	// names: a path or an address. It returns the path of a file that can be executed, which is the named one when that is
	// here. It may take long; its error says what is wrong with the name.
	Fetch(b *rpcenv.Blocking, name, dir string) (path string, err error)
}
