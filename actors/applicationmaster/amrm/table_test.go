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
	if got := table.FirstMatching(0, "/r2", size); got != r {
		t.Error(got)
	}
	// Without a way to know better all hosts are in one rack.
	table = amrm.New(nil)
	add(t, table, at("h11"), at("h21"))
	want(t, table.Take(), "*:2 /default-rack:2 h11:1 h21:1")
}

// An ask has the priority, the size and the label of its requests, and whether a container elsewhere will do: at the hosts and
// racks that were named it will always, since that is where it is. Asks are sorted by priority, place and size.
func TestAnAskTellsAllOfItsRequests(t *testing.T) {
	big := amrm.Resource{MemoryMB: 1408, VCores: 4}
	table := amrm.New(racks)
	add(t, table,
		&amrm.ContainerRequest{Capability: size, Nodes: []string{"h11"}, Racks: []string{"/r9"}, Priority: 7},
		&amrm.ContainerRequest{Capability: big, Priority: 3, RelaxLocality: true, Label: "gpu"},
		&amrm.ContainerRequest{Capability: size, Priority: 3, RelaxLocality: true},
	)
	want := []amrm.Ask{
		{Priority: 3, Name: "*", Capability: size, RelaxLocality: true, Count: 1},
		{Priority: 3, Name: "*", Capability: big, RelaxLocality: true, Label: "gpu", Count: 1},
		{Priority: 7, Name: "*", Capability: size, Count: 1},
		{Priority: 7, Name: "/r1", Capability: size, Count: 1},
		{Priority: 7, Name: "/r9", Capability: size, RelaxLocality: true, Count: 1},
		{Priority: 7, Name: "h11", Capability: size, RelaxLocality: true, Count: 1},
	}
	if got := table.Take().Asks; !reflect.DeepEqual(got, want) {
		t.Errorf("%+v\nwant %+v", got, want)
	}
}

// The response id of an answer goes with the next call.
func TestACallHasTheResponseIDOfTheLastAnswer(t *testing.T) {
	table := amrm.New(nil)
	table.Answered(7)
	if c := table.Take(); c.ResponseID != 7 {
		t.Error(c)
	}
}

// Asks are deltas in set and absolutes in value: a call has only what changed, with its newest count.
func TestOnlyWhatChangedIsTold(t *testing.T) {
	table := amrm.New(racks)
	add(t, table, at(), at(), at("h11"))
	want(t, table.Take(), "*:3 /r1:1 h11:1")
	want(t, table.Take(), "")
	add(t, table, at())
	add(t, table, at())
	want(t, table.Take(), "*:5")
}

// A place at which nothing is wanted any more is sent once, with count 0, and then dropped.
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

// Taking back a request that is not there, or not the oldest, leaves the others.
func TestOnlyTheRequestItselfIsTakenBack(t *testing.T) {
	table := amrm.New(racks)
	a, b, c := at(), at(), at()
	add(t, table, a, b, c)
	table.Take()
	table.Remove(at())
	want(t, table.Take(), "")
	table.Remove(b)
	want(t, table.Take(), "*:2")
	if got := table.Matching(0, amrm.Any, size); !reflect.DeepEqual(got, []*amrm.ContainerRequest{a, c}) || got[0] != a || got[1] != c {
		t.Error(got)
	}
}

// A container that is given back twice is released once.
func TestAReleaseIsToldOnce(t *testing.T) {
	table := amrm.New(nil)
	table.Release("c1")
	table.Release("c1")
	if c := table.Take(); !reflect.DeepEqual(c.Releases, []string{"c1"}) {
		t.Error(c.Releases)
	}
	table.Release("c1")
	if c := table.Take(); len(c.Releases) > 0 {
		t.Error("sent again:", c.Releases)
	}
}

// A call has the changes of the blacklist: the last one of a host wins, and what changes nothing is not sent.
func TestTheBlacklistIsToldByItsChanges(t *testing.T) {
	one, none := []string{"bad"}, []string(nil)
	table := amrm.New(nil)
	for i, step := range []struct {
		add, remove []string
		untold      bool // the change is not sent before the next step
		want        string
	}{
		{one, none, false, "[bad] []"},
		{none, none, false, "[] []"},
		{one, none, false, "[] []"},
		{none, one, false, "[] [bad]"},
		{none, none, false, "[] []"},
		{none, one, false, "[] []"},
		{one, none, true, ""},
		{none, one, false, "[] [bad]"}, // an addition that was not sent is none
		{one, none, false, "[bad] []"},
		{none, one, true, ""},
		{one, none, false, "[bad] []"},
	} {
		table.UpdateBlacklist(step.add, step.remove)
		if step.untold {
			continue
		}
		c := table.Take()
		if got := fmt.Sprint(c.BlacklistAdditions, c.BlacklistRemovals); got != step.want {
			t.Errorf("step %d: %s, want %s", i, got, step.want)
		}
	}
}

// YARN-1902: a count that the ResourceManager lowered itself is not sent; others are.
func TestWhatWasGivenIsToldWhereItIsNotKnown(t *testing.T) {
	for host, sent := range map[string]string{
		"h11": "/r2:0 h21:0", "h12": "/r2:0 h11:0 h21:0", "h31": "/r1:0 /r2:0 h11:0 h21:0",
	} {
		table := amrm.New(racks)
		r := at("h11", "h21")
		add(t, table, r, at())
		table.Take()
		table.Given(r, host)
		want(t, table.Take(), sent)
		if table.Pending(0, size) != 1 {
			t.Error(host, table.Pending(0, size))
		}
		table.Reregistered()
		want(t, table.Take(), "*:1")
	}
	// A change that was not sent yet has the newer count.
	table := amrm.New(racks)
	r := at()
	add(t, table, r)
	table.Take()
	add(t, table, at(), at())
	table.Given(r, "h11")
	want(t, table.Take(), "*:2")
}

// What is taken back is sent again, but a newer value for the same key wins.
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
	table.UpdateBlacklist([]string{"worse", "worst"}, nil)
	table.Take()
	table.UpdateBlacklist(nil, []string{"worse", "worst"})
	c = table.Take()
	table.UpdateBlacklist([]string{"worse"}, nil)
	table.Failed(c)
	if again = table.Take(); fmt.Sprint(again.BlacklistAdditions, again.BlacklistRemovals) != "[worse] [worst]" {
		t.Error(again)
	}
}

// After NotRegistered all pending releases, the whole blacklist and every entry of the table are sent anew, and the
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
	// What the ResourceManager forgot needs no taking back.
	table.Remove(table.FirstMatching(0, "h21", size))
	table.UpdateBlacklist([]string{"worse"}, []string{"bad"})
	table.Reregistered()
	c = table.Take()
	want(t, c, "*:1")
	if fmt.Sprint(c.BlacklistAdditions, c.BlacklistRemovals) != "[worse] []" {
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
	if got = table.Matching(0, "h11", amrm.Resource{MemoryMB: 2048, VCores: 1}); len(got) != 0 {
		t.Error("another place matched", got)
	}
	wide := of(2048, 1)
	add(t, table, wide)
	got = table.Matching(0, amrm.Any, amrm.Resource{MemoryMB: 2048, VCores: 3})
	if len(got) != 4 || got[0] != exact || got[1] != wide || got[2] != middle || got[3] != small {
		t.Error("of equal memory the more cores come first:", got)
	}
	if got := table.FirstMatching(0, amrm.Any, amrm.Resource{MemoryMB: 2048, VCores: 3}); got != exact {
		t.Error(got)
	}
}

func TestConflictsAreRefusedAndChangeNothing(t *testing.T) {
	table := amrm.New(racks)
	add(t, table, at("h11"))
	strict := at("h11")
	strict.RelaxLocality = false
	labelled := at("h11")
	labelled.Label = "gpu"
	racked := at()
	racked.Racks, racked.Label = []string{"/r1"}, "gpu"
	for r, want := range map[*amrm.ContainerRequest]string{
		strict:   "a conflicting container request: priority 0 wants /r1 both with and without relaxed locality: use another priority",
		labelled: `a conflicting container request: the node label "gpu" comes with nodes or racks: leave out the one or the others`,
		racked:   `a conflicting container request: the node label "gpu" comes with nodes or racks: leave out the one or the others`,
	} {
		if err := table.Add(r); !errors.Is(err, amrm.ErrConflict) || err.Error() != want {
			t.Error(err)
		}
	}
	want(t, table.Take(), "*:1 /r1:1 h11:1")
	strict.Priority = 1
	add(t, table, strict)
	want(t, table.Take(), "*:1 /r1:1 h11:1")
	// Where nothing is wanted any more, there is no conflict.
	table.Remove(strict)
	relaxed := at("h11")
	relaxed.Priority = 1
	add(t, table, relaxed)
	want(t, table.Take(), "*:1 /r1:1 h11:1")
}
