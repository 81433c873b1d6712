package allocator_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/coherer/coherer/actors/applicationmaster/allocator"
)

// shape shows runs of equal entries, such as "2x- 7x1234".
func shape(places [][]string) string {
	var out []string
	last, n := "", 0
	flush := func() {
		if n > 0 {
			out = append(out, fmt.Sprintf("%dx%s", n, last))
		}
	}
	for _, hosts := range places {
		text := strings.ReplaceAll(strings.Join(hosts, ""), "h", "")
		if text == "" {
			text = "-"
		}
		if text != last {
			flush()
			last, n = text, 0
		}
		n++
	}
	flush()
	return strings.Join(out, " ")
}

var fourHosts = []allocator.HostCount{{Host: "h1", Tasks: 30}, {Host: "h2", Tasks: 30}, {Host: "h3", Tasks: 20}, {Host: "h4", Tasks: 10}}

// 20 tasks on h1, h2, h3 and 10 on h1, h2, h4, two tasks an executor.
func TestPlaceWorkedVectors(t *testing.T) {
	for _, v := range []struct {
		n, allocated int
		pending      [][]string
		want         string
	}{
		{n: 18, want: "2x- 7x1234 6x123 3x12"},
		{n: 10, want: "4x1234 4x123 2x12"},
		{n: 18, allocated: 1, want: "6x- 3x1234 6x123 3x12"},
		{n: 10, allocated: 1, want: "3x1234 5x123 2x12"},
		{n: 10, allocated: 5, want: "10x-"},
		// Six requests for h1 or h2 count as three on each.
		{n: 4, pending: [][]string{{"h1", "h2"}, {"h1", "h2"}, {"h1", "h2"}, {"h1", "h2"}, {"h1", "h2"}, {"h1", "h2"}}, want: "2x1234 2x3"},
		{n: 0, want: ""},
		{n: -1, want: ""},
	} {
		got := shape(allocator.Place(allocator.Wish{
			Containers: v.n, LocalityAware: 30, Hosts: fourHosts, TasksPerExecutor: 2, Pending: v.pending,
			Allocated: func(string) int { return v.allocated },
		}))
		if got != v.want {
			t.Errorf("%d containers, %d allocated, %d pending: %s, want %s", v.n, v.allocated, len(v.pending), got, v.want)
		}
	}
}

func TestPlaceWithoutCountsHasNoPreference(t *testing.T) {
	for _, hosts := range [][]allocator.HostCount{nil, {{Host: "h1"}, {Host: "h2"}}} {
		got := shape(allocator.Place(allocator.Wish{
			Containers: 3, LocalityAware: 7, Hosts: hosts, TasksPerExecutor: 1, Allocated: func(string) int { return 0 },
		}))
		if got != "3x-" {
			t.Error(got)
		}
	}
}

// There is an entry for each container, those without preference first, and none names a host that tasks do not prefer.
func TestPlaceProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		hosts := make([]allocator.HostCount, rapid.IntRange(0, 6).Draw(t, "hosts"))
		for i := range hosts {
			hosts[i] = allocator.HostCount{Host: fmt.Sprint("h", i), Tasks: rapid.IntRange(0, 50).Draw(t, "tasks")}
		}
		n := rapid.IntRange(0, 60).Draw(t, "n")
		allocated := rapid.IntRange(0, 9).Draw(t, "allocated")
		places := allocator.Place(allocator.Wish{
			Containers: n, LocalityAware: rapid.IntRange(0, 200).Draw(t, "aware"), Hosts: hosts,
			TasksPerExecutor: rapid.IntRange(1, 8).Draw(t, "per executor"), Allocated: func(string) int { return allocated },
		})
		if len(places) != n {
			t.Fatalf("%d places for %d containers", len(places), n)
		}
		local := false
		for _, p := range places {
			if local && len(p) == 0 {
				t.Fatalf("an entry without preference behind one with: %v", places)
			}
			local = local || len(p) > 0
		}
	})
}
