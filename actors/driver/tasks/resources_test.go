package tasks

import (
	"fmt"
	"slices"
	"testing"

	"github.com/coherer/coherer/rpcenv"
)

// gpus are free addresses of gpu, each with what is free of it.
func gpus(of map[string]float64) Amounts { return Amounts{"gpu": of} }

// Addresses that are numbers come in their order, others as texts.
func TestAddressesComeInTheirOrder(t *testing.T) {
	for _, want := range [][]string{{"2", "10"}, {"10", "a"}, {"a", "b"}, {"-1x", "0"}, {"1", "1a", "2a"}} {
		got := slices.Clone(want)
		slices.Reverse(got)
		slices.SortFunc(got, compareAddresses)
		if !slices.Equal(got, want) || compareAddresses("7", "7") != 0 {
			t.Errorf("got %v, want %v", got, want)
		}
	}
}

// barrierSet is a barrier set of the profile 1.
func barrierSet(stage int32, n int) Set {
	s := newSet(stage, 0, 0, n)
	s.Barrier, s.Profile = true, 1
	return s
}

// A barrier set of two tasks begins when there is room for both, by cores and addresses of its own profile. By the legacy rule one that
// found only a part of its places fails, and one that has no room or found none waits.
func TestABarrierSetStartsAtOnceOrNotAtAll(t *testing.T) {
	one := func(cores int, of map[string]float64, profile int32) Offer {
		return Offer{Executor: fmt.Sprint("e", len(of), profile), Host: "h", Cores: cores, Resources: gpus(of), Profile: profile}
	}
	whole2, half := map[string]float64{"0": 1, "1": 1}, map[string]float64{"0": 0.5}
	for _, k := range []struct {
		name   string
		task   Profile
		offers []Offer
		starts int
		fails  bool
	}{
		{"room for both", Profile{CPUs: 1}, []Offer{one(2, nil, 1)}, 2, false},
		{"another profile", Profile{CPUs: 1}, []Offer{one(1, nil, 1), one(1, nil, 0)}, 0, false},
		{"cores for one", Profile{CPUs: 2}, []Offer{one(3, nil, 1)}, 0, false},
		{"addresses for one", Profile{CPUs: 1, Resources: map[string]float64{"gpu": 2}}, []Offer{one(9, whole2, 1)}, 0, false},
		{"a share each", Profile{CPUs: 1, Resources: map[string]float64{"gpu": 0.5}}, []Offer{one(2, map[string]float64{"0": 1}, 1)}, 2, false},
		{"an address each", Profile{CPUs: 1, Resources: map[string]float64{"gpu": 1}}, []Offer{one(2, whole2, 1)}, 2, false},
		{"half an address left", Profile{CPUs: 1, Resources: map[string]float64{"gpu": 1}}, []Offer{one(1, half, 1), one(1, half, 1)}, 0, false},
		{"one of two is taken", Profile{CPUs: 1, Resources: map[string]float64{"gpu": 1}}, []Offer{one(2, map[string]float64{"0": 1, "1": 0.5}, 1)}, 0, true},
	} {
		for _, legacy := range []bool{false, true} {
			p := newKit(1, Config{LegacyReset: legacy, Profiles: map[int32]*Profile{0: {CPUs: 1}, 1: &k.task}})
			p.Submit(barrierSet(3, 2))
			l, e := p.Scheduler.Offers(k.offers, true, inOrder, p.now)
			if len(l) != k.starts {
				t.Errorf("%s: %d tasks start, want %d", k.name, len(l), k.starts)
			}
			var want []rpcenv.Message
			if legacy && k.fails {
				want = append(want, TaskSetFailed{Set: SetID{3, 0}, Reason: "Fail resource offers for barrier stage 3 because only 1 out of a total " +
					"number of 2 tasks got resource offers. We highly recommend you to use the non-legacy delay scheduling by setting " +
					"spark.locality.wait.legacyResetOnTaskLaunch to false to get rid of this error."})
			}
			if !slices.Equal(e.DAG, want) || len(p.sets) != 1-len(want) {
				t.Errorf("%s, legacy %v: %v, %d sets are left", k.name, legacy, e.DAG, len(p.sets))
			}
		}
	}
}

func TestATaskRunsOnExecutorsOfItsProfile(t *testing.T) {
	p := newKit(1, Config{Profiles: map[int32]*Profile{0: {CPUs: 1}, 1: {CPUs: 1}}})
	s := newSet(0, 0, 0, 2)
	s.Profile = 1
	p.Submit(s)
	l, _ := p.Scheduler.Offers([]Offer{{Executor: "a", Cores: 1}, {Executor: "b", Cores: 1, Profile: 1}}, true, inOrder, p.now)
	want(t, names(l), "b: task 0.0 in stage 0.0 (TID 0)")
}

// What a barrier set does not use goes to the next set of the round: cores and addresses.
func TestABarrierSetGivesItsPlacesBack(t *testing.T) {
	gpu := &Profile{CPUs: 1, Resources: map[string]float64{"gpu": 1}}
	p := newKit(1, Config{Profiles: map[int32]*Profile{1: gpu}})
	p.Submit(barrierSet(0, 2))
	next := newSet(1, 0, 0, 1)
	next.Profile = 1
	p.Submit(next)
	offers := []Offer{{Executor: "a", Host: "h", Cores: 2, Resources: gpus(map[string]float64{"0": 1, "1": 0.5}), Profile: 1}}
	round := func() []string {
		l, _ := p.Scheduler.Offers(offers, true, inOrder, p.now)
		return names(l)
	}
	want(t, round(), "a: task 0.0 in stage 1.0 (TID 0)")
	offers[0].Resources["gpu"]["1"] = 1
	want(t, round(), "a: task 0.0 in stage 0.0 (TID 1)", "a: task 1.0 in stage 0.0 (TID 2)")
}

// Nobody can go on without a task that failed, but what each other try would meet is the set's own failure.
func TestABarrierSetEndsWithTheFirstFailure(t *testing.T) {
	for kind, ends := range map[string][]string{
		KindExceptionFailure: {"ExceptionFailure 0.0 of 0.0"}, KindBadJob: {"BadJob 0.0 of 0.0", "failed 0.0"},
	} {
		p := newKit(1, Config{MaxFailures: 4})
		s := newSet(0, 0, 0, 2)
		s.Barrier = true
		p.Submit(s)
		p.Offers(at{{"a", "h", 2}}, inOrder)
		want(t, texts(p.fail(0, kind)), ends...)
		want(t, names(p.Offers(at{{"a", "h", 1}}, inOrder)))
	}
}
