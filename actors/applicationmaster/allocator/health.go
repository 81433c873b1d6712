//coherer:pure

package allocator

import (
	"maps"
	"slices"
	"time"
)

// HealthConfig says when a node is excluded.
type HealthConfig struct {
	// Exclude are the nodes of spark.yarn.exclude.nodes, which are never asked for.
	Exclude []string
	// OnFailure is spark.yarn.executor.launch.excludeOnFailure.enabled.
	OnFailure bool
	// MaxFailures is how many failed launches a host may have
	// (spark.excludeOnFailure.application.maxFailedExecutorsPerNode).
	MaxFailures int
	// Timeout is for how long a host is excluded (spark.excludeOnFailure.timeout).
	Timeout time.Duration
}

// Health knows which nodes are excluded: by the configuration, by the driver's scheduler, by failures to launch. It mirrors
// org.apache.spark.deploy.yarn.YarnAllocatorNodeHealthTracker.
type Health struct {
	cfg       HealthConfig
	failures  *Failures
	scheduler []string
	until     map[string]time.Time // by failures
	current   []string             // sorted; as the blacklist has it
	nodes     int                  // of the cluster; 0 before it is known
}

// NewHealth makes a Health without failures and without a number of nodes. additions are the nodes that the configuration
// excludes, for the blacklist.
func NewHealth(cfg HealthConfig, f *Failures) (h *Health, additions []string) {
	h = &Health{cfg: cfg, failures: f, until: map[string]time.Time{}}
	additions, _ = h.refresh(time.Time{})
	return h, additions
}

// SetClusterNodes takes the number of the cluster's nodes.
func (h *Health) SetClusterNodes(n int) { h.nodes = n }

// AllExcluded reports whether no node is left to ask for. Without any node there may be some later: that is false.
func (h *Health) AllExcluded() bool { return h.nodes > 0 && len(h.current) >= h.nodes }

// Failed takes the failure of an executor on a host, "" if that is not known. It returns changes of the blacklist.
func (h *Health) Failed(host string, now time.Time) (additions, removals []string) {
	if host == "" || !h.cfg.OnFailure {
		h.failures.RegisterExecutorFailure(now)
		return nil, nil
	}
	// A host that is excluded already has no more to lose, and counts no failure of the application either (as in Spark).
	if _, excluded := h.until[host]; excluded || slices.Contains(h.scheduler, host) {
		return nil, nil
	}
	h.failures.RegisterFailureOnHost(host, now)
	if h.failures.FailedOnHost(host, now) > h.cfg.MaxFailures {
		h.until[host] = now.Add(h.cfg.Timeout)
		return h.refresh(now)
	}
	return nil, nil
}

// SetScheduler takes the hosts that the driver's scheduler excludes. It returns changes of the blacklist.
func (h *Health) SetScheduler(hosts []string, now time.Time) (additions, removals []string) {
	h.scheduler = slices.Clone(hosts)
	return h.refresh(now)
}

// refresh puts the three sources together, drops expired exclusions, and returns the changes.
func (h *Health) refresh(now time.Time) (additions, removals []string) {
	maps.DeleteFunc(h.until, func(_ string, until time.Time) bool { return !until.After(now) })
	all := slices.Concat(h.cfg.Exclude, h.scheduler, slices.Sorted(maps.Keys(h.until)))
	// Sorted, for the two searches, and so that each run sends the same calls.
	slices.Sort(all)
	all = slices.Compact(all)
	for _, host := range all {
		if _, had := slices.BinarySearch(h.current, host); !had {
			additions = append(additions, host)
		}
	}
	for _, host := range h.current {
		if _, has := slices.BinarySearch(all, host); !has {
			removals = append(removals, host)
		}
	}
	h.current = all
	return additions, removals
}
