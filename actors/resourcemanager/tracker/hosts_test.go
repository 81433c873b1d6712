package tracker

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/coherer/coherer/actors/hadoop/exceptions"
	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/resourcemanager/rmtest"
	"github.com/coherer/coherer/actors/resourcemanager/scheduler"
	"github.com/coherer/coherer/actors/resourcemanager/session"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

// excluded are a test's files of hosts.
type excluded struct {
	exclude []string
	err     error
}

func (e *excluded) Read(*rpcenv.Blocking) (include, exclude []string, err error) {
	return nil, e.exclude, e.err
}

func (r tracking) refresh(q *yarn.RefreshNodesRequest) {
	r.T.Helper()
	if _, err := rpctest.Ask[*yarn.RefreshNodesResponse](r.Peer, r.Of, q); err != nil {
		r.T.Fatal(err)
	}
	r.Settle()
}

// A node that is excluded gracefully ends when nothing runs there and the scheduler has heard so.
func TestANodeEndsWhenNothingRunsThere(t *testing.T) {
	hosts := &excluded{}
	r := newTracking(t, hosts)
	id := r.node("h")
	r.beat(id, 0, rmtest.Status(1, rmtest.Runs, 0))
	hosts.exclude = []string{"h"}
	r.refresh(&yarn.RefreshNodesRequest{Graceful: true})
	if d := rmtest.Got[scheduler.DrainNode](r.Rig, r.Scheduler); len(d) != 1 || d[0].Node != id || !d[0].Drain {
		t.Errorf("the scheduler heard %+v", d)
	}
	if c := rmtest.Got[session.NodeChanged](r.Rig, r.AMS); len(c) != 2 || c[1].Report.GetNodeState() != yarn.NodeState_NS_DECOMMISSIONING {
		t.Errorf("ApplicationMasters heard %v", c)
	}
	if a := r.beat(id, 1, rmtest.Status(1, rmtest.Runs, 0)); a.GetNodeAction() != yarn.NodeAction_NORMAL {
		t.Errorf("a container runs: %v", a)
	}
	r.slow.holds = true
	if a := r.beat(id, 2, rmtest.Status(1, rmtest.Ended, 3)); a.GetNodeAction() != yarn.NodeAction_NORMAL {
		t.Errorf("the scheduler has not heard of the end: %v", a)
	}
	if u := rmtest.Got[scheduler.NodeUpdate](r.Rig, r.Scheduler); len(u) == 0 || len(u[len(u)-1].Ended) != 1 {
		t.Errorf("the scheduler heard %+v", u)
	}
	if a := r.beat(id, 3); a.GetNodeAction() != yarn.NodeAction_NORMAL {
		t.Errorf("the scheduler has not answered: %v", a)
	}
	r.answer()
	r.answer()
	if a := r.beat(id, 4); a.GetNodeAction() != yarn.NodeAction_NODE_SHUTDOWN || a.GetDiagnosticsMessage() != "DECOMMISSIONED" {
		t.Errorf("nothing runs: %v", a)
	}
	// Its host is still excluded: its registration is refused.
	want := "Disallowed NodeManager nodeId: h:8041 hostname: h"
	if a := r.beat(id, 5); a.GetNodeAction() != yarn.NodeAction_NODE_SHUTDOWN || a.GetDiagnosticsMessage() != want {
		t.Errorf("its next heartbeat: %v", a)
	}
	if a := r.beat(ids.Node{Host: "h", Port: 99}, 0); a.GetNodeAction() != yarn.NodeAction_NODE_SHUTDOWN || a.GetDiagnosticsMessage() != "Disallowed NodeManager nodeId: h:99 hostname: h" {
		t.Errorf("one that is not known: %v", a)
	}
}

// New lists change nothing for a node that is listed, or that has ended.
func TestWhatNewListsChange(t *testing.T) {
	hosts := &excluded{}
	r := newTracking(t, hosts)
	r.node("a")
	r.node("b")
	r.node("c")
	refresh := func(graceful bool, want string, exclude ...string) {
		t.Helper()
		hosts.exclude = exclude
		r.refresh(&yarn.RefreshNodesRequest{Graceful: graceful})
		if got := fmt.Sprint(r.nodes()); got != want {
			t.Errorf("%s\nwant\n%s", got, want)
		}
	}
	refresh(true, "[a:8041 RUNNING b:8041 DECOMMISSIONING c:8041 RUNNING]", "b")
	refresh(true, "[a:8041 RUNNING b:8041 DECOMMISSIONING c:8041 DECOMMISSIONING]", "b", "c")
	refresh(true, "[a:8041 RUNNING b:8041 RUNNING c:8041 DECOMMISSIONING]", "c")
	if d := rmtest.Got[scheduler.DrainNode](r.Rig, r.Scheduler); len(d) != 3 || d[2].Node.Host != "b" || d[2].Drain {
		t.Errorf("the scheduler heard %+v", d)
	}
	refresh(false, "[a:8041 RUNNING b:8041 RUNNING c:8041 DECOMMISSIONED]", "c")
	refresh(false, "[a:8041 RUNNING b:8041 RUNNING c:8041 DECOMMISSIONED]")

	hosts.exclude, hosts.err = []string{"a"}, errors.New("/etc/exclude: no such file")
	_, err := rpctest.Ask[*yarn.RefreshNodesResponse](r.Peer, r.Of, &yarn.RefreshNodesRequest{})
	if !errors.Is(err, exceptions.YARN) || !strings.HasSuffix(err.Error(), "the lists of hosts stay as they were: /etc/exclude: no such file") {
		t.Error(err)
	}
	if got := fmt.Sprint(r.nodes()); got != "[a:8041 RUNNING b:8041 RUNNING c:8041 DECOMMISSIONED]" {
		t.Error(got)
	}
	// Without files all hosts may be nodes.
	r = newTracking(t, nil)
	r.Send(BeginTracker{Life: rmtest.Life(5), exclude: []string{"a"}})
	r.refresh(&yarn.RefreshNodesRequest{})
	r.node("a")
	if got := fmt.Sprint(r.nodes()); got != "[a:8041 RUNNING]" {
		t.Error(got)
	}
}
