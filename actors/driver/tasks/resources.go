package tasks

import (
	"cmp"
	"slices"
	"strconv"
)

// Profile is what one task takes of an executor. It mirrors what TaskSchedulerImpl reads of a
// org.apache.spark.resource.ResourceProfile.
type Profile struct {
	// CPUs is spark.task.cpus, or what the profile says.
	CPUs int
	// Resources by name, with the amount for one task: a whole number of addresses, or a share of one.
	Resources map[string]float64
	// Slots is how many tasks an executor takes at once; 0: nobody knows how many cores it has.
	Slots int
}

// whole is an address that nothing takes. Spark counts in shares of so many, so that shares add up.
const whole = 10_000_000_000_000_000

// Amounts are what is free of an executor's resources: by name and address, 1 is a whole address.
type Amounts map[string]map[string]float64

// Share is what an attempt has of its executor's resources, as Amounts.
type Share map[string]map[string]float64

// free are the Amounts of one offer in whole shares.
type free map[string]map[string]int64

func newFree(a Amounts) free {
	if len(a) == 0 {
		return nil
	}
	f := free{}
	for name, of := range a {
		f[name] = map[string]int64{}
		for address, amount := range of {
			f[name][address] = shares(amount)
		}
	}
	return f
}

func shares(amount float64) int64 { return int64(amount * whole) }

// assign finds what a task takes; false when an offer has too little. It mirrors
// ExecutorResourcesAmounts.assignAddressesCustomResources.
func (f free) assign(p *Profile) (Share, bool) {
	if len(p.Resources) == 0 {
		return nil, true
	}
	share := Share{}
	for name, amount := range p.Resources {
		of := f.of(name, amount)
		if of == nil {
			return nil, false
		}
		share[name] = of
	}
	return share, true
}

func (f free) of(name string, amount float64) map[string]float64 {
	each, n := amount, 1
	if amount >= 1 {
		each, n = 1, int(amount)
	}
	out := map[string]float64{}
	for _, address := range f.addresses(name) {
		if len(out) < n && f[name][address] >= shares(each) {
			out[address] = each
		}
	}
	if len(out) < n {
		return nil
	}
	return out
}

// addresses of a resource in their order.
func (f free) addresses(name string) []string {
	var out []string
	for address := range f[name] {
		out = append(out, address)
	}
	slices.SortFunc(out, compareAddresses)
	return out
}

// compareAddresses orders numbers as numbers.
func compareAddresses(a, b string) int {
	x, errX := strconv.Atoi(a)
	y, errY := strconv.Atoi(b)
	if errX == nil && errY == nil {
		return cmp.Compare(x, y)
	}
	return cmp.Compare(a, b)
}

// take takes a share out of what is free; give puts it back.
func (f free) take(s Share) { f.change(s, -1) }
func (f free) give(s Share) { f.change(s, 1) }

func (f free) change(s Share, sign int64) {
	for name, of := range s {
		for address, amount := range of {
			f[name][address] += sign * shares(amount)
		}
	}
}
