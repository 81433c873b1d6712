package invariant

import (
	"fmt"
	"strings"
	"time"

	"github.com/coherer/coherer/actors/applicationmaster"
	"github.com/coherer/coherer/actors/hadoop/exitstatus"
	"github.com/coherer/coherer/actors/ids"
	tracepb "github.com/coherer/coherer/messages/trace"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv/trace/record"
)

// attempts is I9 on YARN: an application has no more attempts than its failures allow, and an ApplicationMaster whose executors end
// early does not start others without end.
type attempts struct {
	*Monitor
	looked
	bounds   map[string]bound       // by application
	begun    map[string]bool        // attempts
	endings  map[string]ending      // attempts whose end is being written down
	failures map[string][]time.Time // by application: of its attempts, as far as they count
	started  map[string]time.Time   // containers with executors
	ends     map[string][]time.Time // by application: early ends
}

// bound is how many attempts of an application may fail, and within which time; 0: ever.
type bound struct {
	most   int
	within time.Duration
}

// ending is why and when an attempt ended.
type ending struct {
	why string
	at  time.Time
}

func newAttempts(m *Monitor) *attempts {
	return &attempts{
		Monitor: m, bounds: map[string]bound{}, begun: map[string]bool{}, endings: map[string]ending{},
		failures: map[string][]time.Time{}, started: map[string]time.Time{}, ends: map[string][]time.Time{},
	}
}

func (c *attempts) see(r *tracepb.Record) {
	switch {
	case r.GetKind() == tracepb.Kind_SENT:
		if q, ok := c.past.messages[record.IDOf(r.GetId())].body.(*yarn.SubmitApplicationRequest); ok {
			c.submitted(q.GetApplicationSubmissionContext())
		}
	case r.GetKind() != tracepb.Kind_STATE:
	case r.GetEndpoint() == ids.ClientRMService && r.GetName() == "attempt":
		c.attempt(r)
	case r.GetEndpoint() == applicationmaster.Name && r.GetName() == "container":
		c.container(r)
	}
}

// submitted: an application says how often it may fail.
func (c *attempts) submitted(s *yarn.ApplicationSubmissionContext) {
	id, err := ids.ApplicationFrom(s.GetApplicationId())
	if err != nil {
		return
	}
	b := bound{c.cfg.YARN.Attempts, time.Duration(s.GetAttemptFailuresValidityInterval()) * time.Millisecond}
	if n := int(s.GetMaxAppAttempts()); n > 0 {
		b.most = min(b.most, n)
	}
	c.bounds[id.String()] = b
}

// attempt: one begins or fails. A ResourceManager that was started again reads attempts from its records: those have begun and
// failed before, so each counts once, and a failure from when it was written down.
func (c *attempts) attempt(r *tracepb.Record) {
	id, err := ids.ParseAttempt(r.GetSubject())
	if err != nil {
		return
	}
	switch r.GetTo() {
	case "NEW":
		c.begins(id)
	case "FINAL_SAVING": // it has the reason, and the time that counts; FAILED follows when the record is written
		c.endings[id.String()] = ending{r.GetWhy(), c.past.now}
	case "FAILED":
		end, written := c.endings[id.String()]
		delete(c.endings, id.String())
		if written && ownFault(end.why) {
			of := id.App.String()
			c.failures[of] = append(c.failures[of], end.at)
		}
	}
}

func (c *attempts) begins(id ids.Attempt) {
	of := id.App.String()
	b, known := c.bounds[of]
	if !known || c.begun[id.String()] {
		return
	}
	c.begun[id.String()] = true
	c.judged[BoundedRetry]++
	if n := c.lately(c.failures, of, b.within); n >= b.most {
		c.fail(BoundedRetry, "%s begins, after %d of %s failed by themselves; %d may", id, n, of, b.most)
	}
}

// ownFault reports whether the failure of an attempt counts: not when its container was lost with its node or a disk, preempted, or
// ended by the ResourceManager.
func ownFault(why string) bool {
	_, text, ok := strings.Cut(why, "exited with  exitCode: ")
	if !ok {
		return true
	}
	var code int
	if _, err := fmt.Sscan(text, &code); err != nil {
		return true
	}
	switch code {
	case exitstatus.Aborted, exitstatus.DisksFailed, exitstatus.Preempted, exitstatus.KilledByResourceManager:
		return false
	}
	return true
}

// container: an ApplicationMaster starts an executor, or its container ended.
func (c *attempts) container(r *tracepb.Record) {
	id, err := ids.ParseContainer(r.GetSubject())
	if err != nil {
		return
	}
	of := id.Attempt.App.String()
	switch r.GetTo() {
	case "LAUNCHING":
		c.judged[BoundedRetry]++
		if c.lately(c.ends, of, retryWindow) == mostRetries {
			c.fail(BoundedRetry, "%s is started, after %d other executors of %s ended early within %s", id, mostRetries, of, retryWindow)
		}
		c.started[r.GetSubject()] = c.past.now
	case "COMPLETED", "RELEASED":
		began, ok := c.started[r.GetSubject()] // else it was given back unused
		delete(c.started, r.GetSubject())
		if ok && c.past.now.Sub(began) < earlyEnd && failed(r) {
			c.ends[of] = append(c.ends[of], c.past.now)
		}
	}
}

// failed reports whether the container of an executor ended by a fault: it was not preempted, nor given back by its application.
func failed(r *tracepb.Record) bool {
	return !strings.Contains(r.GetWhy(), "was preempted") && !strings.Contains(r.GetWhy(), "exited from explicit termination request")
}
