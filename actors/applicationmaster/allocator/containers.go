//coherer:pure

package allocator

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/coherer/coherer/actors/applicationmaster/amrm"
)

// Launch is an executor to start in a container. Report its outcome by [Allocator.Launched].
type Launch struct {
	Container  Container
	ExecutorID string
	Profile    Profile
}

// NotAskedFor is why a container is given back that no request matches.
const NotAskedFor = "no request matches it"

// Surplus is a container that was given back at once, and why.
type Surplus struct {
	ContainerID string
	Why         string
}

// Allocated takes the containers that the ResourceManager gave: those that some request wants, at their host, their rack or
// anywhere, in this order of passes, are to be started; the others are given back. It mirrors handleAllocatedContainers.
func (a *Allocator) Allocated(given []Container) (launches []Launch, surplus []Surplus) {
	var matched []Container
	rest := slices.DeleteFunc(slices.Clone(given), func(c Container) bool {
		_, twice := a.given[c.ID] // its executor may run: leave it alone
		if !twice {
			a.given[c.ID] = held
		}
		return twice
	})
	pass := func(given []Container, place func(Container) string) []Container {
		var left []Container
		for _, c := range given {
			if a.match(c, place(c)) {
				matched = append(matched, c)
			} else {
				left = append(left, c)
			}
		}
		return left
	}
	// Hosts first: a container on a wanted host must not use up a request for anywhere.
	rest = pass(rest, func(c Container) string { return c.Host })
	rest = pass(rest, func(c Container) string { return a.RM.Rack(c.Host) })
	rest = pass(rest, func(Container) string { return amrm.Any })
	// Such a container was given before the ResourceManager heard that its request was taken back.
	for _, c := range rest {
		a.release(c.ID)
		surplus = append(surplus, Surplus{c.ID, NotAskedFor})
	}
	for _, c := range matched {
		if l, why := a.run(c); why == "" {
			launches = append(launches, l)
		} else {
			a.release(c.ID)
			surplus = append(surplus, Surplus{c.ID, why})
		}
	}
	return launches, surplus
}

// match takes back the oldest request that names the place, for a container of its profile; false when no request does. It
// compares the profile's size, not the container's, which the scheduler may have rounded up.
func (a *Allocator) match(c Container, place string) bool {
	p := a.find(c.Priority)
	if p == nil {
		return false
	}
	r := a.RM.FirstMatching(c.Priority, place, p.Container)
	if r == nil {
		return false
	}
	// Spark's way, for study: Remove sends a count that the ResourceManager has lowered already.
	if a.cfg.Resends {
		a.RM.Remove(r)
	} else {
		a.RM.Given(r, c.Host)
	}
	return true
}

// run gives a container the next executor id. why is not empty when the container is not wanted any more, or is too small.
func (a *Allocator) run(c Container) (l Launch, why string) {
	p := a.find(c.Priority)
	switch {
	case c.Resource.MemoryMB < p.Container.MemoryMB:
		return l, fmt.Sprintf("it has %d MiB, and %d were asked for", c.Resource.MemoryMB, p.Container.MemoryMB)
	case len(p.running)+p.starting >= p.target:
		return l, fmt.Sprintf("%d executors of %d that are wanted run or start", len(p.running)+p.starting, p.target)
	}
	a.lastID++
	p.starting++
	return Launch{Container: c, ExecutorID: strconv.Itoa(a.lastID), Profile: p.Profile}, ""
}

// Start is the outcome of a Launch.
type Start int

// The outcomes of a Launch.
const (
	// Started: the node took the container.
	Started Start = iota
	// Refused: the node did not take it. That counts as a failure of an executor.
	Refused
	// Unreachable: nobody knows whether the node took it.
	Unreachable
)

// Launched takes the outcome of a Launch. A container that ended meanwhile runs nothing. One that could not be started is given
// back. It mirrors updateInternalState.
func (a *Allocator) Launched(l Launch, how Start, now time.Time) {
	p := a.find(l.Profile.ID)
	p.starting--
	_, still := a.given[l.Container.ID]
	switch {
	case !still: // completed has dealt with its end
	case how == Started:
		b := &bound{executorID: l.ExecutorID, containerID: l.Container.ID, host: l.Container.Host, profile: p}
		p.running[l.ExecutorID] = true
		p.onHost[b.host]++
		a.containers[b.containerID], a.executors[b.executorID] = b, b
	default:
		a.release(l.Container.ID)
	}
	// Not Unreachable: a node that is gone is YARN's to report, and no executor has failed.
	if how == Refused {
		a.RM.UpdateBlacklist(a.health.Failed(l.Container.Host, now))
	}
}

// Ended is an executor whose container ended.
type Ended struct {
	ContainerID, Host string
	// ExecutorID is "" when no executor was known to run in it.
	ExecutorID string
	Reason     Reason
	// Requested: it was given back before, so that the driver knows.
	Requested bool
	// Awaited: the driver waits for the reason.
	Awaited bool
}

// CompletedContainers takes the ends of containers. It mirrors processCompletedContainers.
func (a *Allocator) CompletedContainers(completed []Completed, now time.Time) []Ended {
	out := make([]Ended, 0, len(completed))
	for _, c := range completed {
		out = append(out, a.completed(c, now))
	}
	return out
}

func (a *Allocator) completed(c Completed, now time.Time) Ended {
	// Its release need not be sent again after another registration.
	a.RM.Completed(c.ContainerID)
	e := Ended{ContainerID: c.ContainerID, Requested: a.given[c.ContainerID] == released}
	delete(a.given, c.ContainerID)
	b := a.containers[c.ContainerID]
	if b != nil {
		e.Host, e.ExecutorID = b.host, b.executorID
	}
	// An end that was asked for is no failure, whatever its exit status.
	if e.Requested {
		e.Reason = requested(c)
	} else {
		v := classify(c, e.Host, a.stopping)
		e.Reason = v.Reason
		if v.counts {
			a.RM.UpdateBlacklist(a.health.Failed(e.Host, now))
		}
	}
	if b == nil {
		return e
	}
	delete(b.profile.running, b.executorID)
	b.profile.onHost[b.host]--
	delete(a.containers, b.containerID)
	delete(a.executors, b.executorID)
	// The driver asks once: the reason is kept only when it has not asked yet.
	if e.Awaited = a.waiting[b.executorID]; e.Awaited {
		delete(a.waiting, b.executorID)
	} else {
		a.reasons[b.executorID] = e.Reason
	}
	return e
}

// Answer is how a question for the reason of a loss is answered.
type Answer int

// The ways to answer.
const (
	// Unknown: no executor has this id.
	Unknown Answer = iota
	// Later: the executor is known; the reason comes with the end of its container (Ended.Awaited).
	Later
	// Now: the reason is known, and forgotten with the answer.
	Now
)

// LossReason answers why an executor ended. It mirrors enqueueGetLossReasonRequest.
func (a *Allocator) LossReason(executorID string) (Reason, Answer) {
	if a.executors[executorID] != nil {
		a.waiting[executorID] = true
		return Reason{}, Later
	}
	if r, known := a.reasons[executorID]; known {
		delete(a.reasons, executorID)
		return r, Now
	}
	return Reason{}, Unknown
}

// Held are the containers that run an executor, are to run one, or were given back, and have not ended, sorted.
func (a *Allocator) Held() []string {
	return slices.Sorted(maps.Keys(a.given))
}
