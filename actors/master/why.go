package master

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
)

// The filters of a workerRefusal that is not about one Worker.
const (
	byEnd          = "ended"        // the application has ended
	byMaster       = "master"       // the Master does not schedule
	byAddress      = "address"      // executors do not reach the driver
	byExits        = "exits"        // executors end early
	byWait         = "wait"         // the next launch is not yet due
	byWorkers      = "workers"      // no Worker could ever take an executor
	byDrivers      = "drivers"      // drivers have what is missing
	byApplications = "applications" // other applications have it
	byMaximum      = "maximum"      // the application has its cores
	byLimit        = "limit"        // the application has its executors
	byPlacement    = "placement"    // the placement gives it nothing
	byTask         = "task"         // its executors are too small for a task
)

// nearIDs is how many ids the answer about an unknown id offers.
const nearIDs = 5

// requestRefusals says why an application has no more executors. It decides nothing: it asks what schedule asks.
func (m *Master) requestRefusals(c *rpcenv.Context, r *deploy.RequestRefusals) {
	out := &deploy.Refusals{AppId: r.GetAppId(), MasterState: m.state.String()}
	app := m.idToApp[r.GetAppId()]
	if app == nil {
		app = m.ended(r.GetAppId())
	}
	if app == nil {
		out.NearIds = m.near(r.GetAppId())
		rpcenv.Reply(c, r, out)
		return
	}
	out.Found, out.Name, out.State = true, app.Desc.GetName(), app.State.String()
	out.CoresGranted, out.CoresMax = int32(app.CoresGranted), int32(min(app.MaxCores, math.MaxInt32))
	for _, p := range app.Profiles() {
		out.Profiles = append(out.Profiles, app.profileNeed(p))
	}
	m.refusals(c, app, out)
	rpcenv.Reply(c, r, out)
}

func (m *Master) ended(id string) *applicationInfo {
	if i := slices.IndexFunc(m.completed, func(a *applicationInfo) bool { return a.ID == id }); i >= 0 {
		return m.completed[i]
	}
	return nil
}

// near are ids of applications that id may have been meant for: the one that looks like it, else those that have it as a
// part, else the latest.
func (m *Master) near(id string) []string {
	var all []string
	for _, a := range slices.Concat(m.completed, m.apps) {
		all = append(all, a.ID)
	}
	if best, ok := conf.Nearest(id, all); ok {
		return []string{best}
	}
	slices.Reverse(all)
	part := slices.DeleteFunc(slices.Clone(all), func(s string) bool { return !strings.Contains(s, id) })
	if len(part) > 0 {
		all = part
	}
	return all[:min(len(all), nearIDs)]
}

func (a *applicationInfo) profileNeed(p resourceProfile) *deploy.ProfileNeed {
	out := &deploy.ProfileNeed{
		Profile: &deploy.ResourceProfile{Id: int32(p.ID), ExecutorMemoryMb: int32(p.Memory)}, Total: int32(p.Limit),
	}
	if p.Cores > 0 {
		cores := int32(p.Cores)
		out.Profile.ExecutorCores = &cores
	}
	for _, q := range p.Resources {
		out.Profile.ExecutorResources = append(out.Profile.ExecutorResources, &deploy.ResourceRequirement{Name: q.Name, Amount: int32(q.Amount)})
	}
	for _, e := range a.executors {
		switch {
		case e.Profile != p.ID:
		case e.State == deploy.ExecutorState_LAUNCHING:
			out.Launching++
		default:
			out.Running++
		}
	}
	return out
}

// refusals finds the reasons, the weightiest first: what no waiting helps against comes before what others hold.
func (m *Master) refusals(c *rpcenv.Context, app *applicationInfo, out *deploy.Refusals) {
	say := func(p resourceProfile, filter, reason, help string) {
		out.Application = append(out.Application, &deploy.Refusal{RpId: int32(p.ID), Filter: filter, Reason: reason, Help: help})
	}
	if app.State.Over() {
		app.sayEnd(say)
		app.sayExits(c.Now(), say)
		return
	}
	if m.state != RecoveryAlive {
		say(resourceProfile{}, byMaster, fmt.Sprintf("the Master is %s and launches no executors", m.state),
			"ask the Master that leads, or wait until this one has recovered")
	}
	app.sayExits(c.Now(), say)
	app.sayTasks(say)
	for _, p := range app.Profiles() {
		if app.wants(p) {
			m.sayWorkers(c, app, p, out, say)
		} else {
			app.sayEnough(p, say)
		}
	}
}

// sayEnd says that the application is over, and whether that was its own wish. sayExits says why one failed.
func (a *applicationInfo) sayEnd(say sayer) {
	ran := a.Ended.Sub(a.Started).Truncate(time.Second)
	reason := fmt.Sprintf("it is over: %s at %s, after %s", a.State, a.Ended.Format(time.DateTime), ran)
	switch {
	case a.endedFor == byItsDriver:
		say(resourceProfile{}, byEnd, reason+", by its driver's wish", "nothing: it waits for nothing any more")
	case a.State == ApplicationFailed:
		say(resourceProfile{}, byEnd, reason, "submit it again")
	default:
		say(resourceProfile{}, byEnd, reason+": "+a.endedFor, "submit it again, unless its driver ended")
	}
}

// sayTasks is why the application's executors run nothing: each has fewer cores than a task takes.
func (a *applicationInfo) sayTasks(say sayer) {
	cpus, largest := int(a.Desc.GetCpusPerTask()), 0
	for _, e := range a.executors {
		largest = max(largest, e.Cores)
	}
	if largest == 0 || largest >= cpus {
		return
	}
	say(resourceProfile{}, byTask, fmt.Sprintf("a task wants %s (spark.task.cpus), the largest of its %d executors has %d: none takes a task",
		Cores(cpus), len(a.executors), largest),
		fmt.Sprintf("lower spark.task.cpus to %d, or start Workers of %d cores and set spark.executor.cores to %d", largest, cpus, cpus))
}

// sayer takes a reason about one of the application's profiles.
type sayer func(p resourceProfile, filter, reason, help string)

// sayEnough is why the application gets no more of p though there may be room.
func (a *applicationInfo) sayEnough(p resourceProfile, say sayer) {
	n := a.executorsOf(p.ID)
	if n >= p.Limit {
		say(p, byLimit, fmt.Sprintf("it has %d executors of profile %d and wants %d in all", n, p.ID, p.Limit),
			"nothing: its driver asks for more by RequestExecutors when it needs them (spark.dynamicAllocation)")
		return
	}
	switch left := a.CoresLeft(); {
	case p.Step() > a.MaxCores:
		say(p, byMaximum, fmt.Sprintf("an executor wants %s, the application may have %d in all", Cores(p.Step()), a.MaxCores),
			fmt.Sprintf("raise spark.cores.max to %d or more, or lower spark.executor.cores", p.Step()))
	case left > 0:
		say(p, byMaximum, fmt.Sprintf("it has %d of the %s that it may have: %d more are no whole executor of %d", a.CoresGranted, Cores(a.MaxCores), left, p.Step()),
			"nothing, or raise spark.cores.max to a multiple of spark.executor.cores")
	default:
		say(p, byMaximum, fmt.Sprintf("it has %s, all that it may have", Cores(a.MaxCores)),
			"nothing, or raise spark.cores.max (when that is unset, the Master's spark.deploy.defaultCores)")
	}
}

// sayWorkers is why no Worker takes an executor of p, of which the application wants more.
func (m *Master) sayWorkers(c *rpcenv.Context, app *applicationInfo, p resourceProfile, out *deploy.Refusals, say sayer) {
	if reason := app.pause(c.Now()); reason != "" {
		say(p, byWait, reason, pauseHelp)
	}
	usable, refused := usableFor(m.workers.all(), p)
	for _, r := range refused {
		out.Workers = append(out.Workers, &deploy.Refusal{
			WorkerId: r.Worker, RpId: int32(p.ID), Filter: r.Filter, Reason: r.Reason, Help: r.Help,
		})
	}
	if len(usable) > 0 {
		m.sayPlacement(c, app, p, usable, say)
		return
	}
	alive, largest := 0, &workerInfo{}
	var could []*workerInfo // those that would take an executor if they were idle
	for _, w := range m.workers.all() {
		if w.State != WorkerAlive {
			continue
		}
		alive++
		if w.Cores > largest.Cores || w.Cores == largest.Cores && w.Memory > largest.Memory {
			largest = w
		}
		if fits(w.idle(), p.need()) {
			could = append(could, w)
		}
	}
	switch {
	case alive == 0:
		say(p, byWorkers, fmt.Sprintf("none of %d workers is ALIVE", len(m.workers.all())), "start one: coherer worker spark://HOST:PORT")
	case len(could) == 0:
		say(p, byWorkers, fmt.Sprintf("%s: none of %d ALIVE workers has that even when idle; the largest, %s, has %s",
			p.words(), alive, largest.ID, amounts(largest.Cores, largest.Memory)),
			"lower "+m.lower(p)+", or start a larger worker")
	default:
		m.sayHolders(app, p, could, say)
	}
}

// pause is why nothing of the application is launched now though it wants more, or "".
func (a *applicationInfo) pause(now time.Time) string {
	wait := a.health.notBefore.Sub(now)
	if wait <= 0 {
		return ""
	}
	return fmt.Sprintf("nothing is launched for another %.1f s, since executors of it ended early", wait.Seconds())
}

// pauseHelp is what would help against a pause.
const pauseHelp = "wait, or mend what ends them"

// lower names the settings of p that are beyond every ALIVE Worker.
func (m *Master) lower(p resourceProfile) string {
	most := func(of func(w *workerInfo) int) (n int) {
		for _, w := range m.workers.all() {
			if w.State == WorkerAlive {
				n = max(n, of(w))
			}
		}
		return n
	}
	var out []string
	if n := most(func(w *workerInfo) int { return w.Memory }); p.Memory > n {
		out = append(out, fmt.Sprintf("spark.executor.memory to %dm", n))
	}
	if n := most(func(w *workerInfo) int { return w.Cores }); p.Step() > n {
		out = append(out, fmt.Sprintf("spark.executor.cores to %d", n))
	}
	for _, q := range p.Resources {
		if n := most(func(w *workerInfo) int { return len(w.resources.of(q.Name).addresses) }); q.Amount > n {
			out = append(out, fmt.Sprintf("spark.executor.resource.%s.amount to %d", q.Name, n))
		}
	}
	if len(out) == 0 { // one Worker has the memory, another the cores
		return "what an executor takes until one worker has it all"
	}
	return strings.Join(out, " and ")
}

// idle is w, when it is ALIVE, without what it runs.
func (w *workerInfo) idle() *workerInfo {
	return &workerInfo{Cores: w.Cores, Memory: w.Memory, resources: newResources(w.resources.infos(false))}
}

// sayPlacement is why nothing came of usable Workers, or that executors are to come.
func (m *Master) sayPlacement(c *rpcenv.Context, app *applicationInfo, p resourceProfile, usable []*workerInfo, say sayer) {
	if app.health.notBefore.After(c.Now()) || m.state != RecoveryAlive {
		return // the pause or the Master's state is the reason, which the answer has already
	}
	// As schedule asks: in another order the placement could decide otherwise.
	inOrder(usable, workerSelectionPolicy.Get(c.Conf()))
	placement := m.placement(c)
	cores, err := decide(app, p, placement, usable)
	if err != nil {
		say(p, byPlacement, err.Error(), "mend the placement")
		return
	}
	for _, n := range cores {
		if len(executorSizes(p.Cores, n)) > 0 {
			return
		}
	}
	say(p, byPlacement, fmt.Sprintf("%d workers could take an executor, but the placement %T gives %v cores of them, no whole executor of %d",
		len(usable), placement, cores[:min(len(cores), 10)], p.Step()),
		"use another placement (coherer.deploy.scheduler, coherer.compat)")
}
