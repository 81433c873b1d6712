package hollow

import (
	"time"

	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
)

// ApplicationMaster asks for containers and gives each back in its next call. It works in rounds: it asks for all wanted containers, has
// as many nodes send a heartbeat, and calls again for the containers that these brought. A node whose heartbeat brought nothing sends
// another one.
//
// It also wants, all the time, many containers on a host that does not exist. The FairScheduler computes an application's demand only
// every yarn.scheduler.fair.update-interval-ms, 500 by default, and passes over an application that has as much. Without these
// containers, some asks would wait for that update, which would hide all the rest.
type ApplicationMaster struct {
	// Service is the ResourceManager's ApplicationMasterService; by Attempt and Token it knows the attempt.
	Service rpcenv.Ref
	Attempt *yarn.ApplicationAttemptId
	Token   *yarn.Token
	// Registered hears that the ResourceManager has registered it, or why not.
	Registered func(error)
	// Beat makes a node send a heartbeat, whose answer comes back as [Beaten].
	Beat func(node int)
	// Got hears of a container, in the order in which they were wanted.
	Got func(Want)
	// Failed hears of a call without its answer.
	Failed func(error)

	response int32
	wanted   []Want // for the next round
	round    []Want // without a container
	beating  int    // nodes whose heartbeat is not answered
	calling  bool
	held     []*yarn.ContainerId // to give back
}

// Want makes an ApplicationMaster want a container.
type Want struct {
	rpcenv.Local
	// Node is to send a heartbeat for it; a container may come from another node.
	Node int
	// At is when it was wanted.
	At time.Duration
}

// Beaten says that a node's heartbeat was answered.
type Beaten struct{ rpcenv.Local }

// OnStart registers it.
func (a *ApplicationMaster) OnStart(c *rpcenv.Context) {
	q := &yarn.RegisterApplicationMasterRequest{Host: c.Self().Address.Host, ApplicationAttemptId: a.Attempt, AmRmToken: a.Token}
	rpcenv.Ask(c, a.Service, q, func(_ *yarn.RegisterApplicationMasterResponse, err error) {
		if err == nil {
			a.call(c, nowhere())
		}
		a.Registered(err)
	})
}

// Receive is a callback of the endpoint.
func (a *ApplicationMaster) Receive(c *rpcenv.Context, m rpcenv.Message) {
	switch m := m.(type) {
	case Want:
		a.wanted = append(a.wanted, m)
		a.begin(c)
	case Beaten:
		if a.beating--; a.beating == 0 {
			a.call(c, nil)
		}
	default:
		c.Unsupported(m)
	}
}

// begin begins a round, unless one is under way or nothing is wanted.
func (a *ApplicationMaster) begin(c *rpcenv.Context) {
	if a.calling || len(a.round) > 0 || len(a.wanted) == 0 {
		return
	}
	a.round, a.wanted = a.wanted, nil
	a.call(c, anywhere(len(a.round)))
}

// beat has a node send a heartbeat for each container of the round that has not come.
func (a *ApplicationMaster) beat() {
	a.beating = len(a.round)
	for _, w := range a.round {
		a.Beat(w.Node)
	}
}

// collect takes what the heartbeats so far have brought.
func (a *ApplicationMaster) collect(c *rpcenv.Context, got []*yarn.Container) {
	for _, k := range got {
		a.held = append(a.held, k.GetId())
		if len(a.round) > 0 {
			a.Got(a.round[0])
			a.round = a.round[1:]
		}
	}
	if len(a.round) > 0 {
		a.beat()
		return
	}
	a.begin(c)
}

// call is an AllocateRequest, which gives back what is held.
func (a *ApplicationMaster) call(c *rpcenv.Context, ask []*yarn.ResourceRequest) {
	q := &yarn.AllocateRequest{ApplicationAttemptId: a.Attempt, AmRmToken: a.Token, ResponseId: a.response, Ask: ask, Release: a.held}
	a.held, a.calling = nil, true
	rpcenv.Ask(c, a.Service, q, func(r *yarn.AllocateResponse, err error) {
		a.calling = false
		if err != nil {
			a.Failed(err)
			return
		}
		a.response = r.GetResponseId()
		a.collect(c, r.GetAllocatedContainers())
	})
}

// anywhere is the request for n containers of one core and 1 GiB, on any node.
func anywhere(n int) []*yarn.ResourceRequest {
	return []*yarn.ResourceRequest{request(1, "*", n)}
}

// nowhere is the request for many containers, less urgent, on a host that is not there and on no other.
func nowhere() []*yarn.ResourceRequest {
	const many = 1 << 20
	strict := false
	all := []*yarn.ResourceRequest{request(2, "nowhere.invalid", many), request(2, "*", many)}
	for _, r := range all {
		r.RelaxLocality = &strict
	}
	return all
}

func request(priority int32, name string, n int) *yarn.ResourceRequest {
	return &yarn.ResourceRequest{
		Priority: &yarn.Priority{Priority: priority}, ResourceName: name, NumContainers: int32(n),
		Capability: &yarn.Resource{Memory: 1024, VirtualCores: 1},
	}
}
