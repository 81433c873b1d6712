package master

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/coherer/coherer/messages/deploy"
)

// holder is an application or a driver that holds cores and memory of the Workers that could take an executor.
type holder struct {
	id            string
	cores, memory int
}

func (h holder) String() string { return fmt.Sprintf("%s has %s", h.id, amounts(h.cores, h.memory)) }

// holders are named up to so many.
const holdersNamed = 5

func names(hs []holder) string {
	slices.SortStableFunc(hs, func(a, b holder) int { return b.cores - a.cores })
	var out []string
	for _, h := range hs[:min(len(hs), holdersNamed)] {
		out = append(out, h.String())
	}
	if more := len(hs) - holdersNamed; more > 0 {
		out = append(out, fmt.Sprintf("%d more", more))
	}
	return strings.Join(out, ", ")
}

// sayHolders names the applications and drivers that hold what an executor of p lacks on the Workers that could take one.
func (m *Master) sayHolders(app *applicationInfo, p resourceProfile, could []*workerInfo, say sayer) {
	all := holder{}
	var apps, drivers []holder
	own := holder{id: "the application itself"}
	byApp := map[*applicationInfo]int{}
	for _, w := range could {
		all.cores += w.Cores
		all.memory += w.Memory
		for _, e := range w.executors {
			if e.App == app {
				own.cores += e.Cores
				own.memory += e.Memory
				continue
			}
			i, known := byApp[e.App]
			if !known {
				i = len(apps)
				byApp[e.App] = i
				apps = append(apps, holder{id: e.App.ID})
			}
			apps[i].cores += e.Cores
			apps[i].memory += e.Memory
		}
		for _, d := range w.drivers {
			drivers = append(drivers, holder{d.ID, int(d.Desc.GetCores()), int(d.Desc.GetMem())})
		}
	}
	room := fmt.Sprintf("%s; on the %d workers that could take it, which have %s,", p.words(), len(could), amounts(all.cores, all.memory))
	if len(drivers) > 0 {
		m.sayDrivers(p, room, drivers, say)
	}
	if len(apps) > 0 {
		say(p, byApplications, room+" other applications came first: "+names(apps),
			"wait until one ends, give it a spark.cores.max, kill it, or start more workers")
	}
	if len(apps)+len(drivers) == 0 && own.cores > 0 {
		say(p, byWorkers, room+" "+own.String()+" already", "nothing, or start more workers")
	}
}

// sayDrivers names the drivers in cluster mode. When they hold everything and no application has an executor, none of them will
// ever give anything back (SPARK-27750).
func (m *Master) sayDrivers(p resourceProfile, room string, drivers []holder, say sayer) {
	if slices.ContainsFunc(m.apps, func(a *applicationInfo) bool { return len(a.executors) > 0 }) {
		say(p, byDrivers, room+" drivers are: "+names(drivers), "wait until one ends, kill one, or start more workers")
		return
	}
	say(p, byDrivers, fmt.Sprintf("%s drivers are: %s: a dead-lock, since none of %d applications has an executor and each driver waits for its own",
		room, names(drivers), len(m.apps)),
		"kill a driver (coherer submit --kill ID), start more workers, or set coherer.master.maxDriverShare below 1")
}

// ending is how an executor ended that ended early.
type ending struct {
	id, worker string
	state      deploy.ExecutorState
	code       *int32
	message    string
	at         time.Time
	ran        time.Duration // since it was RUNNING; 0: it never was
}

// UnreachableExit is the exit code of an executor that did not reach its driver. Spark's has 1, as with many other faults.
const UnreachableExit = 61

// sayExits says how executors ended early, and what their exit code means.
func (a *applicationInfo) sayExits(now time.Time, say sayer) {
	// An application that is over shows its early ends for good. A live one no longer does, once an executor is healthy or the row
	// has ended (executorEnded).
	if _, healthy := a.running(now); a.health.early == 0 || healthy || now.Sub(a.health.last) > rowWindow && !a.State.Over() {
		return
	}
	e := a.health.end
	ended := fmt.Sprintf("%d executors ended early in a row; the last, %s on %s, was %s %.1f s ago",
		a.health.early, e.id, e.worker, e.state, now.Sub(e.at).Seconds())
	if e.ran > 0 {
		ended += fmt.Sprintf(" after %.1f s", e.ran.Seconds())
	}
	if e.message != "" {
		ended += ": " + e.message
	}
	if e.code != nil && *e.code == UnreachableExit {
		say(resourceProfile{}, byAddress, fmt.Sprintf("%s. It could not reach the driver at %s, whose client the Master hears from %s",
			ended, a.driverURL(), a.Driver.Address),
			"set spark.driver.host (and spark.driver.port) to an address that workers reach, or let them through")
		return
	}
	help := "see what it wrote: stderr in the directory " + e.id + " under the work directory of " + e.worker
	if e.code != nil {
		if meaning := exitMeanings[*e.code]; meaning != "" {
			ended += ", which means " + meaning
		}
	}
	say(resourceProfile{}, byExits, ended, help)
}

// driverURL is where the command of its executors says that the driver is.
func (a *applicationInfo) driverURL() string {
	args := a.Desc.GetCommand().GetArguments()
	if i := slices.Index(args, "--driver-url"); i >= 0 && i+1 < len(args) {
		return args[i+1]
	}
	return "its address"
}

// exitMeanings are Spark's ExecutorExitCode and what a shell says of signals.
var exitMeanings = map[int32]string{
	50: "an error that nothing caught", 51: "an error while it logged another", 52: "no memory left in the process",
	53: "no directory for its blocks", 56: "that it could not send heartbeats to the driver", 126: "that its program may not be run",
	127: "that its program is not there", 137: "SIGKILL: somebody killed it, often the machine for want of memory",
	143: "SIGTERM: somebody asked it to end",
}
