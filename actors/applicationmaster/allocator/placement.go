//coherer:pure

package allocator

import (
	"cmp"
	"math"
	"slices"
)

// HostCount is a host and how many tasks that wait would rather run there.
type HostCount struct {
	Host  string
	Tasks int
}

// Wish is the input of [Place]: how many containers to ask for, and where tasks would rather run.
type Wish struct {
	// Containers is how many containers are to be asked for.
	Containers int
	// LocalityAware is how many tasks have a preference at all.
	LocalityAware int
	// Hosts are those that tasks prefer, by name, each once.
	Hosts []HostCount
	// Allocated is the number of containers on a host.
	Allocated func(host string) int
	// Pending are the hosts of each request that is out already and names a preferred host.
	Pending [][]string
	// TasksPerExecutor is how many tasks an executor takes, at least 1.
	TasksPerExecutor int
}

// Place returns the hosts to ask for, for each of the containers; nil is any host. Those without preference come first. It
// mirrors org.apache.spark.deploy.yarn.LocalityPreferredContainerPlacementStrategy: hosts get containers in the ratio of
// the tasks that prefer them, less the containers that they have and those that are asked for already.
func Place(w Wish) [][]string {
	required := w.required()
	aware, most := 0, 0
	for _, r := range required {
		aware, most = aware+r, max(most, r)
	}
	// Containers beyond the need of the hosts go anywhere.
	free := max(0, w.Containers-aware)
	out := make([][]string, free, max(w.Containers, 0))
	if most == 0 {
		return out
	}
	local := w.Containers - free
	left := make([]int, len(required))
	for i, r := range required {
		// In the ratio of required; the host that needs most is named by each of the local requests.
		left[i] = (r*local + most - 1) / most
	}
	for range local {
		var hosts []string
		for i := range left {
			// A request names each host that still needs one: any of them will do.
			if left[i] > 0 {
				hosts = append(hosts, w.Hosts[i].Host)
			}
			left[i]--
		}
		out = append(out, hosts)
	}
	return out
}

// required is how many more containers each of the hosts ought to have.
func (w Wish) required() []int {
	tasks := 0
	for _, h := range w.Hosts {
		tasks += h.Tasks
	}
	pending := w.pending()
	need := (w.LocalityAware + w.TasksPerExecutor - 1) / w.TasksPerExecutor
	out := make([]int, len(w.Hosts))
	for i, h := range w.Hosts {
		// A host's share of the executors that all tasks with a preference need.
		expected := float64(h.Tasks*need) / float64(max(1, tasks))
		has := float64(w.Allocated(h.Host)) + pending[i]
		out[i] = max(0, int(math.Ceil(expected-has)))
	}
	return out
}

// pending shares the requests that are out among the hosts that they name: which host of several it will be is not known.
func (w Wish) pending() []float64 {
	named := make([]int, len(w.Hosts))
	all := 0
	for _, hosts := range w.Pending {
		for _, h := range hosts {
			all++
			if i, found := slices.BinarySearchFunc(w.Hosts, h, func(c HostCount, h string) int { return cmp.Compare(c.Host, h) }); found {
				named[i]++
			}
		}
	}
	out := make([]float64, len(w.Hosts))
	// A request may also name hosts that are no longer preferred. They count in all, so that their share is left out here.
	for i, n := range named {
		if all > 0 {
			out[i] = float64(n*len(w.Pending)) / float64(all)
		}
	}
	return out
}
