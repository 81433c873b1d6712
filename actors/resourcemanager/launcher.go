package resourcemanager

import (
	"errors"
	"fmt"
	"strconv"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/actors/hadoop/token"
	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/resourcemanager/machine"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
)

// Variables of an ApplicationMaster's environment besides its client's. They mirror ApplicationConstants.
const (
	envProxyBase  = "APPLICATION_WEB_PROXY_BASE"
	envSubmitTime = "APP_SUBMIT_TIME_ENV" // ms since 1970
)

// launch asks the NodeManager of an attempt's container to start the ApplicationMaster. It mirrors AMLauncher.
func (s *ClientRMService) launch(c *rpcenv.Context, at *attempt) {
	q, n, err := s.startRequest(at)
	if err != nil {
		s.launchFailed(c, at, err)
		return
	}
	at.launched = true // even if the call fails: the container may run, and cleanUp has to end it
	c.Log().Infof("Launching masterappattempt %s", at.id)
	rpcenv.Ask(c, manager(n), q, func(r *yarn.StartContainersResponse, err error) {
		if len(r.GetFailedRequests()) > 0 { // a refusal is an answer, not an error of the call
			err = errors.New(r.GetFailedRequests()[0].GetException().GetMessage())
		}
		if err != nil {
			s.launchFailed(c, at, err)
			return
		}
		if at.app.launched.IsZero() { // the first attempt's counts
			at.app.launched = c.Now()
		}
		s.stepAttempt(c, at, machine.AttemptLaunch, machine.Always, "its NodeManager accepted it")
	})
}

// manager is the endpoint of a node's NodeManager.
func manager(n ids.Node) rpcenv.Ref {
	return rpcenv.Ref{Address: rpcenv.Address{Host: n.Host, Port: int(n.Port)}, Name: ids.ContainerManager}
}

func (s *ClientRMService) launchFailed(c *rpcenv.Context, at *attempt, err error) {
	why := fmt.Sprintf("Error launching %s. Got exception: %v", at.id, err)
	c.Log().Info(why)
	s.stepAttempt(c, at, machine.AttemptLaunchFailed, machine.Always, why)
}

// startRequest makes the call that starts an attempt's ApplicationMaster, and names its node.
func (s *ClientRMService) startRequest(at *attempt) (*yarn.StartContainersRequest, ids.Node, error) {
	n, ok := at.node()
	if !ok {
		return nil, n, errors.New("its container has no node")
	}
	nm, err := s.life.NMToken(at.id, n, at.app.user)
	if err != nil {
		return nil, n, err
	}
	service := s.scheduler.Address.String()
	amrm, err := token.Make(token.AMRM, service, s.life.AMRM, &yarn.AMRMTokenIdentifier{
		AppAttemptId: at.id.Proto(), KeyId: s.life.AMRM.GetKeyId(),
	})
	if err != nil {
		return nil, n, err
	}
	// A copy: the application's context is what its record and its next attempt have.
	context := proto.CloneOf(at.app.context.GetAmContainerSpec())
	if context.Tokens, err = token.Add(context.GetTokens(), amrm); err != nil {
		return nil, n, err
	}
	context.Environment = append(context.Environment,
		&yarn.StringStringMap{Key: envProxyBase, Value: "/proxy/" + at.app.id.String()},
		&yarn.StringStringMap{Key: envSubmitTime, Value: strconv.FormatInt(at.app.submitted.UnixMilli(), 10)})
	return &yarn.StartContainersRequest{
		StartContainerRequest: []*yarn.StartContainerRequest{{
			ContainerLaunchContext: context, ContainerToken: at.container.GetContainerToken(),
		}},
		NmToken: nm,
	}, n, nil
}

// cleanUp ends an attempt's ApplicationMaster, if it was started, also if it ended by itself: the NodeManager may not have noticed.
func (s *ClientRMService) cleanUp(c *rpcenv.Context, at *attempt) {
	n, ok := at.node()
	if !ok || !at.launched {
		return
	}
	nm, err := s.life.NMToken(at.id, n, at.app.user)
	if err != nil {
		c.Log().Errorf("%s: %v", at.id, err)
		return
	}
	q := &yarn.StopContainersRequest{ContainerId: []*yarn.ContainerId{at.container.GetId()}, NmToken: nm}
	// Nothing waits for the answer: the attempt has ended, and the node may be the reason.
	rpcenv.Ask(c, manager(n), q, func(_ *yarn.StopContainersResponse, err error) {
		if err != nil {
			c.Log().Infof("Error cleaning master %s: %v", at.id, err)
		}
	})
}
