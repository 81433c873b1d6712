package worker

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/coherer/coherer/messages/deploy"
)

// MaxAddresses is how many addresses a resource may have.
const MaxAddresses = 4096

// The components that entries of a resources file are for. They mirror WorkerArguments' and ExecutorBackend's prefixes.
const (
	WorkerComponent   = "spark.worker"
	ExecutorComponent = "spark.executor"
)

// allocation is an entry of a resources file. It mirrors org.apache.spark.resource.ResourceAllocation.
type allocation struct {
	ID struct {
		ComponentName string `json:"componentName"`
		ResourceName  string `json:"resourceName"`
	} `json:"id"`
	Addresses []string `json:"addresses"`
}

// FormatResources is the content of a resources file, as [ParseResources] and Spark read it.
func FormatResources(component string, resources []*deploy.ResourceInformation) ([]byte, error) {
	all := make([]allocation, len(resources))
	for i, r := range resources {
		all[i].ID.ComponentName, all[i].ID.ResourceName = component, r.GetName()
		all[i].Addresses = r.GetAddresses()
	}
	return json.Marshal(all)
}

// ParseResources reads what a resources file has for a component. The error says how such a file looks.
func ParseResources(component string, text []byte) ([]*deploy.ResourceInformation, error) {
	var all []allocation
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, fmt.Errorf(`%w: want [{"id": {"componentName": %q, "resourceName": "gpu"}, "addresses": ["0"]}]`, err, component)
	}
	var out []*deploy.ResourceInformation
	for _, a := range all {
		if a.ID.ComponentName != component {
			continue
		}
		r := &deploy.ResourceInformation{Name: a.ID.ResourceName, Addresses: a.Addresses}
		if err := CheckResource(r); err != nil {
			return nil, err
		}
		if slices.ContainsFunc(out, func(o *deploy.ResourceInformation) bool { return o.GetName() == r.GetName() }) {
			return nil, fmt.Errorf("resource %.64q is named twice", r.GetName())
		}
		out = append(out, r)
	}
	return out, nil
}

// CheckResource refuses a resource without a name, and addresses that name nothing, or one thing twice.
func CheckResource(r *deploy.ResourceInformation) error {
	if r.GetName() == "" || len(r.GetAddresses()) > MaxAddresses {
		return fmt.Errorf("resource %.64q with %d addresses: want a name, and %d addresses at most", r.GetName(), len(r.GetAddresses()), MaxAddresses)
	}
	seen := map[string]bool{}
	for _, a := range r.GetAddresses() {
		if a == "" || len(a) > 256 || seen[a] {
			return fmt.Errorf("resource %s has the address %.64q empty, too long or twice", r.GetName(), a)
		}
		seen[a] = true
	}
	return nil
}
