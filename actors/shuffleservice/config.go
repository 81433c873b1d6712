package shuffleservice

import "github.com/coherer/coherer/rpcenv"

// Outputs serves the files of executors.
type Outputs interface {
	// Address is where others fetch blocks.
	Address() rpcenv.Address
	// Add serves the map outputs that an executor has in directories, from now on; it replaces an earlier Add of that executor. It
	// returns at once. A directory that is not the daemon's to serve is an error, and then nothing changes.
	Add(x Executor, dirs []string) error
	// Clean removes what an executor that has ended left, but for map outputs. It may take long.
	Clean(b *rpcenv.Blocking, x Executor) error
	// Forget ends the serving of an executor. It returns at once.
	Forget(x Executor)
	// Remove removes directories of executors that were forgotten. It may take long; nothing there is no error.
	Remove(b *rpcenv.Blocking, dirs []string) error
}

// Executor names an executor on this host.
type Executor struct{ App, ID string }
