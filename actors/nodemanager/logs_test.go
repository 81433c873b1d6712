package nodemanager

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/trace/show"
)

// output is what containers wrote, as Logs.
type output struct {
	found   []LogsOf
	removed []string
	err     error // of all
}

func (o *output) List(*rpcenv.Blocking) ([]LogsOf, error) { return o.found, o.err }

func (o *output) Remove(_ *rpcenv.Blocking, app ids.Application) error {
	o.removed = append(o.removed, app.String())
	return o.err
}

// An application's output stays for three hours after its end, what was found there for three hours since it changed. What an
// application writes that is here again stays.
func TestOutputStaysForAWhile(t *testing.T) {
	k := newKit(t)
	k.period = time.Minute
	now := k.w.Now()
	old, older := ids.Application{Timestamp: 1, ID: 1}, ids.Application{Timestamp: 1, ID: 2}
	o := &output{found: []LogsOf{{old, now.Add(-2 * time.Hour)}, {older, now.Add(-4 * time.Hour)}, {app1, now.Add(-170 * time.Minute)}}}
	k.join(Config{Logs: o}, nil)
	k.running(1, nil)
	if !slices.Equal(o.removed, []string{older.String()}) {
		t.Fatalf("at the start %q were removed", o.removed)
	}
	k.w.Advance(59 * time.Minute)
	if len(o.removed) != 1 {
		t.Fatalf("%q were removed before their time", o.removed)
	}
	k.w.Advance(2 * time.Minute)
	if !slices.Equal(o.removed[1:], []string{old.String()}) {
		t.Fatalf("then %q were removed", o.removed)
	}
	k.next(func(r *yarn.NodeHeartbeatResponse) { r.ApplicationsToCleanup = []*yarn.ApplicationId{app1.Proto()} })
	k.w.Advance(2*time.Hour + 59*time.Minute)
	if len(o.removed) != 2 {
		t.Fatalf("%q were removed before their time", o.removed)
	}
	k.w.Advance(2 * time.Minute)
	if !slices.Equal(o.removed[2:], []string{app1.String()}) {
		t.Errorf("at last %q were removed", o.removed)
	}

	k = newKit(t)
	k.period = time.Minute
	o = &output{found: []LogsOf{{old, time.Time{}}}}
	k.join(Config{Logs: o}, map[string]string{"yarn.nodemanager.log.retain-seconds": "-1"})
	k.w.Advance(24 * time.Hour)
	if o.removed != nil {
		t.Errorf("%q were removed though all is to stay", o.removed)
	}
}

// What was found goes in its time also when not all was found; what cannot be removed is logged. With 0 seconds all goes at once.
func TestOutputThatCannotBeFoundOrRemoved(t *testing.T) {
	k := newKit(t)
	o := &output{found: []LogsOf{{app1, k.w.Now()}}, err: errors.New("the disk is gone")}
	k.join(Config{Logs: o}, map[string]string{"yarn.nodemanager.log.retain-seconds": "0"})
	want := []string{
		"warning Not all output of earlier containers was found: it stays: the disk is gone", "error Could not remove the output of " + app1.String() + ": the disk is gone",
	}
	if got := k.lines("utput of"); !slices.Equal(got, want) || len(o.removed) != 1 {
		t.Errorf("%q, removed %q", got, o.removed)
	}
}

// Output that is to stay for ever is removed by no timer; without a place for output nothing is.
func TestOutputThatStaysForEver(t *testing.T) {
	for _, cfg := range []Config{{}, {Logs: &output{found: []LogsOf{{app1, time.Time{}}}}}} {
		k := newKit(t)
		k.join(cfg, map[string]string{"yarn.nodemanager.log.retain-seconds": "-1"})
		k.running(1, nil)
		k.next(func(r *yarn.NodeHeartbeatResponse) { r.ApplicationsToCleanup = []*yarn.ApplicationId{app1.Proto()} })
		k.w.Advance(5 * time.Second)
		for _, e := range k.w.Trace().Entries {
			if e.Name == "timer removeLogs" {
				t.Errorf("%s", show.Line(&e))
			}
		}
	}
	k := newKit(t)
	k.join(Config{}, map[string]string{"yarn.nodemanager.log.retain-seconds": "0"})
	k.running(1, nil)
	k.next(func(r *yarn.NodeHeartbeatResponse) { r.ApplicationsToCleanup = []*yarn.ApplicationId{app1.Proto()} })
	k.w.Advance(5 * time.Second) // it would panic
}
