package resourcemanager

import (
	"fmt"

	"github.com/coherer/coherer/actors/resourcemanager/machine"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
)

// What becomes of an attempt by its ApplicationMaster's calls.

func (s *ClientRMService) amRegistered(c *rpcenv.Context, m amRegistered) {
	at := s.attemptOf(m.attempt)
	if at == nil {
		return
	}
	at.host, at.port, at.trackingURL = m.host, m.port, m.url
	s.stepAttempt(c, at, machine.AttemptRegister, machine.Always, "its ApplicationMaster registered")
}

func (s *ClientRMService) amProgress(c *rpcenv.Context, m amProgress) {
	if at := s.attemptOf(m.attempt); at != nil {
		if at.machine.State == machine.AttemptRunning { // afterwards it is 1, and a late call must not lower it
			at.progress = m.progress
		}
		s.stepAttempt(c, at, machine.AttemptStatusUpdate, machine.Always, "")
	}
}

func (s *ClientRMService) amUnregistered(c *rpcenv.Context, m amUnregistered) {
	at := s.attemptOf(m.attempt)
	if at == nil || at.machine.State != machine.AttemptRunning { // it has another end already, whose words stay
		return
	}
	// Before the step, which writes the record of the end with them.
	at.final, at.diagnostics, at.progress = m.final, m.diagnostics, 1
	if m.url != "" {
		at.trackingURL = m.url
	}
	s.stepAttempt(c, at, machine.AttemptUnregister, machine.Always, "its ApplicationMaster unregistered")
}

func (s *ClientRMService) amExpired(c *rpcenv.Context, m amExpired) {
	at := s.attemptOf(m.attempt)
	if at == nil {
		return
	}
	c.Log().Infof("Expired:%s Timed out after %d secs", at.id, int(conf.AMExpiry.Get(c.Conf()).Seconds()))
	s.stepAttempt(c, at, machine.AttemptExpire, machine.Always, fmt.Sprintf("ApplicationMaster for attempt %s timed out", at.id))
}
