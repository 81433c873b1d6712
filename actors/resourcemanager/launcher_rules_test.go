package resourcemanager

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/sirupsen/logrus"
	logtest "github.com/sirupsen/logrus/hooks/test"

	"github.com/coherer/coherer/actors/hadoop/exceptions"
	"github.com/coherer/coherer/actors/resourcemanager/machine"
	"github.com/coherer/coherer/actors/resourcemanager/rmtest"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
)

// A token that cannot be made starts and ends nothing; it is said which.
func TestATokenThatCannotBeMadeStartsNothing(t *testing.T) {
	v := newService(t, nil)
	at := &attempt{
		id: rmtest.Attempt, launched: true, container: &yarn.Container{NodeId: v.node().Proto()},
		app: &application{user: "\xff", context: &yarn.ApplicationSubmissionContext{}},
	}
	if _, _, err := v.s.startRequest(at); err == nil || !strings.HasPrefix(err.Error(), "make a NMToken: ") {
		t.Error(err)
	}
	v.Run(func(c *rpcenv.Context) { v.s.cleanUp(c, at) })
	if len(v.Errors) != 1 || !strings.HasPrefix(v.Errors[0], rmtest.Attempt.String()+": make a NMToken: ") {
		t.Errorf("logged %q", v.Errors)
	}
	v.Errors = nil
	if got := rmtest.Got[*yarn.StopContainersRequest](v.Rig, v.nm); len(got) != 0 {
		t.Errorf("the node has to end %v", got)
	}
}

// Each attempt that its node was asked to start is ended there; that the node does not do so is logged, and changes nothing.
func TestAnAttemptIsEndedOnItsNode(t *testing.T) {
	for _, gone := range []bool{false, true} {
		v := newService(t, nil)
		id := v.running()
		v.nm.On(func(c *rpcenv.Context, m rpcenv.Message) bool {
			if _, ends := m.(*yarn.StopContainersRequest); ends && gone {
				rpcenv.Fail(c, m, errors.Join(exceptions.YARN, errors.New("no such container")))
				return true
			}
			return false
		})
		log := logtest.NewLocal(v.Scheduler.Env.Log().Logger)
		v.kill(id.App, "")
		v.inState(id, machine.AttemptKilled)
		said := slices.ContainsFunc(log.AllEntries(), func(e *logrus.Entry) bool {
			return strings.HasPrefix(e.Message, "Error cleaning master "+id.String()+": ") && strings.Contains(e.Message, "no such container")
		})
		if said != gone {
			t.Errorf("the node does not end it is %t, it is logged is %t", gone, said)
		}
	}
}

// A record that cannot be encoded is a bug, and not a record without content.
func TestARecordThatCannotBeEncodedIsABug(t *testing.T) {
	w := &written{}
	v := newService(t, w)
	before := len(w.changes)
	var caught any
	v.Run(func(c *rpcenv.Context) {
		defer func() { caught = recover() }()
		v.s.persist(c, rmtest.App.String(), &yarn.ApplicationStateData{User: "\xff"})
	})
	if caught == nil || len(w.changes) != before {
		t.Errorf("%v, and %d changes are written", caught, len(w.changes)-before)
	}
}
