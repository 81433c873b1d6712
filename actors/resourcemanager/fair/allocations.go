//coherer:pure

package fair

import (
	"maps"
	"slices"
	"strings"
)

// Allocations is the content of an allocation file, fair-scheduler.xml. It is immutable: a new file gives new ones. It mirrors
// Hadoop's AllocationConfiguration.
type Allocations struct {
	// Placement chooses a queue for each submission.
	Placement Placement
	// Warnings name parts of the file that have no effect or a surprising one, a sentence each, in the file's order.
	Warnings []string

	faults   Faults
	queues   map[string]*queueElement // by full name: those of the file, and root
	settled  map[string]QueueSettings // of the same queues
	missing  map[string]bool          // those of them that cannot be made
	ends     map[bool][]string        // the names of parents (true) and leaves in the order in which their elements end
	users    map[string]int           // maxRunningApps by user
	defaults defaults
}

// Queues are the queues of the file, by name, so that parents come before their children. A queue whose policy may not stand
// there is left out with those below it: Warnings name them.
func (a *Allocations) Queues() []QueueSettings {
	var all []QueueSettings
	for _, name := range a.names() {
		if !a.missing[name] {
			all = append(all, a.settled[name])
		}
	}
	return all
}

func (a *Allocations) names() []string { return slices.Sorted(maps.Keys(a.queues)) }

// UserMaxApps is the number of applications that a user may have running.
func (a *Allocations) UserMaxApps(user string) int {
	if n, ok := a.users[user]; ok {
		return n
	}
	return a.defaults.userMaxApps
}

// MaySubmit reports whether a user in those groups may submit to the queue: the queue or one of its ancestors allows the user to
// submit, or to administer.
func (a *Allocations) MaySubmit(queue, user string, groups []string) bool {
	return a.allowed(queue, func(q *queueElement) ACL { return q.submit }, user, groups) || a.MayAdminister(queue, user, groups)
}

// MayAdminister is MaySubmit for administering a queue, such as ending others' applications in it.
func (a *Allocations) MayAdminister(queue, user string, groups []string) bool {
	return a.allowed(queue, func(q *queueElement) ACL { return q.administer }, user, groups)
}

func (a *Allocations) allowed(queue string, acl func(*queueElement) ACL, user string, groups []string) bool {
	for name := queue; name != ""; name = parentName(name) {
		if q := a.queues[name]; q != nil && acl(q).Allows(user, groups) {
			return true
		}
	}
	return false
}

// parentName is the full name of the queue above, "" for Root.
func parentName(queue string) string {
	if i := strings.LastIndexByte(queue, '.'); i >= 0 {
		return queue[:i]
	}
	return ""
}
