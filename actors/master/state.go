package master

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/rpcenv"
)

// workerInfo is what the Master knows of a Worker. It mirrors org.apache.spark.deploy.master.WorkerInfo.
type workerInfo struct {
	ID       string
	Host     string
	Port     int
	Ref      rpcenv.Ref
	WebUIURL string

	Cores, CoresUsed   int
	Memory, MemoryUsed int // MiB

	State         WorkerState
	LastHeartbeat time.Time // or when it registered

	executors []*executorDesc // in the order of their launch
	drivers   []*driverInfo   // in the order of their launch
	resources resources
	registrar rpcenv.Address // the peer that registered it; zero, which is no peer: it was recovered
	reason    string         // why it is DEAD or DECOMMISSIONED
	forgotten bool           // the roster has it no more
	roster    *roster        // that it is in
	changed   bool           // the roster has it among those that changed
	ranked    bool           // the ranking has it, at place
	place     rank
	unheard   bool // from the leadership before, and has not yet listed what it runs
}

func newWorker(r *deploy.RegisterWorker, ref rpcenv.Ref, now time.Time) *workerInfo {
	return &workerInfo{
		ID: r.GetId(), Host: r.GetHost(), Port: int(r.GetPort()), Ref: ref, WebUIURL: r.GetWorkerWebUiUrl(),
		Cores: int(r.GetCores()), Memory: int(r.GetMemory()), State: WorkerAlive, LastHeartbeat: now,
		resources: newResources(r.GetResources()),
	}
}

// CoresFree is how many cores no executor has.
func (w *workerInfo) CoresFree() int { return w.Cores - w.CoresUsed }

// MemoryFree is how much memory no executor has, in MiB.
func (w *workerInfo) MemoryFree() int { return w.Memory - w.MemoryUsed }

// take counts cores and MiB of memory as used, or, below zero, as free again. Nothing else changes what is used, so the roster hears of
// each change.
func (w *workerInfo) take(cores, memory int) {
	w.CoresUsed += cores
	w.MemoryUsed += memory
	w.roster.note(w)
}

// HostPort is where the Worker listens.
func (w *workerInfo) HostPort() string { return rpcenv.Address{Host: w.Host, Port: w.Port}.String() }

// Executors are those on the Worker that have not ended, in the order of their launch.
func (w *workerInfo) Executors() []*executorDesc { return slices.Clone(w.executors) }

func (w *workerInfo) addExecutor(e *executorDesc) {
	w.executors = append(w.executors, e)
	w.take(e.Cores, e.Memory)
}

// removeExecutor gives back what e has; a second time it does nothing. The record of a Worker that is dead goes on to show
// what was used of it, as Spark's does.
func (w *workerInfo) removeExecutor(e *executorDesc) {
	i := slices.Index(w.executors, e)
	if i < 0 {
		return
	}
	w.executors = slices.Delete(w.executors, i, i+1)
	if w.State == WorkerDead {
		return
	}
	w.take(-e.Cores, -e.Memory)
	w.resources.release(e.Resources)
}

// executorDesc is an executor that was launched. It mirrors org.apache.spark.deploy.master.ExecutorDesc.
type executorDesc struct {
	ID      int // from 0, per application
	Profile int
	App     *applicationInfo
	Worker  *workerInfo
	Cores   int
	Memory  int // MiB
	// Resources are the Worker's addresses that the executor has.
	Resources []*deploy.ResourceInformation
	State     deploy.ExecutorState

	reason       string    // why it has ended
	runningSince time.Time // zero before RUNNING
	doubtful     bool      // the Worker registered again since it was ordered
}

// FullID is APPLICATION/ID.
func (e *executorDesc) FullID() string { return fullID(e.App.ID, e.ID) }

func fullID(app string, id int) string { return app + "/" + strconv.Itoa(id) }

// applicationInfo is what the Master knows of an application. It mirrors
// org.apache.spark.deploy.master.ApplicationInfo.
type applicationInfo struct {
	ID             string
	Desc           *deploy.ApplicationDescription
	Driver         rpcenv.Ref
	State          ApplicationState
	Started, Ended time.Time
	MaxCores       int // its own limit or spark.deploy.defaultCores
	CoresGranted   int

	executors    []*executorDesc   // those that have not ended, by id
	removed      []*executorDesc   // the last ones that have ended
	perProfile   map[int]int       // how many of them there are of each profile
	profiles     []resourceProfile // by id
	nextExecutor int
	health       health
	sought       bool   // its driver's connection has ended, and the Master does not know yet whether the driver has
	endedFor     string // why it is over
}

// CoresLeft is how many cores the application may still get.
func (a *applicationInfo) CoresLeft() int { return a.MaxCores - a.CoresGranted }

// Executors are those of the application that have not ended, by id.
func (a *applicationInfo) Executors() []*executorDesc { return slices.Clone(a.executors) }

// executor is the live executor of that id, or nil.
func (a *applicationInfo) executor(id int) *executorDesc {
	i, ok := a.find(id)
	if !ok {
		return nil
	}
	return a.executors[i]
}

func (a *applicationInfo) find(id int) (int, bool) {
	return slices.BinarySearchFunc(a.executors, id, func(e *executorDesc, id int) int { return cmp.Compare(e.ID, id) })
}

// executorsOf is how many executors of a profile have not ended.
func (a *applicationInfo) executorsOf(profile int) int { return a.perProfile[profile] }

// addExecutor makes the application's next executor, on w. It takes w's addresses; workerInfo.addExecutor takes its cores and
// memory.
func (a *applicationInfo) addExecutor(w *workerInfo, cores int, p resourceProfile) *executorDesc {
	e := &executorDesc{
		ID: a.nextExecutor, Profile: p.ID, App: a, Worker: w, Cores: cores, Memory: p.Memory,
		Resources: w.resources.acquire(p.Resources),
	}
	a.nextExecutor++
	a.executors = append(a.executors, e) // ids only grow, so the list stays sorted, which find needs
	a.CoresGranted += cores
	a.count(p.ID, 1)
	return e
}

// removeExecutor gives back the cores that e has; a second time it does nothing.
func (a *applicationInfo) removeExecutor(e *executorDesc) {
	i, ok := a.find(e.ID)
	if !ok {
		return
	}
	a.executors = slices.Delete(a.executors, i, i+1)
	a.removed = append(a.removed, e)
	if len(a.removed) > removedRetained {
		a.removed = slices.Delete(a.removed, 0, 1)
	}
	a.CoresGranted -= e.Cores
	a.count(e.Profile, -1)
}

func (a *applicationInfo) count(profile, more int) {
	if a.perProfile == nil {
		a.perProfile = map[int]int{}
	}
	a.perProfile[profile] += more
}
