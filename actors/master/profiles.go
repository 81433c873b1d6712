package master

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/rpcenv"
)

// resourceProfile is what one executor takes. It mirrors org.apache.spark.deploy.master.ExecutorResourceDescription with the
// profile's target.
type resourceProfile struct {
	ID        int
	Cores     int // of each executor; 0: one executor a Worker, with all cores that it can get
	Memory    int // MiB of each executor
	Resources []requirement
	Limit     int // how many executors the application wants
}

// Step is how many cores are given at a time.
func (p resourceProfile) Step() int { return max(p.Cores, 1) }

// defaultProfile is the resource profile that every application has.
const defaultProfile = 0

// maxProfiles is how many resource profiles an application may have.
const maxProfiles = 1000

// noLimit is the target of an application that wants all that it can get: Java's Integer.MAX_VALUE.
const noLimit = math.MaxInt32

// Profiles are the application's resource profiles, by id. The slice is the application's.
func (a *applicationInfo) Profiles() []resourceProfile {
	if a.profiles == nil {
		p := resourceProfile{
			ID:        defaultProfile,
			Cores:     int(a.Desc.GetCoresPerExecutor()),
			Memory:    int(a.Desc.GetMemoryPerExecutorMb()),
			Resources: requirements(a.Desc.GetResourcesPerExecutor()),
			Limit:     noLimit,
		}
		if a.Desc.InitialExecutorLimit != nil {
			p.Limit = int(a.Desc.GetInitialExecutorLimit())
		}
		a.profiles = []resourceProfile{p}
	}
	return a.profiles
}

// profile finds the profile of that id, or nil.
func (a *applicationInfo) profile(id int) *resourceProfile {
	all := a.Profiles()
	i, ok := slices.BinarySearchFunc(all, id, func(p resourceProfile, id int) int { return cmp.Compare(p.ID, id) })
	if !ok {
		return nil
	}
	return &all[i]
}

// want sets how many executors of a profile the application wants. A profile that is known keeps what its executors take,
// as in Spark, where a profile never changes.
func (a *applicationInfo) want(p resourceProfile) {
	if known := a.profile(p.ID); known != nil {
		known.Limit = p.Limit
		return
	}
	a.profiles = append(a.profiles, p)
	slices.SortFunc(a.profiles, func(a, b resourceProfile) int { return cmp.Compare(a.ID, b.ID) })
}

// wants reports whether the application wants one more executor of p, and its maximum of cores leaves room for it.
func (a *applicationInfo) wants(p resourceProfile) bool {
	return a.CoresLeft() >= p.Step() && a.executorsOf(p.ID) < p.Limit
}

// requestExecutors sets how many executors of each profile an application wants in all. What it causes is sent before the
// answer.
func (m *Master) requestExecutors(c *rpcenv.Context, r *deploy.RequestExecutors) {
	app := m.idToApp[r.GetAppId()]
	if app == nil {
		c.Log().Warnf("Unknown application %s requested total executors", r.GetAppId())
		rpcenv.Reply(c, r, &rpc.Bool{Value: false})
		return
	}
	if problem := app.badTargets(r.GetTotals()); problem != "" {
		c.Log().Warnf("Application %s requested executors that it cannot have: %s", app.ID, problem)
		rpcenv.Reply(c, r, &rpc.Bool{Value: false})
		return
	}
	// All targets were checked before the first is taken: a request is followed as a whole or not at all.
	for _, t := range r.GetTotals() {
		p := profileOf(t.GetProfile(), int(t.GetTotal()))
		c.Log().Infof("Application %s requested executors of resource profile %d: %d", app.ID, p.ID, p.Limit)
		app.want(p)
	}
	m.schedule(c)
	rpcenv.Reply(c, r, &rpc.Bool{Value: true})
}

func profileOf(p *deploy.ResourceProfile, limit int) resourceProfile {
	return resourceProfile{
		ID: int(p.GetId()), Cores: int(p.GetExecutorCores()), Memory: int(p.GetExecutorMemoryMb()),
		Resources: requirements(p.GetExecutorResources()), Limit: limit,
	}
}

// badTargets is what is wrong with the targets that the application wants, or "".
func (a *applicationInfo) badTargets(totals []*deploy.ProfileTarget) string {
	seen := map[int32]bool{}
	added := 0
	for _, t := range totals {
		p := t.GetProfile()
		switch {
		case p == nil || p.GetId() < 0:
			return "a total without a profile"
		case t.GetTotal() < 0:
			return fmt.Sprintf("%d executors of profile %d: there cannot be fewer than 0", t.GetTotal(), p.GetId())
		case seen[p.GetId()]:
			return fmt.Sprintf("profile %d has two totals", p.GetId())
		}
		seen[p.GetId()] = true
		if a.profile(int(p.GetId())) != nil { // want keeps what its executors take, so what the message says of that does not matter
			continue
		}
		added++
		if problem := badProfile(p); problem != "" {
			return fmt.Sprintf("profile %d: %s", p.GetId(), problem)
		}
	}
	if len(a.Profiles())+added > maxProfiles {
		return fmt.Sprintf("an application can have %d resource profiles", maxProfiles)
	}
	return ""
}

// badProfile is what is wrong with a profile, or "".
func badProfile(p *deploy.ResourceProfile) string {
	switch {
	case p.GetExecutorMemoryMb() < 1:
		return fmt.Sprintf("an executor with %d MiB of memory cannot run: set spark.executor.memory", p.GetExecutorMemoryMb())
	case p.ExecutorCores != nil && p.GetExecutorCores() < 1:
		return fmt.Sprintf("an executor with %d cores cannot run: set spark.executor.cores", p.GetExecutorCores())
	}
	return badRequirements(p.GetExecutorResources())
}
