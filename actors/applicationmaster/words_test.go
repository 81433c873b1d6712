package applicationmaster_test

import (
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/actors/applicationmaster"
	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
)

func same(t *testing.T, what string, got, want proto.Message) {
	t.Helper()
	if !proto.Equal(got, want) {
		t.Errorf("%s\n%v, want\n%v", what, got, want)
	}
}

// What a ResourceManager gets, field by field: at the registration, by a call, and after a resync by either of its two ways.
func TestWhatAResourceManagerIsTold(t *testing.T) {
	r := client(t, map[string]string{
		"spark.yarn.executor.nodeLabelExpression": "gpu", "spark.yarn.exclude.nodes": "bad,worse", "spark.executor.cores": "2",
		"spark.executor.instances": "3",
	})
	registration := &yarn.RegisterApplicationMasterRequest{Host: "node1", RpcPort: -1, ApplicationAttemptId: attempt.Proto()}
	same(t, "the registration", r.registrations[0], registration)
	ask := func(n int32) *yarn.ResourceRequest {
		return &yarn.ResourceRequest{
			Priority: &yarn.Priority{}, ResourceName: "*", Capability: &yarn.Resource{Memory: 1408, VirtualCores: 2}, NumContainers: n,
			RelaxLocality: new(true), NodeLabelExpression: "gpu",
		}
	}
	call := func(response, n int32, releases ...*yarn.ContainerId) *yarn.AllocateRequest {
		return &yarn.AllocateRequest{
			ApplicationAttemptId: attempt.Proto(), Progress: 0.1, ResponseId: response, Ask: []*yarn.ResourceRequest{ask(n)}, Release: releases,
			BlacklistRequest: &yarn.ResourceBlacklistRequest{BlacklistAdditions: []string{"bad", "worse"}},
		}
	}
	same(t, "the first call", r.calls[0].AllocateRequest, call(0, 3))
	r.run(1)
	id := ids.Container{Attempt: attempt, Seq: 1}.Proto()
	r.drive(t, &app.KillExecutors{ExecutorIds: []string{"1"}})
	r.next.AMCommand = yarn.AMCommand_AM_RESYNC
	r.Until("another registration", func() bool { return len(r.registrations) == 2 })
	n := len(r.calls)
	r.untilCalls(n + 1)
	registration.Containers = []*yarn.ContainerId{id}
	same(t, "the registration after a resync", r.registrations[1], registration)
	same(t, "the call after a resync", r.calls[n].AllocateRequest, call(0, 3, id))
	r.next.AMCommand = yarn.AMCommand_AM_SHUTDOWN
	if code := r.untilExit(); code != applicationmaster.ExitReporterFailure {
		t.Error(code)
	}
}

// drive has the driver ask for something, and waits until it is done.
func (r *rig) drive(t *testing.T, q rpcenv.Message) {
	t.Helper()
	r.driver.Send(r.managers[len(r.managers)-1], q)
	r.Settle()
}

// What a driver in client mode gets at the beginning.
func TestWhatADriverIsTold(t *testing.T) {
	r := newRig(t, map[string]string{"spark.yarn.am.cores": "3"})
	r.driver = r.Probe(applicationmaster.SchedulerName)
	var told []proto.Message
	r.driver.On(r.playDriver)
	r.driver.On(func(_ *rpcenv.Context, m rpcenv.Message) bool {
		switch m := m.(type) {
		case *app.AddWebUIFilter:
			told = append(told, m)
		case *app.MiscellaneousProcessAdded:
			if ago := r.Now().UnixMilli() - m.GetTime(); ago < 0 || ago > 3 { // it is under way for 1 ms at most
				t.Errorf("it was added %d ms ago", ago)
			}
			m.Time = 0
			told = append(told, m)
		}
		return false
	})
	cfg := r.config()
	cfg.Driver, cfg.ProxyBase = r.driver.Env.Address(), "/proxy/application_1"
	r.begin(r.ClientEnv("AM", r.conf), cfg)
	r.Until("two messages", func() bool { return len(told) == 2 })
	same(t, "the filter", told[0], &app.AddWebUIFilter{FilterName: "org.apache.hadoop.yarn.server.webproxy.amfilter.AmIpFilter", ProxyBase: "/proxy/application_1"})
	same(t, "the process", told[1], &app.MiscellaneousProcessAdded{ProcessId: "yarn-am", HostPort: "node1", Cores: 3})
}

// A container of another attempt, or at no place, is not this attempt's: it is neither started nor given back.
func TestContainersOfOthersAreLeftAlone(t *testing.T) {
	r := client(t, nil)
	r.give(3)
	r.next.AllocatedContainers[0].Id.AppAttemptId.AttemptId = 9
	r.next.AllocatedContainers[1].Id.AppAttemptId.ApplicationId.Id = 9
	r.next.AllocatedContainers[2].NodeId.Host = ""
	r.untilCalls(len(r.calls) + 3)
	for _, c := range r.calls {
		if len(c.GetRelease()) > 0 {
			t.Errorf("given back: %v", c.GetRelease())
		}
	}
	if len(r.starts) != 0 {
		t.Error(r.starts)
	}
}

// What a driver hears of an end, and of a node that takes no more, field by field.
func TestWhatADriverIsToldLater(t *testing.T) {
	r := client(t, map[string]string{"spark.executor.instances": "1", "spark.decommission.enabled": "true"})
	var host string
	r.driver.On(func(_ *rpcenv.Context, m rpcenv.Message) bool {
		if d, ok := m.(*app.DecommissionExecutorsOnHost); ok {
			host = d.GetHostName()
		}
		return false
	})
	r.run(1)
	r.next.UpdatedNodes = []*yarn.NodeReport{{NodeId: &yarn.NodeId{Host: "h1", Port: 1}, NodeState: yarn.NodeState_NS_DECOMMISSIONING}}
	r.end(1, 3)
	r.end(77, 3) // nobody's
	r.Until("the end of the executor", func() bool { return len(r.removed) == 1 && host != "" })
	why := "Container from a bad node: " + container(1) + " on host: " + r.node.Env.Address().Host + ". Exit status: 3. Diagnostics: a crash."
	same(t, "the end", r.removed[0], &app.RemoveExecutor{ExecutorId: "1", Reason: why, Exited: &app.ExecutorExited{ExitCode: 3, ExitCausedByApp: true, Reason: why}})
	if host != "h1" {
		t.Error(host)
	}
	r.Advance(time.Second)
	if len(r.removed) != 1 {
		t.Error(r.removed)
	}
}

// Each profile is asked for under its own priority, and given under it.
func TestEachProfileHasItsPriority(t *testing.T) {
	r := client(t, map[string]string{"spark.executor.instances": "0"})
	cores := int32(2)
	r.drive(t, &app.RequestExecutors{ResourceProfileToTotalExecs: []*deploy.ProfileTarget{{Profile: &deploy.ResourceProfile{Id: 3, ExecutorMemoryMb: 600, ExecutorCores: &cores}, Total: 1}}})
	r.untilCalls(len(r.calls) + 1)
	ask := r.calls[len(r.calls)-1].GetAsk()
	if len(ask) != 1 || ask[0].GetPriority().GetPriority() != 3 || ask[0].GetCapability().GetMemory() != 600+384 || ask[0].GetCapability().GetVirtualCores() != 2 {
		t.Fatal(ask)
	}
	r.give(1)
	r.next.AllocatedContainers[0].Priority, r.next.AllocatedContainers[0].Resource = ask[0].GetPriority(), ask[0].GetCapability()
	r.Until("an executor", func() bool { return len(r.starts) == 1 })
	command := strings.Join(r.starts[0].GetStartContainerRequest()[0].GetContainerLaunchContext().GetCommand(), " ")
	if !strings.Contains(command, " --cores 2 ") || !strings.Contains(command, " --resourceProfileId 3 ") {
		t.Error(command)
	}
}
