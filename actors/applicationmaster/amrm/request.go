//coherer:pure

package amrm

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
)

// Any is the name of the place that every node is.
const Any = "*"

// Resource is what a container has.
type Resource struct {
	MemoryMB int64
	VCores   int32
}

// FitsIn reports whether o is enough for r.
func (r Resource) FitsIn(o Resource) bool { return r.MemoryMB <= o.MemoryMB && r.VCores <= o.VCores }

// String is in Hadoop's form.
func (r Resource) String() string { return fmt.Sprintf("<memory:%d, vCores:%d>", r.MemoryMB, r.VCores) }

func compareResources(a, b Resource) int {
	return cmp.Or(cmp.Compare(a.MemoryMB, b.MemoryMB), cmp.Compare(a.VCores, b.VCores))
}

// ContainerRequest is the wish for one container. Its pointer is its identity; it does not change once it was added.
type ContainerRequest struct {
	Capability Resource
	// Nodes are hosts; Racks are racks beside those that the hosts are in.
	Nodes, Racks []string
	// Priority: a lower number is more urgent.
	Priority int32
	// RelaxLocality allows the nodes' racks, and any node, in place of the nodes.
	RelaxLocality bool
	// Label is a node label; it goes with no node and no rack.
	Label string
}

// Ask is how many containers of a size are wanted at a place, in all.
type Ask struct {
	Priority      int32
	Name          string // a host, a rack or Any
	Capability    Resource
	RelaxLocality bool
	Label         string
	Count         int32
}

// Call is the content of one allocate call.
type Call struct {
	ResponseID int32
	// Asks are sorted by priority, place and size.
	Asks []Ask
	// Releases are ids of containers.
	Releases []string
	// BlacklistAdditions and BlacklistRemovals are hosts, sorted.
	BlacklistAdditions, BlacklistRemovals []string
}

// ErrConflict means that a request cannot stand beside those of the same priority.
var ErrConflict = errors.New("a conflicting container request")

// key is a row of the table.
type key struct {
	priority   int32
	name       string
	capability Resource
}

func (k key) compare(o key) int {
	return cmp.Or(cmp.Compare(k.priority, o.priority), cmp.Compare(k.name, o.name), compareResources(k.capability, o.capability))
}

// entry is one place with the requests that name it, in the order in which they were added.
type entry struct {
	requests []*ContainerRequest
	relax    bool
	label    string
}

// remove takes a request out. The oldest, which is most often the one, goes without moving the others.
func (e *entry) remove(at int) {
	if at > 0 {
		e.requests = slices.Delete(e.requests, at, at+1)
		return
	}
	e.requests = e.requests[1:]
}

func (e *entry) ask(k key) Ask {
	return Ask{
		Priority: k.priority, Name: k.name, Capability: k.capability,
		RelaxLocality: e.relax, Label: e.label, Count: int32(len(e.requests)),
	}
}
