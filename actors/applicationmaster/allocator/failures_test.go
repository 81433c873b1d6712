package allocator_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/applicationmaster/allocator"
)

var began = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func after(s int) time.Time { return began.Add(time.Duration(s) * time.Second) }

func TestFailuresOlderThanTheirValidityDoNotCount(t *testing.T) {
	f := allocator.Failures{Validity: 10 * time.Second}
	f.RegisterFailureOnHost("h1", after(0))
	f.RegisterFailureOnHost("h1", after(5))
	f.RegisterExecutorFailure(after(6))
	for at, want := range map[int]string{6: "3 2", 10: "3 2"} {
		if got := fmt.Sprint(f.Failed(after(at)), f.FailedOnHost("h1", after(at))); got != want {
			t.Errorf("after %d s: %s, want %s", at, got, want)
		}
	}
	if got := fmt.Sprint(f.Failed(after(11)), f.FailedOnHost("h1", after(11)), f.FailedOnHost("h2", after(11))); got != "2 1 0" {
		t.Error(got)
	}
	if got := fmt.Sprint(f.Failed(after(20)), f.FailedOnHost("h1", after(20))); got != "0 0" {
		t.Error(got)
	}
}

func TestFailuresWithoutValidityCountForEver(t *testing.T) {
	var f allocator.Failures
	f.RegisterFailureOnHost("h1", after(0))
	if f.Failed(after(1e9)) != 1 || f.FailedOnHost("h1", after(1e9)) != 1 {
		t.Error("forgotten")
	}
}

func TestANodeIsExcludedAfterTooManyFailures(t *testing.T) {
	var f allocator.Failures
	h, first := allocator.NewHealth(allocator.HealthConfig{Exclude: []string{"h9"}, OnFailure: true, MaxFailures: 2, Timeout: time.Hour}, &f)
	if fmt.Sprint(first) != "[h9]" {
		t.Error(first)
	}
	for range 2 {
		if add, _ := h.Failed("h1", after(0)); add != nil {
			t.Error("excluded too early:", add)
		}
	}
	add, remove := h.Failed("h1", after(1))
	if fmt.Sprint(add, remove) != "[h1] []" {
		t.Error(add, remove)
	}
	if h.AllExcluded() {
		t.Error("how many nodes there are is not known yet")
	}
	if h.Failed("h1", after(2)); f.Failed(after(2)) != 3 {
		t.Error("what fails on an excluded node counts:", f.Failed(after(2)))
	}
	h.SetClusterNodes(3)
	if h.AllExcluded() {
		t.Error("one of three is left")
	}
	add, remove = h.SetScheduler([]string{"h2"}, after(3))
	if fmt.Sprint(add, remove) != "[h2] []" || !h.AllExcluded() {
		t.Error(add, remove, h.AllExcluded())
	}
	h.SetClusterNodes(0)
	if h.AllExcluded() {
		t.Error("without nodes none is excluded")
	}
	// What is over is only seen when the set is put together anew.
	add, remove = h.SetScheduler(nil, after(3601))
	if fmt.Sprint(add, remove) != "[] [h1 h2]" {
		t.Error(add, remove)
	}
}

func TestWithoutTheSettingFailuresCountOverallOnly(t *testing.T) {
	var f allocator.Failures
	h, _ := allocator.NewHealth(allocator.HealthConfig{MaxFailures: 0, Timeout: time.Hour}, &f)
	if add, _ := h.Failed("h1", after(0)); add != nil || f.Failed(after(0)) != 1 || f.FailedOnHost("h1", after(0)) != 0 {
		t.Error(add, f)
	}
}

// The nodes of the configuration are excluded from the beginning, each once, whatever else excludes them.
func TestExcludedNodesAreTheUnionOfTheSources(t *testing.T) {
	a := allocator.New(allocator.Config{Default: defaultProfile, Health: allocator.HealthConfig{Exclude: []string{"h9", "h8"}}})
	if c := a.RM.Take(); fmt.Sprint(c.BlacklistAdditions) != "[h8 h9]" {
		t.Error(c)
	}
	a.RequestTotal(total(1), []string{"h9", "h7"}, began)
	if c := a.RM.Take(); fmt.Sprint(c.BlacklistAdditions, c.BlacklistRemovals) != "[h7] []" {
		t.Error(c)
	}
	for nodes, all := range map[int]bool{3: true, 4: false} {
		if a.SetClusterNodes(nodes); a.AllNodesExcluded() != all {
			t.Error(nodes, a.AllNodesExcluded())
		}
	}
}

// What fails on a host that the scheduler excludes does not count; on an unknown host it counts, and excludes none.
func TestFailuresCountOnHostsThatAreAskedFor(t *testing.T) {
	var f allocator.Failures
	h, _ := allocator.NewHealth(allocator.HealthConfig{OnFailure: true, MaxFailures: 0, Timeout: time.Hour}, &f)
	h.SetScheduler([]string{"h1"}, began)
	if add, remove := h.Failed("h1", began); add != nil || remove != nil || f.Failed(began) != 0 {
		t.Error(add, remove, f.Failed(began))
	}
	if add, remove := h.Failed("", began); add != nil || remove != nil || f.Failed(began) != 1 || f.FailedOnHost("", began) != 0 {
		t.Error(add, remove, f.Failed(began))
	}
}

func TestAnAllocatorForgetsOldFailures(t *testing.T) {
	a := allocator.New(allocator.Config{Default: defaultProfile, Target: 1, FailureValidity: 10 * time.Second})
	a.Update()
	launches, _ := a.Allocated([]allocator.Container{given("c1", "h1")})
	a.Launched(launches[0], allocator.Refused, began)
	if got := fmt.Sprint(a.Failed(after(10)), a.Failed(after(11))); got != "1 0" {
		t.Error(got)
	}
}
