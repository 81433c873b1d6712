//coherer:pure

package amrm

import (
	"fmt"
	"maps"
	"slices"

	"github.com/coherer/coherer/actors/ids"
)

// Table is what an application wants of the ResourceManager. Make one with [New].
type Table struct {
	rack    func(host string) string
	entries map[key]*entry
	relaxed map[location]relaxed
	asks    map[key]Ask // changed since the last call

	releases  []string        // not sent yet
	releasing map[string]bool // sent or not, not yet reported as completed

	blacklist map[string]bool
	additions map[string]bool
	removals  map[string]bool

	lastResponseID int32
}

// New makes an empty Table; rack is the rack of a host, nil for [ids.DefaultRack] always.
func New(rack func(host string) string) *Table {
	if rack == nil {
		rack = func(string) string { return ids.DefaultRack }
	}
	return &Table{
		rack: rack, entries: map[key]*entry{}, relaxed: map[location]relaxed{}, asks: map[key]Ask{}, releasing: map[string]bool{},
		blacklist: map[string]bool{}, additions: map[string]bool{}, removals: map[string]bool{},
	}
}

// Rack is the rack of a host.
func (t *Table) Rack(host string) string { return t.rack(host) }

// places are where r counts, each once, with whether a container elsewhere will do. The order decides which of two wins: a rack
// that r names is wanted as it is, one that follows from a node only with RelaxLocality.
func (t *Table) places(r *ContainerRequest) []place {
	var out []place
	add := func(name string, relax bool) {
		if !slices.ContainsFunc(out, func(p place) bool { return p.name == name }) {
			out = append(out, place{name, relax})
		}
	}
	for _, n := range r.Nodes {
		add(n, true)
	}
	for _, n := range r.Racks {
		add(n, true)
	}
	for _, n := range r.Nodes {
		add(t.rack(n), r.RelaxLocality) // inferred
	}
	add(Any, r.RelaxLocality)
	return out
}

type place struct {
	name  string
	relax bool
}

// location is a place at a priority: either all requests there relax locality, or none does.
type location struct {
	priority int32
	name     string
}

type relaxed struct {
	relax    bool
	requests int
}

// Add asks for one more container. It fails with ErrConflict, and changes nothing, when a place is wanted both with and
// without relaxed locality at one priority, or when a label comes with a node or a rack.
func (t *Table) Add(r *ContainerRequest) error {
	if r.Label != "" && (len(r.Nodes) > 0 || len(r.Racks) > 0) {
		return fmt.Errorf("%w: the node label %q comes with nodes or racks: leave out the one or the others", ErrConflict, r.Label)
	}
	// All checks come before the first change, so that a refused request leaves no trace.
	places := t.places(r)
	for _, p := range places {
		if l := t.relaxed[location{r.Priority, p.name}]; l.requests > 0 && l.relax != p.relax {
			return fmt.Errorf("%w: priority %d wants %s both with and without relaxed locality: use another priority",
				ErrConflict, r.Priority, p.name)
		}
	}
	for _, p := range places {
		k := key{r.Priority, p.name, r.Capability}
		e := t.entries[k]
		if e == nil {
			e = &entry{}
			t.entries[k] = e
		}
		e.requests, e.relax, e.label = append(e.requests, r), p.relax, r.Label
		at := location{r.Priority, p.name}
		t.relaxed[at] = relaxed{p.relax, t.relaxed[at].requests + 1}
		t.asks[k] = e.ask(k)
	}
	return nil
}

// Remove takes a request back; it ignores an unknown one. A place at which nothing is wanted any more is sent once with count 0,
// and then forgotten.
func (t *Table) Remove(r *ContainerRequest) { t.remove(r, nil) }

// Given takes back the request that a container on host answers. Where the ResourceManager counted it down itself when it
// gave the container, the new count is not sent: a count that crosses the next container on its way would ask for that one
// twice (YARN-1902). It did so for the host and its rack, if the request names them, and for Any.
func (t *Table) Given(r *ContainerRequest, host string) {
	t.remove(r, []string{Any, t.rack(host), host})
}

// remove takes a request back and sends the counts, but for the places that the ResourceManager has counted down itself.
func (t *Table) remove(r *ContainerRequest, heard []string) {
	for _, p := range t.places(r) {
		k := key{r.Priority, p.name, r.Capability}
		e := t.entries[k]
		if e == nil {
			continue
		}
		at := slices.Index(e.requests, r)
		if at < 0 {
			continue
		}
		e.remove(at)
		l := location{r.Priority, p.name}
		t.relaxed[l] = relaxed{p.relax, t.relaxed[l].requests - 1}
		// A count that waits to be sent would be one too high, whatever the ResourceManager has counted.
		if _, changed := t.asks[k]; changed || !slices.Contains(heard, p.name) {
			t.asks[k] = e.ask(k)
		}
		if len(e.requests) == 0 {
			delete(t.entries, k)
		}
	}
}

// Matching are the requests that a container of that priority, place and size answers, the oldest first: those of exactly
// this size; without any, those that fit in it, larger ones first.
func (t *Table) Matching(priority int32, name string, capability Resource) []*ContainerRequest {
	var out []*ContainerRequest
	for _, e := range t.matching(priority, name, capability) {
		out = append(out, e.requests...)
	}
	return out
}

// FirstMatching is the first of Matching; nil without any.
func (t *Table) FirstMatching(priority int32, name string, capability Resource) *ContainerRequest {
	for _, e := range t.matching(priority, name, capability) {
		return e.requests[0]
	}
	return nil
}

// matching are the entries with the requests of Matching. None is empty.
func (t *Table) matching(priority int32, name string, capability Resource) []*entry {
	if e := t.entries[key{priority, name, capability}]; e != nil {
		return []*entry{e}
	}
	// Not exactly this size: the scheduler may have rounded a request up, and a container answers what fits in it.
	var fitting []key
	for k := range t.entries {
		if k.priority == priority && k.name == name && k.capability.FitsIn(capability) {
			fitting = append(fitting, k)
		}
	}
	slices.SortFunc(fitting, func(a, b key) int { return b.compare(a) })
	out := make([]*entry, 0, len(fitting))
	for _, k := range fitting {
		out = append(out, t.entries[k])
	}
	return out
}

// Pending is how many containers of that priority and size are wanted.
func (t *Table) Pending(priority int32, capability Resource) int {
	if e := t.entries[key{priority, Any, capability}]; e != nil {
		return len(e.requests)
	}
	return 0
}

// Release gives a container back. [Table.Reregistered] repeats it until the container was reported as completed.
func (t *Table) Release(id string) {
	if !t.releasing[id] {
		t.releasing[id] = true
		t.releases = append(t.releases, id)
	}
}

// Completed notes that the ResourceManager reported a container's end.
func (t *Table) Completed(id string) { delete(t.releasing, id) }

// UpdateBlacklist changes which hosts are to be avoided.
func (t *Table) UpdateBlacklist(additions, removals []string) {
	for _, h := range additions {
		if !t.blacklist[h] {
			t.blacklist[h], t.additions[h] = true, true
			delete(t.removals, h)
		}
	}
	for _, h := range removals {
		if t.blacklist[h] {
			delete(t.blacklist, h)
			delete(t.additions, h)
			t.removals[h] = true
		}
	}
}

// Take is the content of the next call. It counts as sent from then on: if it was not, call [Table.Failed].
func (t *Table) Take() Call {
	c := Call{
		ResponseID: t.lastResponseID, Releases: t.releases,
		BlacklistAdditions: slices.Sorted(maps.Keys(t.additions)), BlacklistRemovals: slices.Sorted(maps.Keys(t.removals)),
	}
	// Sorted, so that the same wishes always make the same call.
	for _, k := range slices.SortedFunc(maps.Keys(t.asks), key.compare) {
		c.Asks = append(c.Asks, t.asks[k])
	}
	t.releases = nil
	clear(t.asks)
	clear(t.additions)
	clear(t.removals)
	return c
}

// Answered takes the response id of the answer to the last call.
func (t *Table) Answered(responseID int32) { t.lastResponseID = responseID }

// Failed takes back a call that was not heard. What changed since it was taken wins.
func (t *Table) Failed(c Call) {
	for _, a := range c.Asks {
		k := key{a.Priority, a.Name, a.Capability}
		if _, newer := t.asks[k]; !newer {
			t.asks[k] = a
		}
	}
	// A release is never newer: the older ones go first. A copy, as c stays with its owner.
	t.releases = append(slices.Clone(c.Releases), t.releases...)
	for _, h := range c.BlacklistAdditions {
		// Taken off since: the ResourceManager has not heard of it and need not.
		if t.blacklist[h] {
			t.additions[h] = true
		}
	}
	for _, h := range c.BlacklistRemovals {
		if !t.blacklist[h] {
			t.removals[h] = true
		}
	}
}

// Reregistered makes the next call have everything: each ask, the whole blacklist, each release that is not completed. Response
// ids begin at 0.
func (t *Table) Reregistered() {
	t.lastResponseID = 0
	// Counts of 0 among them: a ResourceManager that forgot everything need not hear them.
	clear(t.asks)
	for k, e := range t.entries {
		t.asks[k] = e.ask(k)
	}
	t.releases = slices.Sorted(maps.Keys(t.releasing))
	clear(t.removals)
	t.additions = maps.Clone(t.blacklist)
}
