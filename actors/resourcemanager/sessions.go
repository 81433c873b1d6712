package resourcemanager

import (
	"fmt"

	"github.com/coherer/coherer/actors/hadoop/rmproxy"
	"github.com/coherer/coherer/actors/resourcemanager/machine"
	"github.com/coherer/coherer/actors/resourcemanager/session"
	"github.com/coherer/coherer/rpcenv"
)

// What becomes of an attempt by its ApplicationMaster's calls.

func (s *ClientRMService) amRegistered(c *rpcenv.Context, m session.AMRegistered) {
	at := s.attemptOf(m.Attempt)
	if at == nil {
		return
	}
	at.host, at.port, at.trackingURL = m.Host, m.Port, m.URL
	s.stepAttempt(c, at, machine.AttemptRegister, machine.Always, "its ApplicationMaster registered")
}

func (s *ClientRMService) amProgress(c *rpcenv.Context, m session.AMProgress) {
	if at := s.attemptOf(m.Attempt); at != nil {
		if at.machine.State == machine.AttemptRunning { // afterwards it is 1, and a late call must not lower it
			at.progress = m.Progress
		}
		s.stepAttempt(c, at, machine.AttemptStatusUpdate, machine.Always, "")
	}
}

func (s *ClientRMService) amUnregistered(c *rpcenv.Context, m session.AMUnregistered) {
	at := s.attemptOf(m.Attempt)
	if at == nil || at.machine.State != machine.AttemptRunning { // it has another end already, whose words stay
		return
	}
	// Before the step, which writes the record of the end with them.
	at.final, at.diagnostics, at.progress = m.Final, m.Diagnostics, 1
	if m.URL != "" {
		at.trackingURL = m.URL
	}
	s.stepAttempt(c, at, machine.AttemptUnregister, machine.Always, "its ApplicationMaster unregistered")
}

func (s *ClientRMService) amExpired(c *rpcenv.Context, m session.AMExpired) {
	at := s.attemptOf(m.Attempt)
	if at == nil {
		return
	}
	c.Log().Infof("Expired:%s Timed out after %d secs", at.id, int(rmproxy.AMExpiry.Get(c.Conf()).Seconds()))
	s.stepAttempt(c, at, machine.AttemptExpire, machine.Always, fmt.Sprintf("ApplicationMaster for attempt %s timed out", at.id))
}
