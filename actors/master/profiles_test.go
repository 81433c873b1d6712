package master

import (
	"fmt"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/messages/deploy"
)

func TestProfilesOfADescription(t *testing.T) {
	for want, desc := range map[string]*deploy.ApplicationDescription{
		"[{0 0 512 [] 2147483647}]": {MemoryPerExecutorMb: 512},
		"[{0 2 512 [{gpu 1} {npu 2}] 0}]": {
			MemoryPerExecutorMb: 512, CoresPerExecutor: proto.Int32(2), InitialExecutorLimit: proto.Int32(0),
			ResourcesPerExecutor: []*deploy.ResourceRequirement{{Name: "npu", Amount: 2}, {Name: "gpu", Amount: 1}},
		},
	} {
		a := &applicationInfo{Desc: desc}
		if got := fmt.Sprint(a.Profiles()); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func TestProfilesAreInTheOrderOfTheirIDs(t *testing.T) {
	a := &applicationInfo{Desc: &deploy.ApplicationDescription{MemoryPerExecutorMb: 512}}
	a.want(resourceProfile{ID: 7, Memory: 1, Limit: 1})
	a.want(resourceProfile{ID: 3, Memory: 1, Limit: 2})
	a.want(resourceProfile{ID: 7, Memory: 99, Limit: 4}) // what it takes never changes
	a.want(resourceProfile{ID: 0, Limit: 5})
	if got := fmt.Sprint(a.Profiles()); got != "[{0 0 512 [] 5} {3 0 1 [] 2} {7 0 1 [] 4}]" {
		t.Error(got)
	}
}

func TestBadTargets(t *testing.T) {
	a := &applicationInfo{Desc: &deploy.ApplicationDescription{MemoryPerExecutorMb: 512}}
	profile := func(id int32) *deploy.ResourceProfile { return &deploy.ResourceProfile{Id: id, ExecutorMemoryMb: 1} }
	targets := func(n int) []*deploy.ProfileTarget {
		out := make([]*deploy.ProfileTarget, n)
		for i := range out {
			out[i] = &deploy.ProfileTarget{Profile: profile(int32(i + 1))}
		}
		return out
	}
	if got := a.badTargets(targets(maxProfiles - 1)); got != "" { // with the one that each application has they are all
		t.Error(got)
	}
	if got := a.badTargets([]*deploy.ProfileTarget{{Profile: profile(-1)}}); got != "a total without a profile" {
		t.Error(got)
	}
	many := targets(maxProfiles)
	cores, gpu := profile(1), profile(1)
	cores.ExecutorCores = proto.Int32(-1)
	gpu.ExecutorResources = []*deploy.ResourceRequirement{{Name: "gpu"}}
	for want, totals := range map[string][]*deploy.ProfileTarget{
		"":                          {{Profile: profile(1), Total: 2}, {Profile: &deploy.ResourceProfile{}, Total: 1}},
		"a total without a profile": {{Total: 1}},
		"-1 executors of profile 1: there cannot be fewer than 0":                           {{Profile: profile(1), Total: -1}},
		"profile 1 has two totals":                                                          {{Profile: profile(1)}, {Profile: profile(1)}},
		"profile 2: an executor with 0 MiB of memory cannot run: set spark.executor.memory": {{Profile: &deploy.ResourceProfile{Id: 2}}},
		"profile 1: an executor with -1 cores cannot run: set spark.executor.cores":         {{Profile: cores}},
		"profile 1: 0 of the resource gpu cannot be had: want 1 at least":                   {{Profile: gpu}},
		"an application can have 1000 resource profiles":                                    many,
	} {
		if got := a.badTargets(totals); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
