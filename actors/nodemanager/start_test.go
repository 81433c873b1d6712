package nodemanager

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/actors/hadoop/token"
	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

// noID is what is wrong with a container without an id.
const noID = "container 0: attempt 0: application_0_0000 is no application id: its number counts from 1, its timestamp from 0"

// Spec 1.4: the checks of startContainers, in order, each entry by itself; the words are those that Hadoop 3.4.1 was heard to say.
func TestStartContainersChecks(t *testing.T) {
	k := newKit(t)
	k.join(Config{}, map[string]string{"yarn.nodemanager.aux-services": "known"})
	started := k.running(1, nil)
	id := containerID(app1, 2)
	k.w.Latency(0, 0)
	now := k.w.Now()
	launch := func() *yarn.ContainerLaunchContext {
		return withResources(resourceOf("a", "/a", yarn.LocalResourceVisibility_PUBLIC))
	}
	type (
		spoil = func(*yarn.ContainerTokenIdentifier, *yarn.ContainerLaunchContext)
		forge = func(*yarn.StartContainerRequest)
	)
	const invalid, unauthorizedStart = "Invalid container token used for starting container on : 10.0.0.3:7077", "Unauthorized request to start container.\n"
	for _, tt := range []struct {
		name, class, says string
		spoil             spoil
		forge             forge
	}{
		{name: "no token", class: yarnException, says: "java.io.IOException: Invalid ContainerToken", forge: func(m *yarn.StartContainerRequest) { m.ContainerToken = nil }},
		{name: "forged", class: invalidToken, says: invalid, forge: func(m *yarn.StartContainerRequest) { m.ContainerToken.Password[0] ^= 1 }},
		{name: "no identifier", class: invalidToken, says: invalid, forge: func(m *yarn.StartContainerRequest) { m.ContainerToken.Identifier = []byte{1} }},
		{name: "an NMToken", class: invalidToken, says: invalid, forge: func(m *yarn.StartContainerRequest) { m.ContainerToken = k.nmToken(app1) }},
		{name: "another key", class: invalidToken, says: invalid, spoil: func(x *yarn.ContainerTokenIdentifier, _ *yarn.ContainerLaunchContext) { x.MasterKeyId = 9 }},
		{
			name: "another node", class: invalidToken,
			says:  "Given Container " + id.String() + " identifier is not valid for current Node manager. Expected : 10.0.0.3:7077 Found : elsewhere:1",
			spoil: func(x *yarn.ContainerTokenIdentifier, _ *yarn.ContainerLaunchContext) { x.NmHostAddr = "elsewhere:1" },
		},
		{
			name: "no id", class: yarnException, says: noID,
			spoil: func(x *yarn.ContainerTokenIdentifier, _ *yarn.ContainerLaunchContext) { x.ContainerId = nil },
		},
		{
			name: "another application", class: yarnException,
			says: unauthorizedStart + "NMToken for application attempt : appattempt_1767225600000_0001_000001 was used for starting container " +
				"with container token issued for application attempt : appattempt_1_0002_000001",
			spoil: func(x *yarn.ContainerTokenIdentifier, _ *yarn.ContainerLaunchContext) {
				x.ContainerId = containerID(ids.Application{Timestamp: 1, ID: 2}, 1).Proto()
			},
		},
		{
			name: "a second time", class: yarnException, says: unauthorizedStart + " Attempt to relaunch the same container with id " + started.String() + ".",
			spoil: func(x *yarn.ContainerTokenIdentifier, _ *yarn.ContainerLaunchContext) {
				x.ContainerId = started.Proto()
				x.RmIdentifier = 5 // a later check
			},
		},
		{
			name: "expired", class: yarnException,
			says: unauthorizedStart + fmt.Sprintf("This token is expired. current time is %d found %d\n", now.UnixMilli(), now.UnixMilli()-1) +
				"Note: System times on machines may be out of sync. Check system time and time zones.",
			spoil: func(x *yarn.ContainerTokenIdentifier, _ *yarn.ContainerLaunchContext) {
				x.ExpiryTimeStamp = now.UnixMilli() - 1
				x.RmIdentifier = 5
			},
		},
		{
			name: "another ResourceManager", class: invalidContainer, says: "Container " + id.String() + " rejected as it is allocated by a previous RM",
			spoil: func(x *yarn.ContainerTokenIdentifier, l *yarn.ContainerLaunchContext) {
				x.RmIdentifier = 5
				l.ServiceData = []*yarn.StringBytesMap{{Key: "spark_shuffle"}}
			},
		},
		{name: "an unknown service", class: invalidAuxService, says: "The auxService:spark_shuffle does not exist", spoil: func(_ *yarn.ContainerTokenIdentifier, l *yarn.ContainerLaunchContext) {
			l.ServiceData = []*yarn.StringBytesMap{{Key: "known"}, {Key: "spark_shuffle"}}
			l.LocalResources[0].Value.Resource = nil
		}},
		{name: "no URL", class: yarnException, says: "Null resource URL for local resource a", spoil: func(_ *yarn.ContainerTokenIdentifier, l *yarn.ContainerLaunchContext) {
			l.LocalResources[0].Value.Resource = nil
		}},
		{name: "no type", class: yarnException, says: "Null resource type for local resource a", spoil: func(_ *yarn.ContainerTokenIdentifier, l *yarn.ContainerLaunchContext) {
			l.LocalResources[0].Value.Type = 0
		}},
		{name: "no visibility", class: yarnException, says: "Null resource visibility for local resource a", spoil: func(_ *yarn.ContainerTokenIdentifier, l *yarn.ContainerLaunchContext) {
			l.LocalResources[0].Value.Visibility = 0
		}},
	} {
		x, l := k.identifier(id), launch()
		if tt.spoil != nil {
			tt.spoil(x, l)
		}
		bad := k.entry(x, l)
		if tt.forge != nil {
			tt.forge(bad)
		}
		r := k.ask(bad)
		if len(r.GetFailedRequests()) != 1 || len(r.GetSucceededRequests()) > 0 {
			t.Errorf("%s: %v", tt.name, r)
			continue
		}
		if e := r.GetFailedRequests()[0].GetException(); e.GetClassName() != tt.class || e.GetMessage() != tt.says {
			t.Errorf("%s: %v", tt.name, e)
		}
		want := id.Proto()
		if tt.spoil != nil {
			want = x.GetContainerId()
		}
		if got := r.GetFailedRequests()[0].GetContainerId(); tt.forge == nil && !proto.Equal(got, want) {
			t.Errorf("%s: the failed container is %v", tt.name, got)
		}
	}
	just := k.identifier(containerID(app1, 4))
	just.ExpiryTimeStamp = now.UnixMilli()
	if r := k.ask(k.entry(just, nil)); len(r.GetSucceededRequests()) != 1 {
		t.Errorf("a token in its last millisecond: %v", r)
	}
	if r := k.ask(k.entry(just, nil)); r.GetFailedRequests()[0].GetException().GetMessage() != unauthorizedStart+" Attempt to relaunch the same container with id "+containerID(app1, 4).String()+"." {
		t.Errorf("again: %v", r)
	}
	other := containerID(app1, 3)
	forged := k.entry(k.identifier(id), launch())
	forged.ContainerToken.Password = nil
	r := k.ask(forged, k.entry(k.identifier(other), launch()))
	if len(r.GetFailedRequests()) != 1 || len(r.GetSucceededRequests()) != 1 {
		t.Errorf("an entry that fails fails the others: %v", r)
	}
}

func TestAContainerThatCannotBeIsRefused(t *testing.T) {
	k := newKit(t)
	k.join(Config{}, nil)
	for name, tt := range map[string]struct {
		says  string
		spoil func(*yarn.ContainerTokenIdentifier, *yarn.ContainerLaunchContext)
	}{
		"a user that is a path": {`the user id "../root" is no plain name: want letters, digits, '.', '_' and '-', at most 128`, func(x *yarn.ContainerTokenIdentifier, _ *yarn.ContainerLaunchContext) { x.AppSubmitter = "../root" }},
		"no user":               {`the user id "" is no plain name: want letters, digits, '.', '_' and '-', at most 128`, func(x *yarn.ContainerTokenIdentifier, _ *yarn.ContainerLaunchContext) { x.AppSubmitter = "" }},
		"a link out of the dir": {`the link "../x" leads out of the container's directory: want a relative path below it`, func(_ *yarn.ContainerTokenIdentifier, l *yarn.ContainerLaunchContext) {
			l.LocalResources[0].Key = "../x"
		}},
		"a variable that is a line": {`the environment variable "A;id" cannot be set: want letters, digits and _, and a value without NUL bytes`, func(_ *yarn.ContainerTokenIdentifier, l *yarn.ContainerLaunchContext) {
			l.Environment = []*yarn.StringStringMap{{Key: "A;id"}}
		}},
		"no command": {"Container " + containerID(app1, 1).String() + " has no command to start", func(_ *yarn.ContainerTokenIdentifier, l *yarn.ContainerLaunchContext) { l.Command = nil }},
		"attempt 0": {"container 1: appattempt_1767225600000_0001_000000 is no attempt id: attempts count from 1", func(x *yarn.ContainerTokenIdentifier, _ *yarn.ContainerLaunchContext) {
			x.ContainerId.AppAttemptId.AttemptId = 0
		}},
	} {
		x, l := k.identifier(containerID(app1, 1)), withResources(resourceOf("a", "/a", yarn.LocalResourceVisibility_PUBLIC))
		tt.spoil(x, l)
		r := k.ask(k.entry(x, l))
		if len(r.GetFailedRequests()) != 1 {
			t.Errorf("%s: %v", name, r)
			continue
		}
		if e := r.GetFailedRequests()[0].GetException(); e.GetClassName() != yarnException || e.GetMessage() != tt.says {
			t.Errorf("%s: %v", name, e)
		}
	}
	if len(k.started) > 0 || len(k.states()) > 0 {
		t.Errorf("%v, %s", k.started, k.states())
	}
}

// A container whose token has expired meanwhile is still here: a new token does not start it once more.
func TestAContainerThatIsHereIsNotStartedAgain(t *testing.T) {
	k := newKit(t)
	k.join(Config{}, nil)
	id := k.running(1, nil)
	k.w.Advance(11 * time.Minute)
	r := k.ask(k.entry(k.identifier(id), nil))
	if len(r.GetFailedRequests()) != 1 || r.GetFailedRequests()[0].GetException().GetMessage() != "Container "+id.String()+" is already started" {
		t.Errorf("%v", r)
	}
	if len(k.started) != 1 {
		t.Errorf("%d processes", len(k.started))
	}
}

// A requester without a valid NMToken gets nothing at all.
func TestAForgedNMTokenFailsTheRequest(t *testing.T) {
	k := newKit(t)
	k.join(Config{}, nil)
	id := k.running(1, nil)
	elsewhere, err := token.Make(token.NM, "x", key2, &yarn.NMTokenIdentifier{AppAttemptId: ids.Attempt{App: app1, Attempt: 1}.Proto(), NodeId: &yarn.NodeId{Host: "x", Port: 1}, KeyId: 7})
	if err != nil {
		t.Fatal(err)
	}
	forged := k.nmToken(app1)
	forged.Password[3] ^= 1
	nobody, err := token.Make(token.NM, "x", key2, &yarn.NMTokenIdentifier{NodeId: &yarn.NodeId{Host: "10.0.0.3", Port: 7077}, KeyId: 7})
	if err != nil {
		t.Fatal(err)
	}
	const ask = ": ask the ResourceManager for an NMToken"
	for tok, says := range map[*yarn.Token]string{
		nil: "invalid token: there is no NMToken" + ask, forged: "invalid token: the password of the NMToken does not match" + ask,
		elsewhere: "the NMToken is for another node" + ask,
		nobody:    "attempt 0: application_0_0000 is no application id: its number counts from 1, its timestamp from 0" + ask,
	} {
		_, err1 := rpctest.Ask[*yarn.StartContainersResponse](k.am, k.nm, &yarn.StartContainersRequest{NmToken: tok})
		_, err2 := rpctest.Ask[*yarn.StopContainersResponse](k.am, k.nm, &yarn.StopContainersRequest{NmToken: tok, ContainerId: []*yarn.ContainerId{id.Proto()}})
		_, err3 := rpctest.Ask[*yarn.GetContainerStatusesResponse](k.am, k.nm, &yarn.GetContainerStatusesRequest{NmToken: tok})
		for _, err := range []error{err1, err2, err3} {
			if !errors.Is(err, errUnauthorized) || err.Error() != "unauthorized: "+says {
				t.Errorf("%v, want %s", err, says)
			}
		}
	}
	if got := k.status(id); got != "C_RUNNING -1000" {
		t.Errorf("%s", got)
	}
}

// Another application's containers are not to be stopped or seen.
func TestContainersOfOthersAreOutOfReach(t *testing.T) {
	k := newKit(t)
	k.join(Config{}, nil)
	id := k.running(1, nil)
	other := k.nmToken(ids.Application{Timestamp: rmIdentifier, ID: 2})
	stopped, err1 := rpctest.Ask[*yarn.StopContainersResponse](k.am, k.nm, &yarn.StopContainersRequest{NmToken: other, ContainerId: []*yarn.ContainerId{id.Proto(), nil}})
	seen, err2 := rpctest.Ask[*yarn.GetContainerStatusesResponse](k.am, k.nm, &yarn.GetContainerStatusesRequest{NmToken: other, ContainerId: []*yarn.ContainerId{id.Proto(), nil}})
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	for what, failed := range map[string][]*yarn.ContainerExceptionMap{"stop": stopped.GetFailedRequests(), "get status for": seen.GetFailedRequests()} {
		want := []*yarn.ContainerExceptionMap{
			{ContainerId: id.Proto(), Exception: &yarn.SerializedException{
				ClassName: yarnException, Message: "appattempt_1767225600000_0002_000001 attempted to " + what + " non-application container : " + id.String(),
			}},
			{ContainerId: &yarn.ContainerId{}, Exception: &yarn.SerializedException{ClassName: yarnException, Message: noID}},
		}
		if !slices.EqualFunc(failed, want, func(a, b *yarn.ContainerExceptionMap) bool { return proto.Equal(a, b) }) {
			t.Errorf("%v\nwant %v", failed, want)
		}
	}
	if len(stopped.GetSucceededRequests())+len(seen.GetStatus()) > 0 {
		t.Errorf("%v %v", stopped, seen)
	}
	if got := k.status(id); got != "C_RUNNING -1000" {
		t.Errorf("%s", got)
	}
}

// A token that has expired is refused as expired, also when its container was started.
func TestAnExpiredTokenOfAStartedContainer(t *testing.T) {
	k := newKit(t)
	k.join(Config{}, nil)
	id := k.running(1, nil)
	x := k.identifier(id)
	x.ExpiryTimeStamp = 1
	r := k.ask(k.entry(x, nil))
	if len(r.GetFailedRequests()) != 1 || !strings.Contains(r.GetFailedRequests()[0].GetException().GetMessage(), "This token is expired. ") {
		t.Errorf("%v", r)
	}
}
