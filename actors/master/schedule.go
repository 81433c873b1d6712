package master

import (
	"cmp"
	"fmt"
	"slices"
)

// Refusal is why a Worker cannot take an executor.
type Refusal struct {
	Worker string // its id
	Filter string // which of the filters it was: state, memory or cores
	Reason string // with the numbers
}

func (r Refusal) String() string { return r.Worker + ": " + r.Reason }

// filter is one condition that a Worker must meet: check gives the reason why it does not, or "".
type filter struct {
	name  string
	check func(w *WorkerInfo, p Profile) string
}

var filters = []filter{
	{"state", func(w *WorkerInfo, _ Profile) string {
		if w.State == WorkerAlive {
			return ""
		}
		return fmt.Sprintf("it is %s", w.State)
	}},
	{"memory", func(w *WorkerInfo, p Profile) string {
		return shortOf("an executor", "MiB of memory", p.Memory, w.MemoryFree(), w.Memory)
	}},
	{"cores", func(w *WorkerInfo, p Profile) string {
		return shortOf("an executor", "cores", p.Step(), w.CoresFree(), w.Cores)
	}},
}

func shortOf(who, what string, want, free, all int) string {
	switch {
	case want <= free:
		return ""
	case want > all:
		return fmt.Sprintf("%s wants %d %s, the worker has %d", who, want, what, all)
	default:
		return fmt.Sprintf("%s wants %d %s, %d of the worker's %d are free", who, want, what, free, all)
	}
}

// Usable divides workers into those that can take an executor of p now, and the reasons of the others: the first filter
// that each fails.
func Usable(workers []*WorkerInfo, p Profile) (usable []*WorkerInfo, refused []Refusal) {
next:
	for _, w := range workers {
		for _, f := range filters {
			if reason := f.check(w, p); reason != "" {
				refused = append(refused, Refusal{w.ID, f.name, reason})
				continue next
			}
		}
		usable = append(usable, w)
	}
	return usable, refused
}

// Order sorts workers by a policy of spark.deploy.workerSelectionPolicy: a total order, ties by id. A descending policy
// is the ascending one reversed, so that its ties go by descending id, as in Spark.
func Order(workers []*WorkerInfo, policy string) {
	cores := func(a, b *WorkerInfo) int { return cmp.Compare(a.CoresFree(), b.CoresFree()) }
	memory := func(a, b *WorkerInfo) int { return cmp.Compare(a.MemoryFree(), b.MemoryFree()) }
	by, sign := cores, -1 // CORES_FREE_DESC
	switch policy {
	case "CORES_FREE_ASC":
		sign = 1
	case "MEMORY_FREE_ASC":
		by, sign = memory, 1
	case "MEMORY_FREE_DESC":
		by = memory
	case "WORKER_ID":
		by, sign = func(_, _ *WorkerInfo) int { return 0 }, 1
	}
	slices.SortFunc(workers, func(a, b *WorkerInfo) int {
		return sign * cmp.Or(by(a, b), cmp.Compare(a.ID, b.ID))
	})
}

// Place decides how many cores the application gets on each of usable, in their order. Cores are given in steps of an
// executor's size (SPARK-8881: core by core, executors of 16 cores would never start); without a size core by core to
// one executor a Worker. spreadOut gives one step to each Worker in turn, else a Worker is filled before the next. The
// application's maximum and the profile's limit hold; an executor that exists may still grow at the limit. It mirrors
// Master.scheduleExecutorsOnWorkers.
func Place(app *ApplicationInfo, p Profile, usable []*WorkerInfo, spreadOut bool) []int {
	step := p.Step()
	onePerWorker := p.Cores == 0
	cores := make([]int, len(usable))
	executors := make([]int, len(usable))
	total := app.executorsOf(p.ID) // a running total: a sum inside canLaunch costs 40 times as much on 5,000 workers
	left := 0
	for _, w := range usable {
		left += w.CoresFree()
	}
	left = min(left, app.CoresLeft())

	canLaunch := func(i int) bool {
		w := usable[i]
		if left < step || w.CoresFree()-cores[i] < step {
			return false
		}
		if onePerWorker && executors[i] > 0 {
			return true
		}
		return w.MemoryFree()-executors[i]*p.Memory >= p.Memory && total < p.Limit
	}
	assign := func(i int) {
		left -= step
		cores[i] += step
		if !onePerWorker || executors[i] == 0 {
			executors[i]++
			total++
		}
	}

	free := make([]int, len(usable))
	for i := range free {
		free[i] = i
	}
	for {
		free = slices.DeleteFunc(free, func(i int) bool { return !canLaunch(i) })
		if len(free) == 0 {
			return cores
		}
		for _, i := range free {
			for canLaunch(i) {
				assign(i)
				if spreadOut {
					break
				}
			}
		}
	}
}

// executorSizes are the cores of each executor that assigned cores on one Worker become.
func executorSizes(p Profile, assigned int) []int {
	switch {
	case assigned == 0:
		return nil
	case p.Cores == 0:
		return []int{assigned}
	}
	return slices.Repeat([]int{p.Cores}, assigned/p.Cores)
}
