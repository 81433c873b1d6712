//coherer:pure

package allocator

import (
	"maps"
	"slices"
	"time"

	"github.com/coherer/coherer/actors/applicationmaster/amrm"
)

// DefaultProfile is the id of the resource profile of an application that made none.
const DefaultProfile = 0

// MostExecutors is how many executors of a profile are wanted at most: each that is wanted takes room here.
const MostExecutors = 100_000

// Profile is what an executor of a resource profile is.
type Profile struct {
	ID int32
	// Container is the size to ask for: memory with its overhead, and cores.
	Container amrm.Resource
	// MemoryMB is the executor's own memory in it; Cores are its cores.
	MemoryMB int64
	Cores    int32
	// TasksPerExecutor is how many tasks it takes at once, at least 1.
	TasksPerExecutor int
}

// Config is what an Allocator is made of.
type Config struct {
	// Default is the default profile, and Target how many executors of it are wanted at first.
	Default Profile
	Target  int
	// LastExecutorID is the highest id that was given before: ids go on behind it.
	LastExecutorID int
	// Label is spark.yarn.executor.nodeLabelExpression. YARN takes no hosts beside one.
	Label string
	// FailureValidity is spark.executor.failuresValidityInterval; 0: failures count for ever.
	FailureValidity time.Duration
	// Health says which nodes are excluded.
	Health HealthConfig
	// Resends is YARN-1902: each container that comes makes the next call repeat the count that is left, though the
	// ResourceManager knows it.
	Resends bool
	// Rack is the rack of a host; nil: ids.DefaultRack.
	Rack func(host string) string
}

// Container is what the ResourceManager gave.
type Container struct {
	ID       string
	Host     string
	Resource amrm.Resource
	Priority int32
}

// Allocator keeps the books of an application's containers and executors.
type Allocator struct {
	// RM is the table of what the ResourceManager is to hear.
	RM *amrm.Table

	cfg      Config
	profiles []*profile // by id

	given      map[string]fate   // containers that have not ended
	containers map[string]*bound // by container, those that run an executor
	executors  map[string]*bound // the same by executor
	waiting    map[string]bool   // executors whose reason of the end the driver waits for
	reasons    map[string]Reason // of ended executors that the driver has not asked for yet
	lastID     int
	stopping   bool

	failures       *Failures
	health         *Health
	decommissioned []string // hosts that the driver has heard of, the oldest first
}

// fate is what becomes of a container that was given.
type fate int

const (
	held     fate = iota + 1 // it is to run an executor, or runs one
	released                 // the ResourceManager has its release, or the next call brings it
)

// profile is one profile's books.
type profile struct {
	Profile

	target   int
	running  map[string]bool // executors
	starting int             // launches that are not reported
	onHost   map[string]int  // containers that run an executor

	hosts         []HostCount // by host
	localityAware int
}

// bound is an executor in its container.
type bound struct {
	executorID, containerID, host string
	profile                       *profile
}

// New makes an Allocator without containers.
func New(cfg Config) *Allocator {
	a := &Allocator{
		RM: amrm.New(cfg.Rack), cfg: cfg, lastID: cfg.LastExecutorID,
		given: map[string]fate{}, containers: map[string]*bound{},
		executors: map[string]*bound{}, waiting: map[string]bool{}, reasons: map[string]Reason{},
		failures: &Failures{Validity: cfg.FailureValidity},
	}
	health, excluded := NewHealth(cfg.Health, a.failures)
	a.health = health
	a.RM.UpdateBlacklist(excluded, nil)
	a.add(cfg.Default).target = min(cfg.Target, MostExecutors)
	return a
}

// find is the profile of an id; nil if it is unknown.
func (a *Allocator) find(id int32) *profile {
	at, found := slices.BinarySearchFunc(a.profiles, id, func(p *profile, id int32) int { return int(p.ID) - int(id) })
	if !found {
		return nil
	}
	return a.profiles[at]
}

// add enters a profile, which then stays. It returns a known profile as it is.
func (a *Allocator) add(p Profile) *profile {
	at, found := slices.BinarySearchFunc(a.profiles, p.ID, func(p *profile, id int32) int { return int(p.ID) - int(id) })
	if !found {
		entry := &profile{Profile: p, running: map[string]bool{}, onHost: map[string]int{}}
		a.profiles = slices.Insert(a.profiles, at, entry)
	}
	return a.profiles[at]
}

// Total is how many executors of a profile are wanted, and where their tasks would rather run.
type Total struct {
	Profile       Profile
	Total         int
	LocalityAware int
	Hosts         []HostCount
}

// RequestTotal takes how many executors are wanted in all, up to MostExecutors of a profile. Without any totals none is wanted. The
// excluded hosts are taken only when some target changes, which is what it reports. It mirrors
// requestTotalExecutorsWithPreferredLocalities.
func (a *Allocator) RequestTotal(totals []Total, excluded []string, now time.Time) bool {
	changed := len(totals) == 0
	// The driver sends its whole wish each time: what it leaves out is wanted no more. The target of a profile that it
	// leaves out stays while it mentions others.
	for _, p := range a.profiles {
		p.hosts, p.localityAware = nil, 0
		if len(totals) == 0 {
			p.target = 0
		}
	}
	for _, t := range totals {
		p := a.add(t.Profile)
		p.hosts, p.localityAware = sortedHosts(t.Hosts), t.LocalityAware
		if total := min(t.Total, MostExecutors); p.target != total {
			p.target, changed = total, true
		}
	}
	if changed {
		a.RM.UpdateBlacklist(a.health.SetScheduler(excluded, now))
	}
	return changed
}

// sortedHosts sorts by host and adds up what names the same one.
func sortedHosts(hosts []HostCount) []HostCount {
	byHost := map[string]int{}
	for _, h := range hosts {
		byHost[h.Host] += h.Tasks
	}
	out := make([]HostCount, 0, len(byHost))
	for _, h := range slices.Sorted(maps.Keys(byHost)) {
		out = append(out, HostCount{h, byHost[h]})
	}
	return out
}

// Kill releases an executor's container. From now on the executor does not count as running; the ResourceManager hears of it with
// the next call. It returns false for an unknown executor, and for one that was released.
func (a *Allocator) Kill(executorID string) bool {
	b := a.executors[executorID]
	if b == nil || a.given[b.containerID] == released {
		return false
	}
	a.release(b.containerID)
	// At once, so that the next Update asks for another if the target stayed. The driver may still ask why it ended.
	delete(b.profile.running, executorID)
	return true
}

// release gives a container back: its end will be no surprise.
func (a *Allocator) release(id string) {
	a.given[id] = released
	a.RM.Release(id)
}

// Stopping says that the application is over: containers that end from now on have not failed.
func (a *Allocator) Stopping() { a.stopping = true }

// Failed is how many executors failed.
func (a *Allocator) Failed(now time.Time) int { return a.failures.Failed(now) }

// AllNodesExcluded reports whether no node is left to ask for.
func (a *Allocator) AllNodesExcluded() bool { return a.health.AllExcluded() }

// SetClusterNodes takes how many nodes the cluster has.
func (a *Allocator) SetClusterNodes(n int) { a.health.SetClusterNodes(n) }

// Pending is how many containers are asked for, of all profiles.
func (a *Allocator) Pending() int {
	n := 0
	for _, p := range a.profiles {
		n += a.pending(p)
	}
	return n
}

func (a *Allocator) pending(p *profile) int { return a.RM.Pending(p.ID, p.Container) }

// Wanted reports whether the next call is worth hurrying for: containers are asked for, or the driver waits for the reason of
// a loss.
func (a *Allocator) Wanted() bool { return a.Pending() > 0 || len(a.waiting) > 0 }

// Balance is one profile's books in numbers.
type Balance struct {
	Profile                            int32
	Target, Pending, Running, Starting int
}

// Missing is how many containers are to be asked for, below 0 how many are asked for too much. Right behind
// [Allocator.Update] it is never above 0, and below 0 only when nothing is pending.
func (b Balance) Missing() int { return b.Target - b.Pending - b.Running - b.Starting }

// Balances are the books of all profiles, by id.
func (a *Allocator) Balances() []Balance {
	out := make([]Balance, 0, len(a.profiles))
	for _, p := range a.profiles {
		out = append(out, Balance{p.ID, p.target, a.pending(p), len(p.running), p.starting})
	}
	return out
}

// decommissionedLimit is how many hosts are remembered, so that the driver hears of each once.
const decommissionedLimit = 200

// Decommissioning takes the hosts of nodes that take no more containers, and returns those that are new.
func (a *Allocator) Decommissioning(hosts []string) []string {
	var fresh []string
	for _, h := range hosts {
		if slices.Contains(a.decommissioned, h) {
			continue
		}
		fresh = append(fresh, h)
		a.decommissioned = append(a.decommissioned, h)
		if len(a.decommissioned) > decommissionedLimit {
			a.decommissioned = a.decommissioned[1:]
		}
	}
	return fresh
}
