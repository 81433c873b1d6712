package invariant

import (
	"maps"
	"slices"
	"time"

	"github.com/coherer/coherer/rpcenv"
)

// Snapshot is a cluster at one moment, as seen from outside: processes and books at once.
type Snapshot struct {
	Now time.Time
	// Quiet is for how long no fault was caused.
	Quiet time.Duration
	// Masters and Drivers are those whose processes run, with their books.
	Masters []Master
	Drivers []Driver
	// Workers are the addresses of those whose processes run.
	Workers []rpcenv.Address
	// Processes are the executors and drivers that run.
	Processes []Process
	// Managers are the ResourceManagers whose processes run, with their books, and Containers the processes of containers.
	Managers   []Manager
	Containers []Container
	// Gossip are the members of the cluster's gossip.
	Gossip Gossip
}

// Manager is a ResourceManager's books.
type Manager struct {
	Name string
	// Nodes are what it counts, by address; Given the containers that it counts on them, by id.
	Nodes map[string]Node
	Given map[string]Given
	// Waiting are the attempts that ask for containers.
	Waiting []Waiting
}

// Node is a node in a ResourceManager's books.
type Node struct{ Memory, Used int64 } // MiB

// Given is a container in a ResourceManager's books.
type Given struct {
	Node   string
	Memory int64 // MiB
	// Running: its node has said that it runs.
	Running bool
}

// Waiting is an attempt that waits for containers.
type Waiting struct {
	Attempt string
	// Could says which node could give it one; empty: none. On are the addresses of all such nodes.
	Could string
	On    []string
}

// Container is the process of a container on YARN.
type Container struct {
	// ID is the container's, Node the address of its NodeManager.
	ID, Node string
	// Executor names an executor among all of its driver; empty: the container holds no executor.
	Executor string
	Paused   bool
}

// Master is a Master's books.
type Master struct {
	Name string
	// Leads: it is ALIVE.
	Leads   bool
	Workers []Worker
	Apps    []App
	// Drivers are those that it has launched: driver id to Worker id.
	Drivers map[string]string
}

// Worker is a Worker in a Master's books.
type Worker struct {
	ID      string
	Address rpcenv.Address
	// Alive: it gets executors.
	Alive              bool
	Cores, CoresUsed   int
	Memory, MemoryUsed int // MiB
	// Resources: it has others than cores and memory, so that no rule can say what fits on it.
	Resources bool
}

// App is an application that has not ended in a Master's books.
type App struct {
	ID        string
	CoresLeft int
	NotBefore time.Time // nothing is launched until then
	Executors []Executor
}

// Executor is one that has not ended in a Master's books.
type Executor struct {
	ID     int
	Worker string // its id
}

// Process is an executor's process, or a driver's in cluster mode.
type Process struct {
	// App and ID name an executor, Driver a driver.
	App    string
	ID     int
	Driver string
	// Worker is the address of the Worker that started it.
	Worker        rpcenv.Address
	Cores, Memory int // of an executor 0: as its order says
	// Paused: it cannot be reached.
	Paused bool

	full string // its name, once it was asked for
}

// Driver is a driver and the executors in each of its books.
type Driver struct {
	Name  string
	Books map[string][]string
	// Needed is how many executors its tasks need, and Target for how many it asks, with dynamic allocation.
	Needed, Target int
}

// name is a process's name.
func (p *Process) name() string {
	if p.Driver != "" {
		return p.Driver
	}
	if p.full == "" {
		p.full = fullID(p.App, p.ID)
	}
	return p.full
}

// leader is the one Master that leads; nil when none does, or several.
func (s *Snapshot) leader() *Master {
	var found *Master
	for i := range s.Masters {
		if m := &s.Masters[i]; m.Leads {
			if found != nil {
				return nil
			}
			found = m
		}
	}
	return found
}

func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
