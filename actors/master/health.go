package master

import (
	"time"

	"github.com/coherer/coherer/messages/deploy"
)

const (
	// healthyAfter is how long an executor must be RUNNING to prove that its application's executors can run. The
	// Master hears nothing from executors, so time is its only proof.
	healthyAfter = time.Minute
	// rowWindow is the time without an early end after which the next one begins a new row.
	rowWindow = 10 * time.Minute
	// freeRelaunches is how many early ends in a row are replaced at once; from then on the launches are spaced, by
	// firstBackoff and then twice as long each time up to maxBackoff.
	freeRelaunches = 3
	firstBackoff   = 100 * time.Millisecond
	maxBackoff     = time.Minute
)

// health is how an application's executors fare.
//
// Spark sets its count of failures back with every RUNNING report, so executors that start and exit at once are
// relaunched for ever (SPARK-27510). Here only an executor that was RUNNING for healthyAfter sets it back, or rowWindow
// without an early end; and what ends early, with whatever exit code, is replaced ever later.
type health struct {
	early     int // executors that ended early, in a row
	failures  int // those of them that failed, none of the application's executors being healthy
	last      time.Time
	notBefore time.Time // nothing is launched until then
	end       ending    // how the last of them ended
}

// proved reports whether e was RUNNING long enough to count as healthy.
func (e *executorDesc) proved(now time.Time) bool {
	return !e.runningSince.IsZero() && now.Sub(e.runningSince) >= healthyAfter
}

// executorEnded takes note that e, which was removed from the application, ended by itself, normally or not, and
// reports whether the application is to be removed: limit (spark.deploy.maxExecutorRetries; -1 for never) failures in a
// row, and no executor that is RUNNING. While one is, but has proved nothing, nothing is launched: within healthyAfter
// it has ended or is healthy, so that the question does not stay open.
func (a *applicationInfo) executorEnded(e *executorDesc, normal bool, limit int, now time.Time) (remove bool) {
	h := &a.health
	if e.proved(now) || now.Sub(h.last) > rowWindow { // a new row begins
		*h = health{}
	}
	if e.proved(now) {
		return false
	}
	h.last = now
	h.early++
	h.notBefore = now.Add(backoff(h.early))
	if normal { // exit code 0 is no failure, but in a row it would be a loop of launches too (SPARK-27510): it waits
		return false
	}
	running, healthy := a.running(now)
	h.failures++
	if healthy {
		h.failures = 0
	}
	if limit < 0 || h.failures < limit {
		return false
	}
	if running { // its end, or its proof, decides
		h.notBefore = now.Add(healthyAfter)
	}
	return !running
}

// running reports whether an executor is RUNNING, and whether one is healthy.
func (a *applicationInfo) running(now time.Time) (running, healthy bool) {
	for _, e := range a.executors {
		if e.State == deploy.ExecutorState_RUNNING {
			running = true
			healthy = healthy || e.proved(now)
		}
	}
	return running, healthy
}

// backoff is how long after the n-th early end in a row the next launch comes.
func backoff(n int) time.Duration {
	if n <= freeRelaunches {
		return 0
	}
	d := firstBackoff
	for range n - freeRelaunches - 1 {
		if d *= 2; d >= maxBackoff {
			return maxBackoff
		}
	}
	return d
}
