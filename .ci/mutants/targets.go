package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
)

// target is a package whose mutants are tried, and the packages whose tests may notice them beside its own. The tests of an
// open one still miss more than one mutant in twenty: a sample of all targets leaves it out.
type target struct {
	dir   string
	tests []string
	open  bool
}

// targets are the packages that decide. What several roles decide together is noticed by the scripts of clusters too.
var targets = []target{
	{"actors/appclient", nil, false},
	{"actors/applicationmaster", nil, false},
	{"actors/applicationmaster/allocator", []string{"actors/applicationmaster"}, false},
	{"actors/applicationmaster/amrm", []string{"actors/applicationmaster", "actors/resourcemanager"}, false},
	{"actors/driver", nil, false},
	{"actors/driver/allocation", []string{"actors/driver"}, false},
	{"actors/driver/dag", []string{"actors/driver"}, false},
	{"actors/driver/exclude", []string{"actors/driver"}, false},
	{"actors/driver/heartbeat", []string{"actors/driver"}, false},
	{"actors/driver/mapoutput", []string{"actors/driver"}, false},
	{"actors/driver/pools", []string{"actors/driver"}, false},
	{"actors/driver/tasks", []string{"actors/driver"}, false},
	{"actors/driver/yarnscheduler", []string{"actors/driver"}, false},
	{"actors/driverclient", nil, false},
	{"actors/election", nil, false},
	{"actors/executor", []string{"actors/driver"}, false},
	{"actors/machine", []string{"actors/nodemanager/machine", "actors/resourcemanager/machine"}, false},
	{"actors/master", nil, false},
	{"actors/nodemanager", nil, false},
	{"actors/nodemanager/launch", []string{"actors/nodemanager"}, false},
	{"actors/nodemanager/machine", []string{"actors/nodemanager"}, false},
	{"actors/resourcemanager", nil, false},
	{"actors/resourcemanager/fair", []string{"actors/resourcemanager"}, false},
	{"actors/resourcemanager/input", []string{"actors/resourcemanager"}, false},
	{"actors/resourcemanager/life", []string{"actors/resourcemanager"}, false},
	{"actors/resourcemanager/machine", []string{"actors/resourcemanager"}, false},
	{"actors/resourcemanager/scheduler", []string{"actors/resourcemanager"}, false},
	{"actors/resourcemanager/session", []string{"actors/resourcemanager"}, false},
	{"actors/resourcemanager/tracker", []string{"actors/resourcemanager"}, false},
	{"actors/hadoop/rmproxy", []string{"actors/applicationmaster", "actors/yarnclient"}, false},
	{"actors/submit", nil, false},
	{"actors/hadoop/token", []string{"actors/resourcemanager", "actors/nodemanager"}, false},
	{"actors/worker", nil, false},
	{"actors/yarnclient", nil, false},
	{"rpcenv", []string{"rpcenv/sim", "rpcenv/rpctest", "rpcenv/transport"}, false},
	{"rpcenv/codec", []string{"rpcenv"}, false},
	{"rpcenv/conf", []string{"cluster/known"}, false},
	{"rpcenv/transport", []string{"rpcenv"}, false},
	{"rpcenv/transport/bulk", []string{"rpcenv/transport"}, false},
	{"rpcenv/transport/wire", []string{"rpcenv/transport", "rpcenv/transport/bulk"}, false},
}

// choose returns the targets with these names, or all without names. A sample comes from a few of them, chosen by the seed.
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
	if o.sample > 0 && len(names) == 0 {
		chosen = slices.DeleteFunc(slices.Clone(chosen), func(t target) bool { return t.open })
	}
	// Each package costs the compilation of its test programs, so a sample comes from a few.
	if o.sample > 0 && len(chosen) > o.spread {
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
