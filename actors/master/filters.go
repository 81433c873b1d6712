package master

import "fmt"

// workerRefusal is why a Worker cannot take an executor or a driver.
type workerRefusal struct {
	Worker string // its id
	Filter string // which of the filters it was: state, memory, cores or resources
	Reason string // with the numbers
	Help   string // what would help
}

func (r workerRefusal) String() string { return r.Worker + ": " + r.Reason }

// need is what an executor or a driver takes of a Worker.
type need struct {
	cores, memory int
	resources     []requirement
	// owner is what wants it, in words; keys is the beginning of the settings that say how much.
	owner, keys string
}

// need is what an executor of p takes at least.
func (p resourceProfile) need() *need {
	return &need{p.Step(), p.Memory, p.Resources, "an executor", "spark.executor"}
}

// need is what d takes.
func (d *driverInfo) need() *need {
	return &need{
		int(d.Desc.GetCores()), int(d.Desc.GetMem()), requirements(d.Desc.GetResourceReqs()), "a driver", "spark.driver",
	}
}

// filter is one condition that a Worker must meet to take something: fits decides, and why says in words and numbers why
// it does not. They must agree; a test compares them.
type filter struct {
	name string
	fits func(w *workerInfo, n *need) bool
	why  func(w *workerInfo, n *need) (reason, help string)
}

// filters are in the order in which a refusal names them.
var filters = []filter{
	{
		"state",
		func(w *workerInfo, _ *need) bool { return w.State == WorkerAlive },
		func(w *workerInfo, _ *need) (string, string) {
			return fmt.Sprintf("it is %s", w.State), stateHelp(w.State)
		},
	},
	{
		"memory",
		func(w *workerInfo, n *need) bool { return w.MemoryFree() >= n.memory },
		func(w *workerInfo, n *need) (string, string) {
			return n.shortage("MiB of memory", n.memory, w.MemoryFree(), w.Memory, ".memory", "--memory")
		},
	},
	{
		"cores",
		func(w *workerInfo, n *need) bool { return w.CoresFree() >= n.cores },
		func(w *workerInfo, n *need) (string, string) {
			return n.shortage("cores", n.cores, w.CoresFree(), w.Cores, ".cores", "--cores")
		},
	},
	{
		"resources",
		func(w *workerInfo, n *need) bool { return w.resources.room(n.resources, 1) > 0 },
		func(w *workerInfo, n *need) (string, string) {
			for _, q := range n.resources {
				if r := w.resources.of(q.Name); r.free < q.Amount {
					key := ".resource." + q.Name + ".amount"
					return n.shortage(q.Name, q.Amount, r.free, len(r.addresses), key, "spark.worker"+key)
				}
			}
			return "", ""
		},
	},
}

// shortage is what is short, and what would help: the owner's setting, which ends in key, or offer, a Worker's.
func (n *need) shortage(what string, want, free, all int, key, offer string) (reason, help string) {
	if want > all {
		return fmt.Sprintf("%s wants %s, the worker has %d", n.owner, counted(want, what), all),
			fmt.Sprintf("lower %s%s to %d at most, or start a worker with %s %d or more", n.keys, key, all, offer, want)
	}
	help = fmt.Sprintf("wait until %d more are free", want-free)
	if free > 0 {
		help += fmt.Sprintf(", or lower %s%s to %d at most", n.keys, key, free)
	}
	return fmt.Sprintf("%s wants %s, %d of the worker's %d are free", n.owner, counted(want, what), free, all), help
}

func stateHelp(s WorkerState) string {
	switch s {
	case WorkerDead:
		return "start it again, or see in its log why it ended"
	case WorkerDecommissioned:
		return "start a new worker: one that is decommissioned never gets executors again"
	}
	return "wait: it has not answered the Master yet"
}

// fits reports whether w can take n now.
func fits(w *workerInfo, n *need) bool {
	for i := range filters {
		if !filters[i].fits(w, n) {
			return false
		}
	}
	return true
}

// refusal is the first filter that w fails; false: it can take n now.
func refusal(w *workerInfo, n *need) (workerRefusal, bool) {
	for _, f := range filters {
		if !f.fits(w, n) {
			reason, help := f.why(w, n)
			return workerRefusal{w.ID, f.name, reason, help}, true
		}
	}
	return workerRefusal{}, false
}

// usableFor divides workers into those that can take an executor of p now, and the reasons of the others: the first filter
// that each fails.
func usableFor(workers []*workerInfo, p resourceProfile) (usable []*workerInfo, refused []workerRefusal) {
	n := p.need()
	for _, w := range workers {
		if r, no := refusal(w, n); no {
			refused = append(refused, r)
		} else {
			usable = append(usable, w)
		}
	}
	return usable, refused
}
