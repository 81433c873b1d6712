//coherer:pure

package allocator

import (
	"slices"
	"time"
)

// Failures counts failed executors, overall and by host. It mirrors org.apache.spark.deploy.ExecutorFailureTracker.
type Failures struct {
	// Validity is after how long a failure counts no more; 0 is never.
	Validity time.Duration

	all    []time.Time
	onHost map[string][]time.Time
}

// RegisterExecutorFailure counts a failure on a host that is unknown, or does not matter.
func (f *Failures) RegisterExecutorFailure(now time.Time) { f.all = append(f.all, now) }

// RegisterFailureOnHost counts a failure on a host, and overall.
func (f *Failures) RegisterFailureOnHost(host string, now time.Time) {
	f.RegisterExecutorFailure(now)
	if f.onHost == nil {
		f.onHost = map[string][]time.Time{}
	}
	f.onHost[host] = append(f.valid(f.onHost[host], now), now)
}

// Failed is how many executors failed.
func (f *Failures) Failed(now time.Time) int {
	f.all = f.valid(f.all, now)
	return len(f.all)
}

// FailedOnHost is how many executors failed on a host.
func (f *Failures) FailedOnHost(host string, now time.Time) int {
	return len(f.valid(f.onHost[host], now))
}

// valid drops the failures that are older than Validity. times ascend.
func (f *Failures) valid(times []time.Time, now time.Time) []time.Time {
	if f.Validity <= 0 {
		return times
	}
	old := slices.IndexFunc(times, func(t time.Time) bool { return !t.Before(now.Add(-f.Validity)) })
	if old < 0 {
		return nil
	}
	return times[old:]
}
