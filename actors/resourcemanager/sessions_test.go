package resourcemanager_test

import (
	"fmt"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/actors/hadoop/exceptions"
	"github.com/coherer/coherer/actors/hadoop/token"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

// A genuine token lets its own attempt speak, and no other.
func TestATokenSpeaksForOneAttempt(t *testing.T) {
	k := newKit(t)
	n := k.node("N1", 8192, 8)
	am, _ := k.running(n, nil)
	other, _ := k.running(n, nil)
	own := am.token
	forged := proto.CloneOf(own)
	forged.Password[0]++
	for _, as := range []struct {
		attempt *yarn.ApplicationAttemptId
		token   *yarn.Token
		want    error
		text    string
	}{
		{am.attempt, other.token, exceptions.InvalidToken, "the token is not that of appattempt_"},
		{am.attempt, forged, exceptions.InvalidToken, "_0001_000001: "},
		{am.attempt, nil, exceptions.InvalidToken, "_0001_000001: "},
		{nil, own, exceptions.InvalidApplicationMasterRequest, ""},
	} {
		speaker := *am
		speaker.attempt, speaker.token = as.attempt, as.token
		_, err := speaker.tryRegister()
		refused(t, err, as.want, as.text)
		_, err = speaker.try(&yarn.AllocateRequest{})
		refused(t, err, as.want, as.text)
		_, err = speaker.tryFinish(yarn.FinalApplicationStatus_APP_SUCCEEDED)
		refused(t, err, as.want, as.text)
	}
	am.allocate()
}

// The bounds of a registration: the longest host and URL, and each port; -1 is that of an ApplicationMaster without one.
func TestRegistrationsThatCannotBe(t *testing.T) {
	k := newKit(t)
	n := k.node("N1", 8192, 8)
	app := k.submit(nil)
	n.beat()
	am := k.launched(n)
	most := strings.Repeat("x", 1024)
	for _, is := range []struct {
		host, url string
		port      int32
		ok        bool
	}{
		{most + "x", "", 1, false},
		{"h", most + "x", 1, false},
		{"h", "", -2, false},
		{"h", "", 65536, false},
		{most, most, -1, true},
		{"h", "", 65535, true},
	} {
		_, err := rpctest.Ask[*yarn.RegisterApplicationMasterResponse](am.Probe, k.ref("ApplicationMasterService"), &yarn.RegisterApplicationMasterRequest{
			Host: is.host, RpcPort: is.port, TrackingUrl: is.url, ApplicationAttemptId: am.attempt, AmRmToken: am.token,
		})
		if is.ok {
			if err != nil {
				t.Error(err)
			}
			continue
		}
		refused(t, err, exceptions.InvalidApplicationMasterRequest,
			fmt.Sprintf("registers with a host or an address of more than 1024 bytes, or port %d", is.port))
	}
	k.Settle()
	if r := k.report(app); r.GetHost() != most || r.GetRpcPort() != -1 || r.GetTrackingUrl() != most {
		t.Errorf("registered first with another: %.20s %d %.20s", r.GetHost(), r.GetRpcPort(), r.GetTrackingUrl())
	}
}

// Of the calls that come while one is handled 16 wait, and are answered in their order; the next has to come later.
func TestSixteenCallsOfOneAttemptWait(t *testing.T) {
	k := newKit(t)
	n := k.node("N1", 8192, 8)
	am, _ := k.running(n, nil)
	var answered []*yarn.AllocateResponse
	var failed []error
	k.ProbeIn(k.env, "Near").Do(func(c *rpcenv.Context) { // in its Env all calls are there before the scheduler answers
		for range 18 {
			q := &yarn.AllocateRequest{ApplicationAttemptId: am.attempt, AmRmToken: am.token}
			rpcenv.Ask(c, k.ref("ApplicationMasterService"), q, func(r *yarn.AllocateResponse, err error) {
				if err != nil {
					failed = append(failed, err)
					return
				}
				answered = append(answered, r)
			})
		}
	})
	k.Until("eighteen answers", func() bool { return len(answered)+len(failed) == 18 })
	if len(failed) != 1 {
		t.Fatalf("failed: %v", failed)
	}
	refused(t, failed[0], exceptions.Retriable, "16 calls of appattempt_")
	for _, r := range answered {
		if !proto.Equal(r, answered[0]) {
			t.Errorf("answered %v, the first %v", r, answered[0])
		}
	}
}

// An answer has the room that is left, the priority of the application, and tokens that open the nodes of its containers.
func TestWhatAnAnswerHas(t *testing.T) {
	k := newKit(t)
	n := k.node("N1", 8192, 8)
	am, _ := k.running(n, func(s *yarn.ApplicationSubmissionContext) { s.Priority = &yarn.Priority{Priority: 4} })
	am.allocate(anywhere(1))
	n.beat()
	r := am.allocate()
	if r.GetApplicationPriority().GetPriority() != 4 || r.GetLimit().GetMemory() != 6144 || len(r.GetNmTokens()) != 1 {
		t.Fatalf("%v", r)
	}
	var says yarn.NMTokenIdentifier
	if err := token.Open(r.GetNmTokens()[0].GetToken(), token.NM, &yarn.MasterKey{KeyId: 1, Bytes: k.cfg.Keys.NM}, &says); err != nil {
		t.Fatal(err)
	}
	if says.GetAppSubmitter() != "ada" || !proto.Equal(says.GetAppAttemptId(), am.attempt) || !proto.Equal(says.GetNodeId(), n.reg.GetNodeId()) ||
		!proto.Equal(r.GetNmTokens()[0].GetNodeId(), n.reg.GetNodeId()) {
		t.Errorf("the token says %v", &says)
	}
}
