package resourcemanager_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/hadoop/token"
	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
)

// BenchmarkAllocation is how long an ApplicationMaster waits for a container over loopback: from the AllocateRequest that asks to
// the AllocateResponse that has it. It asks each millisecond whether there is one. Three NodeManagers send heartbeats each second
// and have room; each container goes back, and is forgotten by an update, before the next is asked for, at any time between two
// heartbeats.
func BenchmarkAllocation(b *testing.B) {
	b.Run("continuous", func(b *testing.B) {
		allocations(b, "yarn.scheduler.fair.continuous-scheduling-enabled", "true")
	})
	b.Run("heartbeats", func(b *testing.B) { allocations(b) })
}

func allocations(b *testing.B, settings ...string) {
	rm, env := loopback(b, settings...)
	peers := env("Client")
	launched := make(launches, 1)
	block := peers.Blocking(context.Background())
	defer block.Close()
	tracker := peers.Ref(rm.Address(), ids.ResourceTracker)
	ctx, cancel := context.WithCancel(context.Background())
	var beating sync.WaitGroup
	defer beating.Wait()
	defer cancel()
	for i := range 3 {
		node := env(fmt.Sprint("Node", i)) // the ResourceManager calls any of them, to start the ApplicationMaster
		if _, err := node.Register("ContainerManager", launched); err != nil {
			b.Fatal(err)
		}
		id := &yarn.NodeId{Host: node.Address().Host, Port: int32(node.Address().Port)}
		register(b, block, tracker, id)
		beating.Go(func() { beats(ctx, b, node, tracker, id, time.Duration(i)*time.Second/3) })
	}
	am := session{block: block, to: peers.Ref(rm.Address(), ids.ApplicationMasterService)}
	am.attempt, am.token = submitted(b, block, peers.Ref(rm.Address(), ids.ClientRMService), launched)
	if _, err := rpcenv.AskWait(block, am.to, &yarn.RegisterApplicationMasterRequest{Host: "am", ApplicationAttemptId: am.attempt, AmRmToken: am.token}); err != nil {
		b.Fatal(err)
	}
	var took []time.Duration
	b.ResetTimer()
	for i := range b.N {
		began := time.Now()
		got := am.allocate(b, &yarn.AllocateRequest{Ask: []*yarn.ResourceRequest{anywhere(1)}})
		for len(got) == 0 {
			if err := block.Sleep(time.Millisecond); err != nil {
				b.Fatal(err)
			}
			got = am.allocate(b, &yarn.AllocateRequest{})
		}
		took = append(took, time.Since(began))
		am.allocate(b, &yarn.AllocateRequest{Ask: []*yarn.ResourceRequest{anywhere(0)}, Release: []*yarn.ContainerId{got[0].GetId()}})
		if err := block.Sleep(600*time.Millisecond + time.Duration(i*37%500)*time.Millisecond); err != nil {
			b.Fatal(err)
		}
	}
	b.StopTimer()
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "ms-p50")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "ms-p99")
}

// launches are the ApplicationMasters that the ResourceManager wants started.
type launches chan *yarn.StartContainersRequest

func (l launches) Receive(c *rpcenv.Context, m rpcenv.Message) {
	switch m := m.(type) {
	case *yarn.StartContainersRequest:
		rpcenv.Reply(c, m, &yarn.StartContainersResponse{})
		l <- m
	case *yarn.StopContainersRequest:
		rpcenv.Reply(c, m, &yarn.StopContainersResponse{})
	default:
		c.Unsupported(m)
	}
}

// beats sends a node's heartbeats each second, the first one after a while.
func beats(ctx context.Context, b *testing.B, env *rpcenv.Env, tracker rpcenv.Ref, id *yarn.NodeId, first time.Duration) {
	block := env.Blocking(ctx)
	defer block.Close()
	s := &yarn.NodeStatus{NodeId: id, NodeHealthStatus: &yarn.NodeHealthStatus{IsNodeHealthy: true}}
	for wait := first; block.Sleep(wait) == nil; wait = time.Second {
		r, err := rpcenv.AskWait(block, tracker, &yarn.NodeHeartbeatRequest{NodeStatus: &yarn.NodeStatus{
			NodeId: id, ResponseId: s.GetResponseId(), NodeHealthStatus: s.GetNodeHealthStatus(),
		}})
		if ctx.Err() != nil {
			return
		}
		if err != nil || r.GetNodeAction() != yarn.NodeAction_NORMAL {
			b.Error(r, err)
			return
		}
		s.ResponseId = r.GetResponseId()
	}
}

// submitted brings an application to where its ApplicationMaster is started, and is what that knows.
func submitted(b *testing.B, block *rpcenv.Blocking, to rpcenv.Ref, launched launches) (*yarn.ApplicationAttemptId, *yarn.Token) {
	b.Helper()
	app, err1 := rpcenv.AskWait(block, to, &yarn.GetNewApplicationRequest{})
	_, err2 := rpcenv.AskWait(block, to, &yarn.SubmitApplicationRequest{ApplicationSubmissionContext: &yarn.ApplicationSubmissionContext{
		ApplicationId: app.GetApplicationId(), ApplicationName: "app", Queue: "default", User: "ada",
		AmContainerSpec: &yarn.ContainerLaunchContext{Command: []string{"run-am"}}, Resource: &yarn.Resource{Memory: 1024, VirtualCores: 1},
	}})
	if err := errors.Join(err1, err2); err != nil {
		b.Fatal(err)
	}
	start := (<-launched).GetStartContainerRequest()[0]
	var own yarn.ContainerTokenIdentifier
	err1 = token.Identify(start.GetContainerToken(), &own)
	t, err2 := token.Find(start.GetContainerLaunchContext().GetTokens(), token.AMRM)
	if err := errors.Join(err1, err2); err != nil {
		b.Fatal(err)
	}
	return own.GetContainerId().GetAppAttemptId(), t
}

// session is an ApplicationMaster's.
type session struct {
	block    *rpcenv.Blocking
	to       rpcenv.Ref
	attempt  *yarn.ApplicationAttemptId
	token    *yarn.Token
	response int32
}

func (s *session) allocate(b *testing.B, q *yarn.AllocateRequest) []*yarn.Container {
	b.Helper()
	q.ApplicationAttemptId, q.AmRmToken, q.ResponseId = s.attempt, s.token, s.response
	r, err := rpcenv.AskWait(s.block, s.to, q)
	if err != nil {
		b.Fatal(err)
	}
	s.response = r.GetResponseId()
	return r.GetAllocatedContainers()
}
