package worker

import (
	"fmt"
	"slices"
	"strings"

	"github.com/coherer/coherer/messages/deploy"
)

// checkResources refuses what this Worker does not have. It does not refuse what another executor has: the Master gives again
// what an executor had as soon as it has ordered that executor to end, before it has ended.
func (w *Worker) checkResources(wanted []*deploy.ResourceInformation) error {
	for _, r := range wanted {
		i := slices.IndexFunc(w.cfg.Resources, func(o *deploy.ResourceInformation) bool { return o.GetName() == r.GetName() })
		if i < 0 {
			return fmt.Errorf("this worker has no resource %.64q", r.GetName())
		}
		for _, a := range r.GetAddresses() {
			if !slices.Contains(w.cfg.Resources[i].GetAddresses(), a) {
				return fmt.Errorf("this worker has no resource %s with address %.64q", r.GetName(), a)
			}
		}
	}
	return nil
}

// resourcesUsed are those of what lives, by name, each address once.
func (b *books) resourcesUsed() []*deploy.ResourceInformation {
	var all, out []*deploy.ResourceInformation
	for _, x := range b.live {
		all = append(all, x.resources...)
	}
	for _, d := range b.drivers {
		all = append(all, d.resources...)
	}
	for _, r := range all {
		i, found := slices.BinarySearchFunc(out, r.GetName(), func(o *deploy.ResourceInformation, name string) int {
			return strings.Compare(o.GetName(), name)
		})
		if !found {
			out = slices.Insert(out, i, &deploy.ResourceInformation{Name: r.GetName()})
		}
		out[i].Addresses = append(out[i].Addresses, r.GetAddresses()...)
	}
	// An executor that is ending and the one that gets its addresses both have them for a while.
	for _, r := range out {
		slices.Sort(r.Addresses)
		r.Addresses = slices.Compact(r.Addresses)
	}
	return out
}
