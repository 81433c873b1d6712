package resourcemanager

import (
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/actors/hadoop/exceptions"
	"github.com/coherer/coherer/actors/resourcemanager/rmtest"
	"github.com/coherer/coherer/actors/resourcemanager/scheduler"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

// trySubmit hands in an application with a new id and returns why it is refused.
func (v *service) trySubmit(change func(*yarn.ApplicationSubmissionContext)) error {
	v.T.Helper()
	q := aSubmission(v.newID())
	change(q)
	return rmtest.TryAsk(v.Rig, &yarn.SubmitApplicationRequest{ApplicationSubmissionContext: q})
}

// A name, a queue, a user and a tag may be as long as their bound, and there may be so many tags.
func TestHowLongTheTextsOfASubmissionAre(t *testing.T) {
	v := newService(t, nil)
	most, longest := strings.Repeat("x", 1024), strings.Repeat("x", 99)+"\x7f"
	if err := v.trySubmit(func(s *yarn.ApplicationSubmissionContext) {
		s.ApplicationName, s.Queue, s.User = most, most, most
		s.ApplicationTags = []string{longest, "2", "3", "4", "5", "6", "7", "8", "9", "10"}
	}); err != nil {
		t.Error(err)
	}
	for what, change := range map[string]func(*yarn.ApplicationSubmissionContext){
		"name":  func(s *yarn.ApplicationSubmissionContext) { s.ApplicationName = most + "x" },
		"queue": func(s *yarn.ApplicationSubmissionContext) { s.Queue = most + "x" },
		"user":  func(s *yarn.ApplicationSubmissionContext) { s.User = most + "x" },
	} {
		v.Refused(v.trySubmit(change), exceptions.YARN, ": the "+what+" has 1025 bytes, at most 1024 can be")
	}
}

// Defaults of a submission are filled in, in a copy: a message does not change once it was sent.
func TestASubmissionIsFilledInInACopy(t *testing.T) {
	v := newService(t, nil)
	q := aSubmission(v.newID())
	q.Queue, q.User = "", ""
	sent := proto.CloneOf(q)
	var added scheduler.AppAdded
	v.Scheduler.On(func(_ *rpcenv.Context, m rpcenv.Message) bool {
		if m, ok := m.(scheduler.AppAdded); ok {
			added = m
		}
		return false
	})
	if _, err := rpctest.Ask[*yarn.SubmitApplicationResponse](v.Scheduler, v.Of, &yarn.SubmitApplicationRequest{ApplicationSubmissionContext: q}); err != nil {
		t.Fatal(err)
	}
	if !proto.Equal(q, sent) {
		t.Errorf("%v was %v", q, sent)
	}
	if v.Settle(); added.Queue != "default" || added.User != "anonymous" {
		t.Errorf("the scheduler was asked %+v", added)
	}
}

// While the records are read no id is given and no application is listed, though the scheduler would answer.
func TestNoIDIsGivenBeforeTheRecordsAreRead(t *testing.T) {
	v := newService(t, nil)
	v.s.ready = false
	for _, q := range []rpcenv.Message{&yarn.GetNewApplicationRequest{}, &yarn.GetApplicationsRequest{}} {
		v.Refused(rmtest.TryAsk(v.Rig, q), exceptions.Retriable, "the ResourceManager reads its records, ask again")
	}
	v.s.ready = true
	if id := v.newID(); id.ID != 1 {
		t.Errorf("the first id is %s", id)
	}
}
