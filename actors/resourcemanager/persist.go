package resourcemanager

import (
	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/actors/records"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
)

// The kinds of records: a record's key is the id of an application or an attempt, which begin with these, or managerKey.
const (
	appPrefix     = "application_"
	attemptPrefix = "appattempt_"
	managerKey    = "resource_manager"
)

// persist makes a change durable behind the handler: messages that the endpoint sends afterwards wait for it. Without a Store it
// does nothing. nil removes a record.
func (s *ClientRMService) persist(c *rpcenv.Context, key string, record proto.Message) {
	if s.journal == nil {
		return
	}
	ch := records.Change{Key: key}
	if record != nil {
		value, err := proto.MarshalOptions{Deterministic: true}.Marshal(record)
		if err != nil {
			panic(err) // it was made of messages that were decoded: a bug
		}
		ch.Value = append([]byte{}, value...) // never nil: an empty record is no removal
	}
	s.journal.Persist(c, ch)
}

// notDurable ends a ResourceManager that cannot write its records: it must not promise what it may forget.
func (s *ClientRMService) notDurable(c *rpcenv.Context, err error) {
	c.Exit(1, "the ResourceManager cannot write its records and ends, since it must not promise what it may forget: "+err.Error())
}

func (s *ClientRMService) persistApp(c *rpcenv.Context, a *application) {
	s.persist(c, a.id.String(), &yarn.ApplicationStateData{
		SubmitTime: milliseconds(a.submitted), ApplicationSubmissionContext: a.context, User: a.user, StartTime: milliseconds(a.submitted),
		ApplicationState: endOf(a.ended), Diagnostics: a.diagnostics, FinishTime: milliseconds(a.finished),
	})
}

func (s *ClientRMService) persistAttempt(c *rpcenv.Context, at *attempt) {
	s.persist(c, at.id.String(), &yarn.ApplicationAttemptStateData{
		AttemptId: at.id.Proto(), MasterContainer: at.container, FinalTrackingUrl: at.trackingURL, Diagnostics: at.diagnostics,
		StartTime: milliseconds(at.started), FinalApplicationStatus: at.final, AmContainerExitStatus: at.exit,
		FinishTime: milliseconds(at.finished), AppAttemptState: endOf(at.ended),
	})
}

// forgetRecords removes those of an application.
func (s *ClientRMService) forgetRecords(c *rpcenv.Context, a *application) {
	for _, at := range a.attempts {
		s.persist(c, at.id.String(), nil)
	}
	s.persist(c, a.id.String(), nil)
}
