package resourcemanager

import (
	"errors"
	"fmt"
	"strings"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/actors/hadoop/exceptions"
	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/resourcemanager/fair"
	"github.com/coherer/coherer/actors/resourcemanager/input"
	"github.com/coherer/coherer/actors/resourcemanager/life"
	"github.com/coherer/coherer/actors/resourcemanager/machine"
	"github.com/coherer/coherer/actors/resourcemanager/scheduler"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
)

// Defaults and bounds of a submission. They mirror YarnConfiguration.
const (
	defaultName  = "N/A"
	defaultQueue = "default"
	defaultType  = "YARN"
	maxType      = 20 // characters of a type
)

func (s *ClientRMService) getNewApplication(c *rpcenv.Context, q *yarn.GetNewApplicationRequest) {
	if !s.ready {
		rpcenv.Fail(c, q, life.ErrNotReady())
		return
	}
	s.nextApp++ // before the scheduler answers: other calls may come meanwhile
	id := ids.Application{Timestamp: s.life.Timestamp, ID: s.nextApp}
	call := rpcenv.Defer(c, q)
	rpcenv.Ask(c, s.scheduler, scheduler.RequestLimits{}, func(l scheduler.Limits, err error) {
		if err != nil {
			call.Fail(err)
			return
		}
		c.Log().Infof("Allocated new applicationId: %d", id.ID)
		call.Reply(&yarn.GetNewApplicationResponse{ApplicationId: id.Proto(), MaximumCapability: l.Maximum})
	})
}

func (s *ClientRMService) submitApplication(c *rpcenv.Context, q *yarn.SubmitApplicationRequest) {
	if !s.ready {
		rpcenv.Fail(c, q, life.ErrNotReady())
		return
	}
	id, err := ids.ApplicationFrom(q.GetApplicationSubmissionContext().GetApplicationId())
	if err != nil {
		rpcenv.Fail(c, q, fmt.Errorf("%w: submit an application: %w", exceptions.YARN, err))
		return
	}
	if s.byID[id] != nil { // a repetition, or an id that was used
		rpcenv.Reply(c, q, &yarn.SubmitApplicationResponse{})
		return
	}
	a, err := newApplication(c, id, q.GetApplicationSubmissionContext())
	if err != nil {
		rpcenv.Fail(c, q, err)
		return
	}
	if id.Timestamp == s.life.Timestamp {
		s.nextApp = max(s.nextApp, id.ID) // a client may choose an id: getNewApplication must not return it again
	}
	s.apps = append(s.apps, a)
	s.byID[id] = a
	s.counts.submitted++
	c.Log().Infof("Application with id %d submitted by user %s", id.ID, a.user)
	c.State("application", id.String(), "", a.machine.State.String(), "submitted by "+a.user)
	s.stepApp(c, a, machine.AppStart, machine.Always, "submitted by "+a.user)
	rpcenv.Reply(c, q, &yarn.SubmitApplicationResponse{}) // after AppStart, which writes the record: the reply waits for it
}

// newApplication checks a submission and fills in the defaults.
func newApplication(c *rpcenv.Context, id ids.Application, context *yarn.ApplicationSubmissionContext) (*application, error) {
	context = proto.CloneOf(context) // messages are immutable, and it is changed below and by place
	for _, text := range []struct{ what, is string }{
		{"name", context.GetApplicationName()}, {"queue", context.GetQueue()}, {"user", context.GetUser()},
	} {
		if len(text.is) > input.MaxText {
			return nil, fmt.Errorf("%w: submit %s: the %s has %d bytes, at most %d can be", exceptions.YARN, id, text.what, len(text.is), input.MaxText)
		}
	}
	if context.GetAmContainerSpec() == nil {
		return nil, fmt.Errorf("%w: submit %s: it does not say how its ApplicationMaster is started", exceptions.YARN, id)
	}
	if context.GetUnmanagedAm() {
		return nil, fmt.Errorf("%w: submit %s: unmanaged ApplicationMasters are not supported", exceptions.YARN, id)
	}
	if err := errors.Join(checkAMRequest(c.Conf(), context), checkTags(context.GetApplicationTags())); err != nil {
		return nil, err
	}
	orElse(&context.ApplicationName, defaultName)
	orElse(&context.Queue, defaultQueue)
	orElse(&context.ApplicationType, defaultType)
	orElse(&context.User, "anonymous")
	context.ApplicationType = input.Cut(context.GetApplicationType(), maxType)
	return &application{
		id: id, context: context, user: context.GetUser(), queue: context.GetQueue(), submitted: c.Now(),
		maxAttempts: maxAttemptsOf(c.Conf(), context.GetMaxAppAttempts()),
	}, nil
}

// checkAMRequest refuses an ApplicationMaster that no container can hold, or that wants nodes of a label; the scheduler checks it
// again by the limits of its queue and nodes.
func checkAMRequest(cf *conf.Conf, context *yarn.ApplicationSubmissionContext) error {
	r, anywhere := context.GetResource(), true
	labels := []string{context.GetNodeLabelExpression()}
	if wanted := context.GetAmContainerResourceRequest(); len(wanted) > 0 {
		r, anywhere = wanted[0].GetCapability(), false
		for _, w := range wanted {
			anywhere = anywhere || w.GetResourceName() == fair.Any
			labels = append(labels, w.GetNodeLabelExpression())
		}
	}
	for _, label := range labels {
		if err := input.CheckLabel(label); err != nil {
			return err
		}
	}
	if !anywhere {
		return fmt.Errorf("%w: Invalid resource request, no resource request specified with *", exceptions.InvalidResourceRequest)
	}
	most := fair.Resource{Memory: int64(scheduler.MaximumAllocationMB.Get(cf)), VCores: int64(scheduler.MaximumAllocationVCores.Get(cf))}
	if err := fair.CheckAsk(fair.ResourceFrom(r), most, most); err != nil {
		return fmt.Errorf("%w: %w", exceptions.InvalidResourceRequest, err)
	}
	return nil
}

// checkTags refuses the tags that ApplicationSubmissionContextPBImpl refuses.
func checkTags(tags []string) error {
	const most, longest = 10, 100
	wrong := func(format string, args ...any) error {
		return fmt.Errorf("%w: java.lang.IllegalArgumentException: %s", exceptions.YARN, fmt.Sprintf(format, args...))
	}
	if len(tags) > most {
		return wrong("Too many applicationTags, a maximum of only %d are allowed!", most)
	}
	for _, tag := range tags {
		switch {
		case len(tag) > longest:
			return wrong("Tag %s is too long, maximum allowed length of a tag is %d", input.Cut(tag, input.MaxText), longest)
		case strings.ContainsFunc(tag, func(r rune) bool { return r > 127 }):
			return wrong("A tag can only have ASCII characters! Invalid tag - %s", tag)
		}
	}
	return nil
}

func orElse(text *string, other string) {
	if *text == "" {
		*text = other
	}
}

// known is the application that a client names, or the error for the client.
func (s *ClientRMService) known(m *yarn.ApplicationId) (*application, error) {
	if !s.ready {
		return nil, life.ErrNotReady()
	}
	id, err := ids.ApplicationFrom(m)
	if err != nil {
		return nil, fmt.Errorf("%w: Invalid application id: null", exceptions.ApplicationNotFound)
	}
	if a := s.byID[id]; a != nil {
		return a, nil
	}
	return nil, fmt.Errorf("%w: Application with id '%s' doesn't exist in RM. Please check that the job submission was successful.",
		exceptions.ApplicationNotFound, id)
}

func (s *ClientRMService) killApplication(c *rpcenv.Context, q *yarn.KillApplicationRequest) {
	a, err := s.known(q.GetApplicationId())
	if id, bad := ids.ApplicationFrom(q.GetApplicationId()); bad == nil && errors.Is(err, exceptions.ApplicationNotFound) {
		err = fmt.Errorf("%w: Trying to kill an absent application %s", exceptions.ApplicationNotFound, id)
	}
	if err != nil {
		rpcenv.Fail(c, q, err)
		return
	}
	// Clients repeat the call until the end is durable: the first one counts, and one that comes while another end is being written
	// must not change its diagnostics.
	if !a.stored {
		if a.machine.State != machine.AppFinalSaving && a.machine.State != machine.AppKilling {
			a.diagnostics = killDiagnostics(a.id, c.Sender().Host, q.GetDiagnostics())
			s.stepApp(c, a, machine.AppKill, machine.Always, a.diagnostics)
		}
	}
	rpcenv.Reply(c, q, &yarn.KillApplicationResponse{IsKillCompleted: a.stored})
}

// killDiagnostics names the host that ended an application, and the reason. Hadoop knows the user too.
func killDiagnostics(id ids.Application, host, said string) string {
	text := fmt.Sprintf("Application %s was killed by user", id)
	if host != "" {
		text += " at " + host
	}
	if said == "" {
		return text
	}
	return text + " with diagnostic message: " + input.Cut(said, input.MaxText)
}

func (s *ClientRMService) failApplicationAttempt(c *rpcenv.Context, q *yarn.FailApplicationAttemptRequest) {
	a, err := s.known(q.GetApplicationAttemptId().GetApplicationId())
	if err != nil {
		rpcenv.Fail(c, q, err)
		return
	}
	id := ids.Attempt{App: a.id, Attempt: q.GetApplicationAttemptId().GetAttemptId()}
	at := s.attemptOf(id)
	if at == nil {
		rpcenv.Fail(c, q, fmt.Errorf("%w: ApplicationAttempt with id '%s' doesn't exist in RM.", exceptions.ApplicationAttemptNotFound, id))
		return
	}
	s.stepAttempt(c, at, machine.AttemptFail, machine.Always, "Attempt failed by user.")
	rpcenv.Reply(c, q, &yarn.FailApplicationAttemptResponse{})
}
