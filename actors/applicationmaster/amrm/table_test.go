package amrm_test

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/coherer/coherer/actors/applicationmaster/amrm"
)

var size = amrm.Resource{MemoryMB: 1408, VCores: 1}

func racks(host string) string { return "/r" + host[1:2] }

func at(hosts ...string) *amrm.ContainerRequest {
	return &amrm.ContainerRequest{Capability: size, Nodes: hosts, RelaxLocality: true}
}

func add(t *testing.T, table *amrm.Table, requests ...*amrm.ContainerRequest) {
	t.Helper()
	for _, r := range requests {
		if err := table.Add(r); err != nil {
			t.Fatal(err)
		}
	}
}

func asks(c amrm.Call) string {
	var out []string
	for _, a := range c.Asks {
		out = append(out, fmt.Sprintf("%s:%d", a.Name, a.Count))
	}
	return strings.Join(out, " ")
}

func want(t *testing.T, c amrm.Call, text string) {
	t.Helper()
	if got := asks(c); got != text {
		t.Errorf("asks %q, want %q", got, text)
	}
}

// A request counts on every node, every rack, also the inferred ones, and on ANY, once each.
func TestARequestCountsOnNodesRacksAndAny(t *testing.T) {
	table := amrm.New(racks)
	r := at("h11", "h12", "h21")
	r.Racks = []string{"/r9"}
	add(t, table, r)
	want(t, table.Take(), "*:1 /r1:1 /r2:1 /r9:1 h11:1 h12:1 h21:1")
}

// Asks are deltas in set and absolutes in value: only what changed is told, and its newest count.
func TestOnlyWhatChangedIsTold(t *testing.T) {
	table := amrm.New(racks)
	add(t, table, at(), at(), at("h11"))
	want(t, table.Take(), "*:3 /r1:1 h11:1")
	want(t, table.Take(), "")
	add(t, table, at())
	add(t, table, at())
	want(t, table.Take(), "*:5")
}

// A place at which nothing is wanted any more is told once, with count 0, and then dropped.
func TestAZeroIsToldOnce(t *testing.T) {
	table := amrm.New(racks)
	r := at("h11")
	add(t, table, r)
	table.Take()
	table.Remove(r)
	table.Remove(r)
	want(t, table.Take(), "*:0 /r1:0 h11:0")
	want(t, table.Take(), "")
	if table.Pending(0, size) != 0 {
		t.Error("it is still pending")
	}
}

// YARN-1902: what the ResourceManager counted down itself is not told; what it did not, is.
func TestWhatWasGivenIsToldWhereItIsNotKnown(t *testing.T) {
	for host, told := range map[string]string{
		"h11": "/r2:0 h21:0", "h12": "/r2:0 h11:0 h21:0", "h31": "/r1:0 /r2:0 h11:0 h21:0",
	} {
		table := amrm.New(racks)
		r := at("h11", "h21")
		add(t, table, r, at())
		table.Take()
		table.Given(r, host)
		want(t, table.Take(), told)
		if table.Pending(0, size) != 1 {
			t.Error(host, table.Pending(0, size))
		}
		table.Reregistered()
		want(t, table.Take(), "*:1")
	}
	// A change that was not told yet has the newer count.
	table := amrm.New(racks)
	r := at()
	add(t, table, r)
	table.Take()
	add(t, table, at(), at())
	table.Given(r, "h11")
	want(t, table.Take(), "*:2")
}

// What is taken back is told again, but a newer value for the same key wins.
func TestAFailedCallIsMergedBack(t *testing.T) {
	table := amrm.New(racks)
	add(t, table, at("h11"), at())
	table.Release("c1")
	table.UpdateBlacklist([]string{"bad", "worse"}, nil)
	c := table.Take()
	add(t, table, at())
	table.Release("c2")
	table.UpdateBlacklist(nil, []string{"worse"})
	table.Failed(c)
	again := table.Take()
	want(t, again, "*:3 /r1:1 h11:1")
	if !reflect.DeepEqual(again.Releases, []string{"c1", "c2"}) {
		t.Error(again.Releases)
	}
	if !reflect.DeepEqual(again.BlacklistAdditions, []string{"bad"}) || !reflect.DeepEqual(again.BlacklistRemovals, []string{"worse"}) {
		t.Error(again)
	}
}

// After NotRegistered all pending releases, the whole blacklist and every entry of the table are told anew, and the
// response id is 0.
func TestReregistrationTellsEverythingAnew(t *testing.T) {
	table := amrm.New(racks)
	r := at("h11")
	add(t, table, r, at(), at("h21"))
	table.Remove(r)
	table.UpdateBlacklist([]string{"bad"}, nil)
	table.Release("c2")
	table.Release("c1")
	table.Release("gone")
	table.Take()
	table.Answered(7)
	table.Completed("gone")
	table.Reregistered()
	c := table.Take()
	want(t, c, "*:2 /r2:1 h21:1")
	if c.ResponseID != 0 || !reflect.DeepEqual(c.Releases, []string{"c1", "c2"}) || !reflect.DeepEqual(c.BlacklistAdditions, []string{"bad"}) {
		t.Error(c)
	}
}

// A container answers requests of exactly its size; without any, those that fit, the larger ones first.
func TestMatchingPrefersTheExactSize(t *testing.T) {
	of := func(mb int64, n int32) *amrm.ContainerRequest {
		return &amrm.ContainerRequest{Capability: amrm.Resource{MemoryMB: mb, VCores: n}, RelaxLocality: true}
	}
	small, middle, exact, big := of(512, 1), of(1024, 1), of(2048, 2), of(4096, 2)
	table := amrm.New(nil)
	add(t, table, small, middle, exact, big)
	got := table.Matching(0, amrm.Any, amrm.Resource{MemoryMB: 2048, VCores: 2})
	if len(got) != 1 || got[0] != exact {
		t.Error(got)
	}
	got = table.Matching(0, amrm.Any, amrm.Resource{MemoryMB: 2048, VCores: 1})
	if len(got) != 2 || got[0] != middle || got[1] != small {
		t.Error(got)
	}
	if got = table.Matching(1, amrm.Any, size); len(got) != 0 {
		t.Error("another priority matched", got)
	}
}

func TestConflictsAreRefusedAndChangeNothing(t *testing.T) {
	table := amrm.New(racks)
	add(t, table, at("h11"))
	strict := at("h11")
	strict.RelaxLocality = false
	labelled := at("h11")
	labelled.Label = "gpu"
	for _, r := range []*amrm.ContainerRequest{strict, labelled} {
		if err := table.Add(r); !errors.Is(err, amrm.ErrConflict) {
			t.Error(err)
		}
	}
	want(t, table.Take(), "*:1 /r1:1 h11:1")
	strict.Priority = 1
	add(t, table, strict)
	want(t, table.Take(), "*:1 /r1:1 h11:1")
}
