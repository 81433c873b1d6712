package worker

import (
	"errors"
	"fmt"

	"github.com/coherer/coherer/rpcenv"
)

// Config is what a Worker is made of. What is a setting of Spark comes from the Env's conf.
type Config struct {
	// Masters are where to register. More than one are standbys of each other. May be empty with
	// Membership.
	Masters []rpcenv.Address
	// Membership says that the endpoint Membership tells this Worker of further Masters.
	Membership bool
	// Cores is how many cores this Worker offers, at least 1.
	Cores int
	// MemoryMB is how much memory this Worker offers, in MiB, at least 1.
	MemoryMB int
	// WorkDir is under which executors have their directories, WorkDir/APP/EXECUTOR. Empty: executors have none.
	WorkDir string
	// Directories removes those of ended applications; nil: they stay.
	Directories Directories
	// Programs brings the programs of drivers; nil: a driver's program is where its description says.
	Programs Programs
	// WebUIURL is where this Worker's pages are; empty: there are none.
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
	if c.MemoryMB < 1 {
		errs = append(errs, fmt.Errorf("a worker with %d MiB of memory runs nothing: want 1 at least", c.MemoryMB))
	}
	return errors.Join(errs...)
}

// Directories are those of the applications whose executors this Worker ran.
type Directories interface {
	// Remove removes what the application has on this machine; app is a plain name. It may take long. Nothing there is no
	// error.
	Remove(b *rpcenv.Blocking, app string) error
}

// Programs brings the programs of drivers in cluster mode to this machine.
type Programs interface {
	// Fetch makes the driver's directory dir, if it is missing, and brings there the program that a driver's description
	// names: a path or an address. It returns the path of a file that can be executed, which is the named one when that is
	// here. It may take long; its error says what is wrong with the name.
	Fetch(b *rpcenv.Blocking, name, dir string) (path string, err error)
}
