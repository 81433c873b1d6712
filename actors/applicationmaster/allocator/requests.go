//coherer:pure

package allocator

import (
	"slices"

	"github.com/coherer/coherer/actors/applicationmaster/amrm"
)

// Change is what [Allocator.Update] did for one profile.
type Change struct {
	Before Balance
	// Requested and Cancelled are how many requests were added and taken back.
	Requested, Cancelled int
	// Missing is how many containers were missing; below 0: how many were too many.
	Missing int
}

// Update brings the requests in line with the targets. Executors that run are never ended here. It mirrors
// updateResourceRequests. It returns the profiles of which requests changed.
func (a *Allocator) Update() []Change {
	var out []Change
	for _, p := range a.profiles {
		// Starting executors count: their containers are here, though their nodes have not answered yet.
		before := Balance{p.ID, p.target, a.pending(p), len(p.running), p.starting}
		c := Change{Before: before, Missing: before.Missing()}
		switch {
		case c.Missing > 0:
			c.Requested, c.Cancelled = a.ask(p, c.Missing)
		case c.Missing < 0:
			c.Cancelled = a.cancel(p, -c.Missing)
		}
		if c.Requested+c.Cancelled > 0 {
			out = append(out, c)
		}
	}
	return out
}

// split sorts the requests by locality: at hosts where tasks would rather run, at hosts that are of no more use, and anywhere.
func (a *Allocator) split(p *profile) (local, stale, anywhere []*amrm.ContainerRequest) {
	preferred := map[string]bool{}
	for _, h := range p.hosts {
		preferred[h.Host] = true
	}
	// The table of amrm is the only book of what is asked for, so nothing is counted twice.
	for _, r := range a.RM.Matching(p.ID, amrm.Any, p.Container) {
		switch {
		case len(r.Nodes) == 0:
			anywhere = append(anywhere, r)
		case slices.ContainsFunc(r.Nodes, func(h string) bool { return preferred[h] }):
			local = append(local, r)
		default:
			stale = append(stale, r)
		}
	}
	return local, stale, anywhere
}

// ask asks for missing more. It replaces stale requests by as many new ones, and may replace requests for anywhere by requests for
// hosts.
func (a *Allocator) ask(p *profile, missing int) (requested, cancelled int) {
	local, stale, anywhere := a.split(p)
	for _, r := range stale {
		a.RM.Remove(r)
	}
	// Also those for anywhere: the placement may now prefer hosts for them.
	available := missing + len(stale)
	var fresh []*amrm.ContainerRequest
	for _, hosts := range a.place(p, available+len(anywhere), local) {
		if hosts != nil {
			fresh = append(fresh, a.request(p, hosts))
		}
	}
	cancelled = len(stale)
	// Fewer hosts than containers to ask for: the rest may come anywhere. More: the loop after this takes as many back.
	for range available - len(fresh) {
		fresh = append(fresh, a.request(p, nil))
	}
	for _, r := range anywhere[:len(fresh)-available] {
		a.RM.Remove(r)
		cancelled++
	}
	for _, r := range fresh {
		if a.RM.Add(r) == nil { // no conflict: all requests relax locality, and none has a label with hosts
			requested++
		}
	}
	return requested, cancelled
}

// place is where to ask for containers.
func (a *Allocator) place(p *profile, containers int, local []*amrm.ContainerRequest) [][]string {
	w := Wish{
		Containers: containers, LocalityAware: p.localityAware, Hosts: p.hosts, TasksPerExecutor: p.TasksPerExecutor,
		Allocated: func(host string) int { return p.onHost[host] },
	}
	if a.cfg.Label != "" {
		// YARN refuses a label beside a host.
		w.Hosts = nil
	}
	for _, r := range local {
		w.Pending = append(w.Pending, r.Nodes)
	}
	return Place(w)
}

func (a *Allocator) request(p *profile, hosts []string) *amrm.ContainerRequest {
	return &amrm.ContainerRequest{
		Capability: p.Container, Nodes: hosts, Priority: p.ID, RelaxLocality: true, Label: a.cfg.Label,
	}
}

// cancel takes back up to n requests: stale ones first, then those for anywhere, then local ones.
func (a *Allocator) cancel(p *profile, n int) int {
	local, stale, anywhere := a.split(p)
	all := slices.Concat(stale, anywhere, local)
	all = all[:min(n, len(all))]
	for _, r := range all {
		a.RM.Remove(r)
	}
	return len(all)
}
