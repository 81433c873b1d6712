package master

import (
	"fmt"
	"math"
	"testing"

	"github.com/coherer/coherer/messages/deploy"
)

// TestWhereDriversGo: with spreadOut one cursor goes round the Workers, in an order that is made once; else each driver
// goes to the first, by id, that has room.
func TestWhereDriversGo(t *testing.T) {
	reverse := func(n int, swap func(i, j int)) {
		for i := range n / 2 {
			swap(i, n-1-i)
		}
	}
	for _, tt := range []struct {
		name    string
		policy  driverPolicy
		drivers []int32 // cores of each
		want    string
	}{
		{"in turn", driverPolicy{true, math.MaxInt32, 1}, []int32{1, 1, 1, 1}, "[C B A C]"},
		{"the cursor moves past Workers without room", driverPolicy{true, math.MaxInt32, 1}, []int32{2, 1, 2, 1, 1}, "[C B A B -]"},
		{"a driver that fits nowhere leaves the cursor where it was", driverPolicy{true, math.MaxInt32, 1}, []int32{1, 3, 1}, "[C - B]"},
		{"what fits nowhere keeps back what is as large, and nothing smaller", driverPolicy{true, math.MaxInt32, 1}, []int32{3, 3, 4, 2, 1}, "[- - - C B]"},
		{"first fit by id", driverPolicy{false, math.MaxInt32, 1}, []int32{1, 1, 1, 2, 1}, "[A A B C B]"},
		{"at most two", driverPolicy{true, 2, 1}, []int32{1, 1, 1}, "[C B -]"},
		{"at most half", driverPolicy{true, math.MaxInt32, 0.5}, []int32{2, 1, 1}, "[C B -]"},
	} {
		var workers []*workerInfo
		for _, id := range []string{"B", "A", "C", "D"} {
			workers = append(workers, &workerInfo{ID: id, Cores: 2, Memory: 4096})
		}
		if tt.policy.spreadOut { // else the order is by id, whatever it was
			workers[0], workers[1] = workers[1], workers[0]
		}
		workers[3].State = WorkerDead
		books, shuffles := newDriverBooks(), 0
		placer := newDriverPlacer(workers, tt.policy, func(n int, swap func(i, j int)) {
			shuffles++
			reverse(n, swap)
		})
		var got []string
		for i, cores := range tt.drivers {
			d := &driverInfo{ID: fmt.Sprint(i), Desc: &deploy.DriverDescription{Cores: cores, Mem: 1}}
			books.add(d)
			w := placer.place(d, books.launched())
			if w == nil {
				got = append(got, "-")
				continue
			}
			books.assign(d, w)
			got = append(got, w.ID)
		}
		if fmt.Sprint(got) != tt.want {
			t.Errorf("%s: %v, want %s", tt.name, got, tt.want)
		}
		if want := map[bool]int{true: 1}[tt.policy.spreadOut]; shuffles != want {
			t.Errorf("%s: shuffled %d times, want %d", tt.name, shuffles, want)
		}
	}
}

// Of drivers that want the same only the first looks at all Workers: what found no room, and what never will, is remembered for one
// decision.
func TestWhatFoundNoRoomIsRemembered(t *testing.T) {
	p := newDriverPlacer([]*workerInfo{{ID: "w", Cores: 2, CoresUsed: 1, Memory: 1024}}, driverPolicy{maxDrivers: math.MaxInt32, maxShare: 1}, nil)
	driver := func(cores int32) *driverInfo {
		return &driverInfo{Desc: &deploy.DriverDescription{Cores: cores, Mem: 1}}
	}
	for range 3 {
		if p.place(driver(2), 0) != nil || p.neverFits(driver(2)) || !p.neverFits(driver(3)) {
			t.Error("2 cores fit, or could never; or 3 could")
		}
	}
	if len(p.full) != 1 || len(p.never) != 1 {
		t.Errorf("%d are remembered that found no room and %d that never will, want 1 and 1", len(p.full), len(p.never))
	}
	if none := newDriverPlacer(nil, driverPolicy{}, nil); none.neverFits(driver(9)) {
		t.Error("without Workers nobody knows what fits")
	}
}

// A wish finds no room when one that found none wanted no more of anything, and no resources, which others may have left.
func TestWhichWishIsBelowAnother(t *testing.T) {
	gpu := []requirement{{"gpu", 1}}
	for _, test := range []struct {
		known need
		want  bool
	}{
		{need{cores: 2, memory: 512}, true},
		{need{cores: 1, memory: 511}, true},
		{need{cores: 3, memory: 512}, false},
		{need{cores: 2, memory: 513}, false},
		{need{cores: 2, memory: 512, resources: gpu}, false},
	} {
		if got := (needs{&test.known}).below(&need{cores: 2, memory: 512, resources: gpu}); got != test.want {
			t.Errorf("%+v: %v", test.known, got)
		}
	}
}

func TestBlockersInWords(t *testing.T) {
	got := blockerTexts([]*deploy.Blocker{
		{Reason: "a"}, {Reason: "b", WorkerId: "w", Workers: 1}, {Reason: "c", WorkerId: "w", Workers: 3},
	})
	if want := "[a w: b w: c (and 2 more workers)]"; fmt.Sprint(got) != want {
		t.Errorf("%v, want %s", got, want)
	}
}
