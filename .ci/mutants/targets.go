package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
)

// target is a package whose mutants are tried, and the packages whose tests may notice them, its own first.
type target struct {
	dir   string
	tests []string
}

// targets are the packages that decide. What several roles decide together is noticed by the scripts of clusters too.
var targets = []target{
	{"actors/appclient", nil},
	{"actors/applicationmaster", nil},
	{"actors/applicationmaster/allocator", []string{"actors/applicationmaster"}},
	{"actors/applicationmaster/amrm", []string{"actors/applicationmaster", "actors/resourcemanager"}},
	{"actors/driver", nil},
	{"actors/driver/allocation", []string{"actors/driver"}},
	{"actors/driver/dag", []string{"actors/driver"}},
	{"actors/driver/heartbeat", []string{"actors/driver"}},
	{"actors/driver/mapoutput", []string{"actors/driver"}},
	{"actors/driver/tasks", []string{"actors/driver"}},
	{"actors/driver/yarnscheduler", []string{"actors/driver"}},
	{"actors/driverclient", nil},
	{"actors/election", nil},
	{"actors/executor", []string{"actors/driver"}},
	{"actors/master", nil},
	{"actors/nodemanager", nil},
	{"actors/nodemanager/launch", []string{"actors/nodemanager"}},
	{"actors/nodemanager/machine", []string{"actors/nodemanager"}},
	{"actors/resourcemanager", nil},
	{"actors/resourcemanager/fair", []string{"actors/resourcemanager"}},
	{"actors/resourcemanager/machine", []string{"actors/resourcemanager"}},
	{"actors/rmproxy", []string{"actors/applicationmaster", "actors/yarnclient"}},
	{"actors/submit", nil},
	{"actors/token", []string{"actors/resourcemanager", "actors/nodemanager"}},
	{"actors/worker", nil},
	{"actors/yarnclient", nil},
	{"rpcenv", []string{"rpcenv/sim", "rpcenv/rpctest", "rpcenv/transport"}},
	{"rpcenv/codec", []string{"rpcenv"}},
	{"rpcenv/conf", nil},
	{"rpcenv/transport", []string{"rpcenv"}},
}

// choose returns the targets with these names, all when none is given; of a sample a few, which the seed chooses.
func choose(names []string, o options) ([]target, error) {
	chosen := targets
	if len(names) > 0 {
		chosen = nil
		for _, name := range names {
			i := slices.IndexFunc(targets, func(t target) bool { return t.dir == name })
			if i < 0 {
				return nil, fmt.Errorf("no target %s: targets.go lists them", name)
			}
			chosen = append(chosen, targets[i])
		}
	}
	if o.sample > 0 && len(chosen) > o.spread {
		chosen = slices.Clone(chosen)
		rand.New(rand.NewPCG(o.seed, 1)).Shuffle(len(chosen), func(i, j int) { chosen[i], chosen[j] = chosen[j], chosen[i] })
		chosen = chosen[:o.spread]
	}
	return chosen, nil
}

// pick returns the mutants to try: those that fit and are not excused, or a sample of them.
func pick(all []*mutant, o options) []*mutant {
	var fit []*mutant
	for _, m := range all {
		if !m.excused && o.match.MatchString(m.String()) {
			fit = append(fit, m)
		}
	}
	if o.sample > 0 && o.sample < len(fit) {
		rand.New(rand.NewPCG(o.seed, 2)).Shuffle(len(fit), func(i, j int) { fit[i], fit[j] = fit[j], fit[i] })
		fit = fit[:o.sample]
	}
	return fit
}
