package main

import (
	"context"
	"errors"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/actors/hadoop/exceptions"
	"github.com/coherer/coherer/actors/hadoop/token"
	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/nodemanager"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/transport"
)

// listener is a NodeManager that starts nothing: it hands the orders to a test.
type listener struct {
	started chan *yarn.StartContainerRequest
}

func (l listener) Receive(c *rpcenv.Context, m rpcenv.Message) {
	switch m := m.(type) {
	case *yarn.StartContainersRequest:
		r := &yarn.StartContainersResponse{}
		for _, s := range m.GetStartContainerRequest() {
			l.started <- s
		}
		rpcenv.Reply(c, m, r)
	case *yarn.StopContainersRequest:
		rpcenv.Reply(c, m, &yarn.StopContainersResponse{SucceededRequests: m.GetContainerId()})
	default:
		c.Unsupported(m)
	}
}

// amTokens are an ApplicationMaster's id, container and token, by which it proves its identity.
type amTokens struct {
	id        ids.Attempt
	container *yarn.ContainerId
	token     *yarn.Token
}

// stranger speaks to a ResourceManager as a client, a NodeManager and ApplicationMasters.
type stranger struct {
	t  *testing.T
	b  *rpcenv.Blocking
	rm rpcenv.Address
	listener
}

func newStranger(t *testing.T, at string) *stranger {
	t.Helper()
	address, err := rpcenv.ParseAddress(at)
	if err != nil {
		t.Fatal(err)
	}
	host := transport.New(transport.Options{})
	env, err := rpcenv.New(host, rpcenv.Config{Name: "Stranger", Listen: rpcenv.Address{Host: "127.0.0.1"}})
	if err != nil {
		t.Fatal(err)
	}
	s := &stranger{t: t, b: env.Blocking(context.WithoutCancel(t.Context())), rm: address, listener: listener{make(chan *yarn.StartContainerRequest, 10)}}
	t.Cleanup(func() {
		s.b.Close()
		env.Close()
		if err := host.Close(); err != nil {
			t.Error(err)
		}
	})
	if _, err := env.Register(nodemanager.Name, s.listener); err != nil {
		t.Fatal(err)
	}
	me := env.Address()
	_, err = rpcenv.AskWait(s.b, s.ref(ids.ResourceTracker), &yarn.RegisterNodeManagerRequest{
		NodeId: &yarn.NodeId{Host: me.Host, Port: int32(me.Port)}, HttpPort: 1, Resource: &yarn.Resource{Memory: 8192, VirtualCores: 8},
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *stranger) ref(endpoint string) rpcenv.Ref { return rpcenv.Ref{Address: s.rm, Name: endpoint} }

// begin submits an application, and is its ApplicationMaster.
func (s *stranger) begin() amTokens {
	s.t.Helper()
	client := s.ref(ids.ClientRMService)
	got, err := rpcenv.AskWait(s.b, client, &yarn.GetNewApplicationRequest{})
	if err != nil {
		s.t.Fatal(err)
	}
	_, err = rpcenv.AskWait(s.b, client, &yarn.SubmitApplicationRequest{ApplicationSubmissionContext: &yarn.ApplicationSubmissionContext{
		ApplicationId: got.GetApplicationId(), User: "ada", AmContainerSpec: &yarn.ContainerLaunchContext{Command: []string{"true"}},
		Resource: &yarn.Resource{Memory: 1024, VirtualCores: 1},
	}})
	if err != nil {
		s.t.Fatal(err)
	}
	started := <-s.started
	own, err1 := token.Find(started.GetContainerLaunchContext().GetTokens(), token.AMRM)
	var c yarn.ContainerTokenIdentifier
	err2 := token.Identify(started.GetContainerToken(), &c)
	id, err3 := ids.AttemptFrom(c.GetContainerId().GetAppAttemptId())
	if err := errors.Join(err1, err2, err3); err != nil {
		s.t.Fatal(err)
	}
	return amTokens{id, c.GetContainerId(), own}
}

func (s *stranger) register(a amTokens, shown *yarn.Token) error {
	_, err := rpcenv.AskWait(s.b, s.ref(ids.ApplicationMasterService), &yarn.RegisterApplicationMasterRequest{
		Host: "127.0.0.1", RpcPort: -1, ApplicationAttemptId: a.id.Proto(), AmRmToken: shown,
	})
	return err
}

func (s *stranger) allocate(a amTokens, response int32, release ...*yarn.ContainerId) (*yarn.AllocateResponse, error) {
	return rpcenv.AskWait(s.b, s.ref(ids.ApplicationMasterService), &yarn.AllocateRequest{
		ResponseId: response, ApplicationAttemptId: a.id.Proto(), AmRmToken: a.token, Release: release,
	})
}

// refusedAs checks an error that came over the network.
func (s *stranger) refusedAs(what string, err, want error) {
	s.t.Helper()
	if !errors.Is(err, want) {
		s.t.Errorf("%s: %v, want %v", what, err, want)
	}
}

// A ResourceManager accepts calls of an ApplicationMaster only with its own token, in order, and about its own containers. After all
// refusals the true ApplicationMasters go on.
func TestAResourceManagerAndStrangers(t *testing.T) {
	t.Parallel()
	_, rm := daemon(t, append([]string{"resourcemanager", "--port", "0", "--conf", "yarn.scheduler.fair.continuous-scheduling-enabled=true"}, quick...)...)
	s := newStranger(t, rm.URL[strings.Index(rm.URL, "://")+3:])
	a, b := s.begin(), s.begin()

	for what, shown := range map[string]*yarn.Token{
		"no token": nil, "the token of another": b.token, "an empty token": {Kind: token.AMRM},
		"a password of the stranger's": changed(a.token, func(t *yarn.Token) { t.Password[0] ^= 1 }),
		"an identifier of its own":     changed(a.token, func(t *yarn.Token) { t.Identifier = b.token.GetIdentifier() }),
		"another kind":                 changed(a.token, func(t *yarn.Token) { t.Kind = token.NM }),
		"a long identifier":            changed(a.token, func(t *yarn.Token) { t.Identifier = make([]byte, 1<<20) }),
	} {
		s.refusedAs("register with "+what, s.register(a, shown), exceptions.InvalidToken)
	}
	_, err := s.allocate(a, 0)
	s.refusedAs("a call before it registered", err, exceptions.ApplicationMasterNotRegistered)
	for _, m := range []amTokens{a, b} {
		if err := s.register(m, m.token); err != nil {
			t.Fatal(err)
		}
	}
	for id, want := range []int32{1, 2} {
		if r, err := s.allocate(a, int32(id)); err != nil || r.GetResponseId() != want {
			t.Fatalf("call %d: %v %v", id, r, err)
		}
	}
	s.refusedAs("a registration behind a call", s.register(a, a.token), exceptions.InvalidApplicationMasterRequest)
	for _, id := range []int32{-1, 0, 7, 1<<31 - 1} {
		_, err := s.allocate(a, id)
		s.refusedAs("an old call, or one that is to come", err, exceptions.InvalidApplicationMasterRequest)
	}
	_, err = s.allocate(a, 2, b.container)
	s.refusedAs("the release of another's container", err, exceptions.InvalidContainerRelease)
	_, err = s.allocate(amTokens{a.id, a.container, b.token}, 2)
	s.refusedAs("a call with another's token", err, exceptions.InvalidToken)
	_, err = rpcenv.AskWait(s.b, s.ref(ids.ApplicationMasterService), &yarn.FinishApplicationMasterRequest{
		FinalApplicationStatus: yarn.FinalApplicationStatus_APP_FAILED, ApplicationAttemptId: b.id.Proto(), AmRmToken: a.token,
	})
	s.refusedAs("another's end", err, exceptions.InvalidToken)

	if r, err := s.allocate(a, 2); err != nil || r.GetResponseId() != 3 {
		t.Errorf("after all that: %v %v", r, err)
	}
	if r, err := s.allocate(b, 0); err != nil || r.GetResponseId() != 1 {
		t.Errorf("after all that: %v %v", r, err)
	}
}

// changed is a copy of a token with a change.
func changed(t *yarn.Token, change func(*yarn.Token)) *yarn.Token {
	t = proto.CloneOf(t)
	change(t)
	return t
}
