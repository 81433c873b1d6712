package resourcemanager_test

import (
	"strconv"
	"testing"

	"github.com/coherer/coherer/actors/hadoop/token"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv/rpctest/spec"
)

// Each sentence of Hadoop's ResourceManager names the tests that hold it, or the line of differences.txt that says what differs.
func TestEachSentenceOfTheSpecificationIsHeld(t *testing.T) { spec.Check(t, 70) }

func TestWhatAnApplicationMasterFinds(t *testing.T) {
	k := newKit(t)
	n := k.node("N1", 8192, 8)
	blob, err := token.Add(nil, &yarn.Token{Kind: "HDFS_DELEGATION_TOKEN", Service: "hdfs"})
	if err != nil {
		t.Fatal(err)
	}
	app := k.submit(func(s *yarn.ApplicationSubmissionContext) {
		s.AmContainerSpec.Tokens = blob
		s.AmContainerSpec.Environment = []*yarn.StringStringMap{{Key: "MINE", Value: "1"}}
	})
	submitted := k.report(app).GetStartTime()
	n.beat()
	s, _ := n.startedLast()
	found := map[string]string{}
	for _, e := range s.GetContainerLaunchContext().GetEnvironment() {
		found[e.GetKey()] = e.GetValue()
	}
	if found["MINE"] != "1" || found["APPLICATION_WEB_PROXY_BASE"] != "/proxy/"+app.String() || found["APP_SUBMIT_TIME_ENV"] != strconv.FormatInt(submitted, 10) {
		t.Errorf("environment %v", found)
	}
	for _, kind := range []string{"HDFS_DELEGATION_TOKEN", token.AMRM} {
		if _, err := token.Find(s.GetContainerLaunchContext().GetTokens(), kind); err != nil {
			t.Error(err)
		}
	}
}
