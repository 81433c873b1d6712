package executor

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/actors/storage"
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/messages/deploy"
	storagepb "github.com/coherer/coherer/messages/storage"
	"github.com/coherer/coherer/rpcenv"
)

// Class is Spark's main class of an executor.
const Class = "org.apache.spark.executor.CoarseGrainedExecutorBackend"

// Name is the endpoint's name.
const Name = "Executor"

// Args are the arguments of an executor's process, by Spark's names.
type Args struct {
	DriverURL  string // --driver-url, spark://CoarseGrainedScheduler@HOST:PORT
	ExecutorID string // --executor-id
	Hostname   string // --hostname
	Cores      int    // --cores
	AppID      string // --app-id
	WorkerURL  string // --worker-url, spark://Worker@HOST:PORT; empty: no Worker is watched
	ProfileID  int    // --resourceProfileId
	// ResourcesFile is --resourcesFile: what the executor has beside cores and memory; empty: nothing.
	ResourcesFile string
}

// ParseArgs reads the arguments that a Worker starts an executor with, and reports all that is wrong with them.
func ParseArgs(args []string) (Args, error) {
	var a Args
	var errs []error
	number := func(name, s string, to *int) {
		n, err := strconv.Atoi(s)
		if err != nil || n < 0 {
			errs = append(errs, fmt.Errorf("%s %q: want a number", name, s))
		}
		*to = n
	}
	for i := 0; i < len(args); i += 2 {
		if i+1 == len(args) {
			errs = append(errs, fmt.Errorf("%s: its value is missing", args[i]))
			break
		}
		switch name, value := args[i], args[i+1]; name {
		case "--driver-url":
			a.DriverURL = value
		case "--executor-id":
			a.ExecutorID = value
		case "--hostname":
			a.Hostname = value
		case "--cores":
			number(name, value, &a.Cores)
		case "--app-id":
			a.AppID = value
		case "--worker-url":
			a.WorkerURL = value
		case "--resourceProfileId":
			number(name, value, &a.ProfileID)
		case "--resourcesFile":
			a.ResourcesFile = value
		default:
			errs = append(errs, fmt.Errorf("%s: no such option of an executor", name))
		}
	}
	if a.DriverURL == "" || a.ExecutorID == "" || a.AppID == "" || a.Cores <= 0 {
		errs = append(errs, errors.New("an executor needs --driver-url, --executor-id, --app-id and --cores of at least 1"))
	}
	return a, errors.Join(errs...)
}

// IO is the world outside of an executor.
type IO struct {
	// FS has the files that text sources read.
	FS rdd.FS
	// Blocks keeps this executor's map outputs and serves them to others.
	Blocks Blocks
	// Transfer brings the blocks of others.
	Transfer storage.Transfer
	// Near opens the file of a map output's block that another executor of this host serves; nil: all come by Transfer, as they do after
	// an error of Near. Who opens the file closes it.
	Near func(b *rpcenv.Blocking, at *storagepb.BlockManagerId, id string) (rdd.File, error)
	// Measure measures the process: its Heap, OffHeap, GcCount and GcMs, in a message of its own. It returns soon. nil measures nothing.
	Measure func() *app.ExecutorMetrics
}

// Blocks keeps blocks by their ids and serves them at an address. Its methods may be called from several bodies at once.
type Blocks interface {
	// MapOutput begins the map output of an attempt of a task. An error of it or of what it returns says what to do, such as to free
	// space.
	MapOutput(shuffle int32, task int64, reducers int) (MapOutput, error)
	// Spill makes the temporary files of tasks. None of them outlives the executor's directory.
	rdd.Spill
	// Put keeps blocks; empty ones are left out. A failure says what to do, such as to free space.
	Put(ids []string, data [][]byte) error
	// Get returns a block that this executor keeps.
	Get(id string) ([]byte, error)
	// Remove ends the keeping of a block that was put alone. One that is not there is no error.
	Remove(id string) error
	// Serve makes others find cached blocks: it asks lookup for a block that others fetch, before it looks among its own.
	Serve(lookup func(id string) ([]byte, bool))
	// Address is where others fetch.
	Address() rpcenv.Address
}

// MapOutput is a map output that is being written. Either Commit or Abort ends it.
type MapOutput interface {
	rdd.MapOutput
	// Commit makes the blocks known, all at once, and returns their sizes by reducer. After an error nothing of the output is left.
	Commit() (sizes []int64, err error)
	// Abort removes what was written.
	Abort() error
}

// Config is what the endpoint is made of.
type Config struct {
	Args Args
	IO   IO
	// LocalDirs are where Blocks keeps map outputs, in its order: absolute paths. Only a shuffle service needs them.
	LocalDirs []string
	// NodeManager is where the shuffle service of this host is, on YARN; zero: at the Worker of Args.
	NodeManager rpcenv.Address
	// Resources, LogURLs and Attributes go to the driver with the registration.
	Resources           []*deploy.ResourceInformation
	LogURLs, Attributes []*app.Property
}

// maxDirect bounds a result in StatusUpdate, which travels beside other messages, whatever the settings.
const maxDirect = 32 << 20
