package nodemanager

import (
	"errors"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/token"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

// registered is when the ResourceManager's answer to a registration comes.
type registered struct{ rpcenv.Local }

// A ResourceManager that gives containers continuously may want one started on a node that has not heard yet that it is
// registered: there are no keys to prove who asks, so it waits.
func TestAContainerThatComesBeforeTheKeysWaits(t *testing.T) {
	k := newKit(t)
	var held rpcenv.Call[*yarn.RegisterNodeManagerResponse]
	k.rm.On(func(c *rpcenv.Context, m rpcenv.Message) bool {
		switch m := m.(type) {
		case *yarn.RegisterNodeManagerRequest:
			held = rpcenv.Defer(c, m)
			c.After(time.Second, registered{})
			return true
		case registered:
			held.Reply(&yarn.RegisterNodeManagerResponse{ContainerTokenMasterKey: key1, NmTokenMasterKey: key2, RmIdentifier: rmIdentifier})
			return true
		}
		return k.playRM(c, m)
	})
	k.start(Config{}, nil)
	k.w.Settle()
	id := containerID(app1, 1)
	if r := k.ask(k.entry(k.identifier(id), nil)); len(r.GetSucceededRequests()) != 1 {
		t.Errorf("%v", r)
	}
	k.w.Until("the container runs", func() bool { return len(k.started) == 1 })
}

// Spec 1.4: the checks of startContainers, in order, each entry by itself; the words are those that Hadoop 3.4.1 was heard to say.
func TestStartContainersChecks(t *testing.T) {
	k := newKit(t)
	k.join(Config{}, map[string]string{"yarn.nodemanager.aux-services": "known"})
	started := k.running(1, nil)
	id := containerID(app1, 2)
	launch := func() *yarn.ContainerLaunchContext {
		return withResources(resourceOf("a", "/a", yarn.LocalResourceVisibility_PUBLIC))
	}
	for _, tt := range []struct {
		name, class, says string
		break_            func(*yarn.ContainerTokenIdentifier, *yarn.ContainerLaunchContext)
		forge             func(*yarn.StartContainerRequest)
	}{
		{name: "no token", class: yarnException, says: "java.io.IOException: Invalid ContainerToken", forge: func(m *yarn.StartContainerRequest) { m.ContainerToken = nil }},
		{name: "forged", class: invalidToken, says: "Invalid container token used for starting container on : 10.0.0.", forge: func(m *yarn.StartContainerRequest) { m.ContainerToken.Password[0] ^= 1 }},
		{name: "an NMToken", class: invalidToken, says: "Invalid container token used for starting container on : ", forge: func(m *yarn.StartContainerRequest) { m.ContainerToken = k.nmToken(app1) }},
		{name: "another key", class: invalidToken, says: "Invalid container token used for starting container on : ", break_: func(x *yarn.ContainerTokenIdentifier, _ *yarn.ContainerLaunchContext) { x.MasterKeyId = 9 }},
		{name: "another node", class: invalidToken, says: "Given Container " + id.String() + " identifier is not valid for current Node manager. Expected : ", break_: func(x *yarn.ContainerTokenIdentifier, _ *yarn.ContainerLaunchContext) { x.NmHostAddr = "elsewhere:1" }},
		{name: "no id", class: yarnException, says: "no application id", break_: func(x *yarn.ContainerTokenIdentifier, _ *yarn.ContainerLaunchContext) { x.ContainerId = nil }},
		{name: "another application", class: yarnException, says: "Unauthorized request to start container.\nNMToken for application attempt : appattempt_1767225600000_0001_000001 was used", break_: func(x *yarn.ContainerTokenIdentifier, _ *yarn.ContainerLaunchContext) {
			x.ContainerId = containerID(ids.Application{Timestamp: 1, ID: 2}, 1).Proto()
		}},
		{name: "a second time", class: yarnException, says: "Unauthorized request to start container.\n Attempt to relaunch the same container with id " + started.String() + ".", break_: func(x *yarn.ContainerTokenIdentifier, _ *yarn.ContainerLaunchContext) {
			x.ContainerId = started.Proto()
			x.RmIdentifier = 5 // a later check
		}},
		{name: "expired", class: yarnException, says: "Unauthorized request to start container.\nThis token is expired.", break_: func(x *yarn.ContainerTokenIdentifier, _ *yarn.ContainerLaunchContext) {
			x.ExpiryTimeStamp = k.w.Now().Add(-time.Second).UnixMilli()
			x.RmIdentifier = 5
		}},
		{name: "another ResourceManager", class: invalidContainer, says: "rejected as it is allocated by a previous RM", break_: func(x *yarn.ContainerTokenIdentifier, l *yarn.ContainerLaunchContext) {
			x.RmIdentifier = 5
			l.ServiceData = []*yarn.StringBytesMap{{Key: "spark_shuffle"}}
		}},
		{name: "an unknown service", class: invalidAuxService, says: "The auxService:spark_shuffle does not exist", break_: func(_ *yarn.ContainerTokenIdentifier, l *yarn.ContainerLaunchContext) {
			l.ServiceData = []*yarn.StringBytesMap{{Key: "known"}, {Key: "spark_shuffle"}}
			l.LocalResources[0].Value.Resource = nil
		}},
		{name: "no URL", class: yarnException, says: "Null resource URL", break_: func(_ *yarn.ContainerTokenIdentifier, l *yarn.ContainerLaunchContext) {
			l.LocalResources[0].Value.Resource = nil
		}},
		{name: "no type", class: yarnException, says: "Null resource type", break_: func(_ *yarn.ContainerTokenIdentifier, l *yarn.ContainerLaunchContext) {
			l.LocalResources[0].Value.Type = 0
		}},
		{name: "no visibility", class: yarnException, says: "Null resource visibility", break_: func(_ *yarn.ContainerTokenIdentifier, l *yarn.ContainerLaunchContext) {
			l.LocalResources[0].Value.Visibility = 0
		}},
	} {
		x, l := k.identifier(id), launch()
		if tt.break_ != nil {
			tt.break_(x, l)
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
		if e := r.GetFailedRequests()[0].GetException(); e.GetClassName() != tt.class || !strings.Contains(e.GetMessage(), tt.says) {
			t.Errorf("%s: %v", tt.name, e)
		}
		want := id.Proto()
		if tt.break_ != nil {
			want = x.GetContainerId()
		}
		if got := r.GetFailedRequests()[0].GetContainerId(); tt.forge == nil && !proto.Equal(got, want) {
			t.Errorf("%s: the failed container is %v", tt.name, got)
		}
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
	for name, spoil := range map[string]func(*yarn.ContainerTokenIdentifier, *yarn.ContainerLaunchContext){
		"a user that is a path": func(x *yarn.ContainerTokenIdentifier, _ *yarn.ContainerLaunchContext) { x.AppSubmitter = "../root" },
		"no user":               func(x *yarn.ContainerTokenIdentifier, _ *yarn.ContainerLaunchContext) { x.AppSubmitter = "" },
		"a link out of the dir": func(_ *yarn.ContainerTokenIdentifier, l *yarn.ContainerLaunchContext) {
			l.LocalResources[0].Key = "../x"
		},
		"a variable that is a line": func(_ *yarn.ContainerTokenIdentifier, l *yarn.ContainerLaunchContext) {
			l.Environment = []*yarn.StringStringMap{{Key: "A;id"}}
		},
		"no command": func(_ *yarn.ContainerTokenIdentifier, l *yarn.ContainerLaunchContext) { l.Command = nil },
		"attempt 0": func(x *yarn.ContainerTokenIdentifier, _ *yarn.ContainerLaunchContext) {
			x.ContainerId.AppAttemptId.AttemptId = 0
		},
	} {
		x, l := k.identifier(containerID(app1, 1)), withResources(resourceOf("a", "/a", yarn.LocalResourceVisibility_PUBLIC))
		spoil(x, l)
		if r := k.ask(k.entry(x, l)); len(r.GetFailedRequests()) != 1 {
			t.Errorf("%s: %v", name, r)
		}
	}
	if len(k.started) > 0 {
		t.Errorf("%v", k.started)
	}
}

// Who has no valid NMToken gets nothing at all.
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
	for name, tok := range map[string]*yarn.Token{"none": nil, "forged": forged, "another node": elsewhere} {
		_, err1 := rpctest.Ask[*yarn.StartContainersResponse](k.am, k.nm, &yarn.StartContainersRequest{NmToken: tok})
		_, err2 := rpctest.Ask[*yarn.StopContainersResponse](k.am, k.nm, &yarn.StopContainersRequest{NmToken: tok, ContainerId: []*yarn.ContainerId{id.Proto()}})
		_, err3 := rpctest.Ask[*yarn.GetContainerStatusesResponse](k.am, k.nm, &yarn.GetContainerStatusesRequest{NmToken: tok})
		for _, err := range []error{err1, err2, err3} {
			if !errors.Is(err, ErrUnauthorized) {
				t.Errorf("%s: %v", name, err)
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
	r, err := rpctest.Ask[*yarn.StopContainersResponse](k.am, k.nm, &yarn.StopContainersRequest{NmToken: other, ContainerId: []*yarn.ContainerId{id.Proto(), nil}})
	if err != nil || len(r.GetFailedRequests()) != 2 || !strings.Contains(r.GetFailedRequests()[0].GetException().GetMessage(), " attempted to stop non-application container : ") {
		t.Errorf("%v %v", r, err)
	}
	s, err := rpctest.Ask[*yarn.GetContainerStatusesResponse](k.am, k.nm, &yarn.GetContainerStatusesRequest{NmToken: other, ContainerId: []*yarn.ContainerId{id.Proto()}})
	if err != nil || len(s.GetFailedRequests()) != 1 {
		t.Errorf("%v %v", s, err)
	}
}

// Before the node has registered nobody's token can be checked.
func TestANodeThatHasNotRegisteredTakesNothing(t *testing.T) {
	k := newKit(t)
	k.w.Find("RM").Kill()
	k.start(Config{}, nil)
	k.w.Settle()
	_, err := rpctest.Ask[*yarn.StartContainersResponse](k.am, k.nm, &yarn.StartContainersRequest{NmToken: k.nmToken(app1)})
	if !errors.Is(err, ErrUnauthorized) {
		t.Errorf("%v", err)
	}
}

// A token that the key before the last signed is good as long as that key is remembered.
func TestKeysRoll(t *testing.T) {
	k := newKit(t)
	k.join(Config{}, nil)
	roll := func(id int32) {
		k.next(func(r *yarn.NodeHeartbeatResponse) {
			r.ContainerTokenMasterKey = &yarn.MasterKey{KeyId: id, Bytes: []byte{byte(id)}}
		})
	}
	roll(2)
	k.running(1, nil)
	k.w.Advance(2 * time.Second)
	last := k.beats[len(k.beats)-1]
	if a, b := last.GetLastKnownContainerTokenMasterKey(), last.GetLastKnownNmTokenMasterKey(); a.GetKeyId() != 2 || b.GetKeyId() != 7 || len(a.GetBytes())+len(b.GetBytes()) > 0 {
		t.Errorf("the node tells of the keys %v %v", a, b)
	}
	k.next(func(r *yarn.NodeHeartbeatResponse) { r.NmTokenMasterKey = &yarn.MasterKey{KeyId: 8, Bytes: []byte{8}} })
	k.ask() // the key before the last is good
	k.w.Advance(2 * time.Second)
	if b := k.beats[len(k.beats)-1].GetLastKnownNmTokenMasterKey(); b.GetKeyId() != 8 {
		t.Errorf("the node tells of the key %v", b)
	}
	roll(3)
	if r := k.ask(k.entry(k.identifier(containerID(app1, 2)), nil)); len(r.GetFailedRequests()) != 1 {
		t.Errorf("%v", r)
	}
}
