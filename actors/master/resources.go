package master

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/coherer/coherer/messages/deploy"
)

// requirement is how many addresses of a resource, such as gpu, an executor or a driver wants. It mirrors
// org.apache.spark.resource.ResourceRequirement.
type requirement struct {
	Name   string
	Amount int
}

// requirements are those of a message, by name.
func requirements(in []*deploy.ResourceRequirement) []requirement {
	var out []requirement
	for _, r := range in {
		out = append(out, requirement{r.GetName(), int(r.GetAmount())})
	}
	slices.SortFunc(out, func(a, b requirement) int { return cmp.Compare(a.Name, b.Name) })
	return out
}

// badRequirements is what is wrong with requirements, or "".
func badRequirements(in []*deploy.ResourceRequirement) string {
	seen := map[string]bool{}
	for _, r := range in {
		switch {
		case r.GetName() == "":
			return "a resource without a name is wanted"
		case seen[r.GetName()]:
			return fmt.Sprintf("the resource %s is wanted twice", r.GetName())
		case r.GetAmount() < 1:
			return fmt.Sprintf("%d of the resource %s cannot be had: want 1 at least", r.GetAmount(), r.GetName())
		}
		seen[r.GetName()] = true
	}
	return ""
}

// badResources is what is wrong with what a Worker offers, or "".
func badResources(in []*deploy.ResourceInformation) string {
	seen := map[string]bool{}
	for _, r := range in {
		switch {
		case r.GetName() == "":
			return "a resource without a name is offered"
		case seen[r.GetName()]:
			return fmt.Sprintf("the resource %s is offered twice", r.GetName())
		}
		seen[r.GetName()] = true
		addresses := map[string]bool{}
		for _, a := range r.GetAddresses() {
			if a == "" || addresses[a] {
				return fmt.Sprintf("the resource %s has the address %q twice or an empty one", r.GetName(), a)
			}
			addresses[a] = true
		}
	}
	return ""
}

// resource is a resource of a Worker: its addresses, and which of them are taken. It mirrors
// org.apache.spark.deploy.master.WorkerResourceInfo.
type resource struct {
	name      string
	addresses []string
	taken     []bool
	free      int
}

// resources are those of a Worker, by name.
type resources []*resource

func newResources(in []*deploy.ResourceInformation) resources {
	var out resources
	for _, r := range in {
		n := len(r.GetAddresses())
		out = append(out, &resource{r.GetName(), slices.Clone(r.GetAddresses()), make([]bool, n), n})
	}
	slices.SortFunc(out, func(a, b *resource) int { return cmp.Compare(a.name, b.name) })
	return out
}

// of is the resource of that name; for an unknown name, one without addresses.
func (rs resources) of(name string) *resource {
	for _, r := range rs {
		if r.name == name {
			return r
		}
	}
	return &resource{}
}

// room is for how many executors that want reqs each the free addresses are enough; at most limit.
func (rs resources) room(reqs []requirement, limit int) int {
	for _, q := range reqs {
		limit = min(limit, rs.of(q.Name).free/q.Amount)
	}
	return limit
}

// acquire takes the first free addresses. The caller has checked that they are enough.
func (rs resources) acquire(reqs []requirement) []*deploy.ResourceInformation {
	var out []*deploy.ResourceInformation
	for _, q := range reqs {
		r := rs.of(q.Name)
		got := &deploy.ResourceInformation{Name: q.Name}
		for i, address := range r.addresses {
			if len(got.Addresses) < q.Amount && !r.taken[i] {
				r.taken[i] = true
				r.free--
				got.Addresses = append(got.Addresses, address)
			}
		}
		out = append(out, got)
	}
	return out
}

// take takes the named addresses, for an executor or a driver that had them under the Master before: all of them or, when one
// is unknown or taken, none.
func (rs resources) take(have []*deploy.ResourceInformation) error {
	if problem := badResources(have); problem != "" { // an address that is listed twice would pass the loop below
		return fmt.Errorf("master: %s", problem)
	}
	for _, h := range have {
		r := rs.of(h.GetName())
		for _, a := range h.GetAddresses() {
			if i := slices.Index(r.addresses, a); i < 0 || r.taken[i] {
				return fmt.Errorf("master: address %q of resource %s is unknown or taken", a, h.GetName())
			}
		}
	}
	rs.set(have, true)
	return nil
}

// release gives addresses back; those that are free already stay so.
func (rs resources) release(have []*deploy.ResourceInformation) { rs.set(have, false) }

func (rs resources) set(have []*deploy.ResourceInformation, taken bool) {
	for _, h := range have {
		r := rs.of(h.GetName())
		for _, a := range h.GetAddresses() {
			if i := slices.Index(r.addresses, a); i >= 0 && r.taken[i] != taken {
				r.taken[i] = taken
				if taken {
					r.free--
				} else {
					r.free++
				}
			}
		}
	}
}

// infos are all resources, or of each the addresses that are taken.
func (rs resources) infos(taken bool) []*deploy.ResourceInformation {
	var out []*deploy.ResourceInformation
	for _, r := range rs {
		info := &deploy.ResourceInformation{Name: r.name}
		for i, a := range r.addresses {
			if !taken || r.taken[i] {
				info.Addresses = append(info.Addresses, a)
			}
		}
		out = append(out, info)
	}
	return out
}
