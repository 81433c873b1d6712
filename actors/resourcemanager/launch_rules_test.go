package resourcemanager_test

import (
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/actors/hadoop/token"
	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
)

// Starting an ApplicationMaster and ending its container take the attempt's token for the node; the ApplicationMaster finds its own.
func TestTheTokensOfALaunch(t *testing.T) {
	k := newKit(t)
	n := k.node("N1", 8192, 8)
	var shown []*yarn.Token
	n.On(func(_ *rpcenv.Context, m rpcenv.Message) bool {
		switch m := m.(type) {
		case *yarn.StartContainersRequest:
			shown = append(shown, m.GetNmToken())
		case *yarn.StopContainersRequest:
			shown = append(shown, m.GetNmToken())
		}
		return false
	})
	am, app := k.running(n, nil)
	launched := k.state().GetApps()[0].GetLaunchTime()
	am.crash(n, 7)
	k.beats(time.Second, n)
	id := ids.Attempt{App: app, Attempt: 1}
	for what, s := range map[string]*yarn.Token{"start": shown[0], "stop": shown[1]} {
		var says yarn.NMTokenIdentifier
		if err := token.Open(s, token.NM, &yarn.MasterKey{KeyId: 1, Bytes: k.cfg.Keys.NM}, &says); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		want := &yarn.NMTokenIdentifier{AppAttemptId: id.Proto(), NodeId: n.reg.GetNodeId(), AppSubmitter: "ada", KeyId: 1}
		if !proto.Equal(&says, want) || s.GetService() != n.Ref.Address.String() {
			t.Errorf("%s: %v for %s\nwant\n%v", what, &says, s.GetService(), want)
		}
	}
	var says yarn.AMRMTokenIdentifier
	if err := token.Open(am.token, token.AMRM, &yarn.MasterKey{KeyId: 1, Bytes: k.cfg.Keys.AMRM}, &says); err != nil {
		t.Error(err)
	}
	if want := (&yarn.AMRMTokenIdentifier{AppAttemptId: id.Proto(), KeyId: 1}); !proto.Equal(&says, want) || am.token.GetService() != k.env.Address().String() {
		t.Errorf("%v for %s, want %v", &says, am.token.GetService(), want)
	}
	// The application was launched with its first attempt.
	if later := k.state().GetApps()[0]; later.GetAttempts()[1].GetState() != "LAUNCHED" || later.GetLaunchTime() != launched {
		t.Errorf("launched at %d, then at %v", launched, later)
	}
}

// An ApplicationMaster is started as its submission says, with a token that is its own.
func TestTheTokenOfAnApplicationMasterIsItsOwn(t *testing.T) {
	k := newKit(t)
	n := k.node("N1", 8192, 8)
	k.submit(nil)
	n.beat()
	s, _ := n.startedLast()
	if got := s.GetContainerLaunchContext().GetCommand(); len(got) != 1 || got[0] != "run-am" {
		t.Errorf("started %q", got)
	}
	var id yarn.ContainerTokenIdentifier
	if err := token.Open(s.GetContainerToken(), token.Container, &yarn.MasterKey{KeyId: 1, Bytes: k.cfg.Keys.Container}, &id); err != nil {
		t.Fatal(err)
	}
	if id.GetAppSubmitter() != "ada" || id.GetNmHostAddr() != n.Ref.Address.String() {
		t.Errorf("the container's token says %v", &id)
	}
	am := k.launched(n)
	am.token.Password[0]++
	if _, err := am.tryRegister(); err == nil {
		t.Error("registered with a forged token")
	}
}
