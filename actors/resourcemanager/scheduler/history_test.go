package scheduler

import (
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/hadoop/exitstatus"
	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/resourcemanager/fair"
	"github.com/coherer/coherer/messages/yarn"
)

// The totals of the last ended applications are remembered.
func TestTheTotalsOfTheLastApplicationsAreRemembered(t *testing.T) {
	var p pastApps
	for i := range int32(5) {
		p.add(ids.Application{ID: i}, &yarn.AppTotals{VcoreSeconds: int64(i)}, 3)
	}
	all := p.all()
	var got []int32
	for _, id := range slices.SortedFunc(maps.Keys(all), ids.CompareApplications) {
		got = append(got, id.ID)
		if all[id].GetVcoreSeconds() != int64(id.ID) {
			t.Errorf("%s has the totals of another: %v", id, all[id])
		}
	}
	if !slices.Equal(got, []int32{2, 3, 4}) || len(p.order) != 3 {
		t.Errorf("remembered: %v, in the order %v", got, p.order)
	}
	delete(all, ids.Application{ID: 4})
	if len(p.all()) != 3 {
		t.Error("what was given away is no copy")
	}
}

// A container ended by a fault when its process or its node failed, or somebody took it: not when its owner ended it.
func TestWhatIsAFault(t *testing.T) {
	for _, is := range []struct {
		e    fair.Event
		want bool
	}{
		{fair.Event{Cause: fair.Finished, ExitStatus: 0}, false},
		{fair.Event{Cause: fair.Finished, ExitStatus: 1}, true},
		{fair.Event{Cause: fair.Finished, ExitStatus: exitstatus.KilledExceededPMem}, true},
		{fair.Event{Cause: fair.Finished, ExitStatus: exitstatus.KilledByAppMaster}, false},
		{fair.Event{Cause: fair.Finished, ExitStatus: exitstatus.KilledAfterAppCompletion}, false},
		{fair.Event{Cause: fair.Finished, ExitStatus: exitstatus.KilledByResourceManager}, false},
		{fair.Event{Cause: fair.Killed, ExitStatus: exitstatus.Preempted, Diagnostics: fair.DiagnosticsPreempted}, true},
		{fair.Event{Cause: fair.Killed, ExitStatus: exitstatus.Aborted, Diagnostics: fair.DiagnosticsLost}, true},
		{fair.Event{Cause: fair.Killed, ExitStatus: exitstatus.Aborted, Diagnostics: fair.DiagnosticsCompleted}, false},
		{fair.Event{Cause: fair.Expired, ExitStatus: exitstatus.Aborted, Diagnostics: fair.DiagnosticsExpired}, true},
		{fair.Event{Cause: fair.Released, ExitStatus: exitstatus.Aborted, Diagnostics: fair.DiagnosticsReleased}, false},
	} {
		if fault(is.e) != is.want {
			t.Errorf("cause %v, exit status %d, %q: a fault is %t", is.e.Cause, is.e.ExitStatus, is.e.Diagnostics, !is.want)
		}
	}
}

// Preempted containers of an application are summed up: sizes, lifetimes, and the number of ApplicationMasters.
func TestWhatWasTakenIsSummedUp(t *testing.T) {
	var p preempted
	p.add(fair.Event{Resource: fair.Resource{Memory: 1024, VCores: 2}}, 3*time.Second)
	p.add(fair.Event{Resource: fair.Resource{Memory: 512, VCores: 1}}, 2*time.Second)
	p.add(fair.Event{Resource: fair.Resource{Memory: 256, VCores: 1}, AM: true}, time.Second)
	want := preempted{
		sum: fair.Resource{Memory: 1792, VCores: 4}, over: usedOverTime{3072000 + 1024000 + 256000, 6000 + 2000 + 1000}, others: 2, ams: 1,
	}
	if p != want {
		t.Errorf("%+v\nwant\n%+v", p, want)
	}
}
