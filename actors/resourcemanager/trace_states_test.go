package resourcemanager_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/resourcemanager"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv/trace"
)

// life is what happened to one ResourceManager, step by step, in words.
type life struct {
	*kit
	seen int
	text strings.Builder
	// ended has, by id, why the life of a node is over, and "" of one that lives.
	ended map[string]string
}

// short is a text with short ids.
var short = strings.NewReplacer("application_1767225600000_000", "app_", "appattempt_1767225600000_000", "attempt_", "container_1767225600000_000", "container_", "\n", " ")

// then writes the changes of state in the trace that came since the last step.
func (l *life) then(step string) {
	l.t.Helper()
	l.Settle()
	fmt.Fprintf(&l.text, "\n%s\n", step)
	entries := l.Trace().Entries
	for _, e := range entries[l.seen:] {
		if e.K == trace.KindState {
			if e.Name == "node" {
				l.ended[e.Subject] = ""
				if strings.Contains("LOST REBOOTED SHUTDOWN DECOMMISSIONED", e.Is) {
					l.ended[e.Subject] = e.Why
				}
			}
			fmt.Fprintln(&l.text, strings.TrimRight(short.Replace(fmt.Sprintf("  %s %s: %s > %s, %s", e.Name, e.Subject, e.Was, e.Is, e.Why)), " "))
		}
	}
	for _, n := range l.state().GetNodes() {
		id := fmt.Sprintf("%s:%d", n.GetNodeId().GetHost(), n.GetNodeId().GetPort())
		if got, want := n.GetStateReason(), l.ended[id]; got != want {
			l.t.Errorf("%s: node %s is %s because %q, want %q", step, id, n.GetNodeState(), got, want)
		}
	}
	l.seen = len(l.Trace().Entries)
}

// The trace has each change of nodes, applications, attempts and containers, with the reason: what checks a run reads it there.
func TestTheTraceHasEachChangeOfState(t *testing.T) {
	hosts := &lists{}
	l := &life{ended: map[string]string{}, kit: kitWith(t, resourcemanager.Config{Hosts: hosts}, "yarn.nm.liveness-monitor.expiry-interval-ms", "9000")}
	l.applications(l.node("N1", 8192, 8))
	l.nodes(l.node("N2", 8192, 8), hosts)
	text, err := os.ReadFile("testdata/states.txt")
	if err != nil {
		t.Fatal(err)
	}
	_, want, _ := strings.Cut(string(text), "\n\n")
	if got := strings.TrimPrefix(l.text.String(), "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func (l *life) applications(n *nodeManager) {
	l.then("a node registers")
	l.submit(nil)
	l.then("an application is submitted")
	n.beat()
	l.then("the node is heard")
	am := l.launched(n)
	am.register()
	l.then("the ApplicationMaster registers")
	n.beat()
	got := am.given(n, 3)
	am.start(n, got[0])
	n.beat()
	l.then("three containers are given, one is started")
	n.ends(got[0].GetId(), 3, "it divided by zero")
	n.beat()
	am.call(&yarn.AllocateRequest{Release: []*yarn.ContainerId{got[1].GetId()}})
	l.then("it ends, the second is released")
	am.crash(n, 7)
	l.beats(time.Second, n)
	l.then("the ApplicationMaster crashes")
	am = l.launched(n)
	am.register()
	n.beat()
	am.finish(yarn.FinalApplicationStatus_APP_SUCCEEDED)
	l.then("the next one registers and says that it is done")
	n.ends(am.own, 0, "")
	n.beat()
	l.then("its container ends")
	l.kill(l.submit(nil))
	l.then("another application is killed while it waits")
}

func (l *life) nodes(n *nodeManager, hosts *lists) {
	l.then("a second node registers")
	n.sick("disk full")
	l.then("it is not healthy")
	n.beat()
	l.then("it is again")
	n.response = 0
	n.beat()
	l.then("it repeats an old heartbeat")
	n.register()
	ask[*yarn.UnRegisterNodeManagerResponse](l.kit, n.Probe, "ResourceTracker", &yarn.UnRegisterNodeManagerRequest{NodeId: n.reg.GetNodeId()})
	l.then("it registers and says that it ends")
	n.register()
	n.register()
	l.Advance(13 * time.Second)
	l.then("it registers, twice, and is silent, as the first is")
	n.register()
	hosts.exclude = []string{n.reg.GetNodeId().GetHost()}
	l.refresh(&yarn.RefreshNodesRequest{Graceful: true})
	hosts.exclude = nil
	l.refresh(&yarn.RefreshNodesRequest{})
	l.then("it registers, is excluded gracefully, and listed again")
	hosts.exclude = []string{n.reg.GetNodeId().GetHost()}
	l.refresh(&yarn.RefreshNodesRequest{Graceful: true})
	n.beat()
	l.then("it is excluded gracefully and runs nothing")
	hosts.exclude = nil
	l.refresh(&yarn.RefreshNodesRequest{})
	n.register()
	hosts.exclude = []string{n.reg.GetNodeId().GetHost()}
	l.refresh(&yarn.RefreshNodesRequest{})
	l.then("it is listed, registers and is excluded at once")
}

// refresh makes the ResourceManager read the lists of hosts.
func (k *kit) refresh(q *yarn.RefreshNodesRequest) {
	k.t.Helper()
	ask[*yarn.RefreshNodesResponse](k, k.tool, "ResourceTracker", q)
	k.Settle()
}
