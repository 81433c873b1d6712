package driver

import (
	"fmt"
	"math"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/actors/appclient"
	"github.com/coherer/coherer/actors/driver/allocation"
	"github.com/coherer/coherer/actors/driver/event"
	"github.com/coherer/coherer/actors/driver/heartbeat"
	"github.com/coherer/coherer/actors/driver/tasks"
	"github.com/coherer/coherer/actors/submit"
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
)

func (s *Scheduler) submitTasks(c *rpcenv.Context, m tasks.SubmitTasks) {
	c.Log().Infof("Adding task set %s with %d tasks", m.Set.ID, len(m.Set.Tasks))
	if why := s.waitsFor(c); why != "" && len(m.Set.Tasks) > 0 {
		c.Log().Info("Tasks wait: " + why)
	}
	// Only before the first task: later sets wait for cores as a matter of course.
	if !s.starving.Active() && !s.tasks.Launched() {
		d := appclient.StarvationTimeout.Get(c.Conf())
		s.starving = c.Every(d, d, StarvationCheck{})
	}
	s.apply(c, s.tasks.Submit(m.Set, c.Now()))
}

// cancelTasks kills the running attempts of a stage. They keep their cores until they report their end.
func (s *Scheduler) cancelTasks(c *rpcenv.Context, m tasks.CancelTasks) {
	s.apply(c, s.tasks.Cancel(m.Stage, m.Interrupt, m.Reason, c.Now()))
}

// statusUpdate gives an ended attempt's cores back and offers them again. A failure may have made a task wait that
// another executor can take, so then all are offered.
func (s *Scheduler) statusUpdate(c *rpcenv.Context, m *app.StatusUpdate) {
	e := s.executors.byID[m.GetExecutorId()]
	// An attempt frees its cores once: Spark's driver takes the cores of a second report, too, and then offers cores that are
	// in use.
	if e == nil || !s.tasks.Known(m.GetTaskId(), e.id) {
		c.Log().Debugf("Ignored status %s of TID %d from executor %s: it was given up", m.GetState(), m.GetTaskId(),
			m.GetExecutorId())
		if e != nil {
			s.removeResult(c, e, m)
		}
		return
	}
	final := tasks.Final(m.GetState())
	if final {
		// Before the offers below, and whatever the result means: the executor has finished with the attempt.
		e.freeCores += s.cpus
	}
	now := c.Now()
	effects := s.tasks.Update(m.GetTaskId(), m.GetState(), m.GetResult(), m.GetFailure(), now)
	if effects.Fetch {
		s.post(c, event.TaskGettingResult{TaskID: m.GetTaskId(), At: now})
		s.fetchResult(c, e, m)
	} else {
		s.removeResult(c, e, m)
	}
	s.apply(c, effects)
	if final {
		s.makeOffers(c, e.offer(), false)
	}
}

// progress passes on how far attempts have come: by it the task scheduler tells slow tasks. It mirrors
// TaskSchedulerImpl.executorHeartbeatReceived.
func (s *Scheduler) progress(c *rpcenv.Context, m heartbeat.Progress) {
	if len(m.Peaks) > 0 {
		s.post(c, event.ExecutorMetricsUpdate{ExecutorID: m.ExecutorID, Peaks: m.Peaks})
	}
	for _, p := range m.Tasks {
		if s.tasks.Known(p.GetTaskId(), m.ExecutorID) {
			s.tasks.Progress(p.GetTaskId(), p.GetRecordsRead(), time.Duration(p.GetRunMs())*time.Millisecond)
		}
	}
}

// makeOffers starts tasks on the offered cores; all: there are no others. At the driver's end nothing starts any more.
func (s *Scheduler) makeOffers(c *rpcenv.Context, offers []tasks.Offer, all bool) {
	if len(offers) == 0 || s.stopping || !s.isReady(c) {
		return
	}
	launches, effects := s.tasks.Offers(offers, all, c.Rand().Shuffle, c.Now())
	for i := range launches {
		s.launchTask(c, &launches[i])
	}
	s.apply(c, effects)
}

// offerAll starts tasks on all free cores.
func (s *Scheduler) offerAll(c *rpcenv.Context) { s.makeOffers(c, s.executors.offers(), true) }

// isReady reports whether tasks may start, once and for all: spark.scheduler.minRegisteredResourcesRatio of what is
// expected can take tasks, or the application has waited for spark.scheduler.maxRegisteredResourcesWaitingTime. It mirrors
// CoarseGrainedSchedulerBackend.isReady, which counts executors from their registration on.
func (s *Scheduler) isReady(c *rpcenv.Context) bool {
	if s.ready {
		return true
	}
	// The time-out applies to an application without any executor, too: reviveOffers comes here for it.
	have, expected, ratio := s.registered(c.Conf())
	s.ready = float64(have) >= float64(expected)*ratio || c.Now().Sub(s.began) >= SchedulerMaxRegisteredResourcesWaitingTime.Get(c.Conf())
	if s.ready {
		s.tellAllocation(c, allocation.Ready{})
	}
	return s.ready
}

// registered is how much can take tasks, and which share of how much must be able to before the first task starts: cores on a
// standalone cluster, executors on YARN, where the ratio is 0.8 unless the settings say otherwise.
func (s *Scheduler) registered(c *conf.Conf) (have, expected int, ratio float64) {
	ratio, set := SchedulerMinRegisteredResourcesRatio.Find(c)
	if s.cfg.YARN == nil {
		// 0 without spark.cores.max: the driver cannot know how much will come, so its tasks do not wait.
		most, _ := submit.CoresMax.Find(c)
		return s.executors.cores(), most, ratio
	}
	if !set {
		ratio = yarnRatio
	}
	return s.executors.launched(), s.expected, ratio
}

// waitsFor says what an application that is not ready waits for; "": it is ready.
func (s *Scheduler) waitsFor(c *rpcenv.Context) string {
	if s.isReady(c) {
		return ""
	}
	have, expected, ratio := s.registered(c.Conf())
	what := "cores"
	if s.cfg.YARN != nil {
		what = "executors"
	}
	most := SchedulerMaxRegisteredResourcesWaitingTime
	return fmt.Sprintf("the first task starts when %.0f of %d %s can take tasks, or %s after the start of the driver; %d can: lower %s or %s to begin with fewer",
		math.Ceil(float64(expected)*ratio), expected, what, most.Get(c.Conf()), have, SchedulerMinRegisteredResourcesRatio.Key(), most.Key())
}

func (s *Scheduler) launchTask(c *rpcenv.Context, l *tasks.Launch) {
	m := &app.LaunchTask{Data: l.Description}
	if why := s.tooLarge(m); why != "" {
		// No core is taken: the next offers have it again.
		s.apply(c, s.tasks.Abort(l.Description.GetTaskId(), why, c.Now()))
		return
	}
	e := s.executors.byID[l.Executor]
	e.freeCores -= s.cpus
	c.Send(e.ref, m)
	if s.cfg.Listener.IsZero() && s.allocation.IsZero() && !s.posts {
		return
	}
	d := l.Description
	start := event.TaskStart{
		StageID: d.GetStageId(), StageAttempt: d.GetStageAttempt(), TaskID: d.GetTaskId(), Index: d.GetIndex(), ExecutorID: e.id,
		Locality: l.Level.String(), Speculative: l.Speculative,
		TaskStarted: event.TaskStarted{Partition: d.GetPartitionId(), Attempt: d.GetAttemptNumber(), Host: e.host, Launched: l.Started},
	}
	s.listen(c, start)
	s.tellAllocation(c, start)
	s.post(c, start)
}

// tooLarge is why a task cannot be sent; "" when it can. A message that the setting allows and the connection does not would end
// the connection, and the executor with it.
func (s *Scheduler) tooLarge(m *app.LaunchTask) string {
	size := proto.Size(m)
	task := fmt.Sprintf("Serialized task %d:%d was %d bytes", m.GetData().GetTaskId(), m.GetData().GetIndex(), size)
	switch {
	case size >= s.maxSize:
		return fmt.Sprintf("%s, which exceeds max allowed: spark.rpc.message.maxSize (%d bytes). Consider increasing "+
			"spark.rpc.message.maxSize or passing large values in files.", task, s.maxSize)
	case size+launchMargin > rpcenv.MaxMessage:
		return fmt.Sprintf("%s, which exceeds the %d bytes of one message, whatever spark.rpc.message.maxSize (%d bytes) allows. "+
			"Consider passing large values in files.", task, rpcenv.MaxMessage-launchMargin, s.maxSize)
	}
	return ""
}

// launchMargin is more than a message needs beside its body.
const launchMargin = 1 << 10

// starvationCheck warns until the first task was started.
func (s *Scheduler) starvationCheck(c *rpcenv.Context) {
	// Some executor takes tasks: that others wait is no sign of a wrong cluster or setting.
	if s.tasks.Launched() {
		c.Cancel(s.starving)
		return
	}
	if !s.tasks.Waiting() {
		return
	}
	c.Log().Warn("Initial job has not accepted any resources; check your cluster UI to ensure that workers are registered " +
		"and have sufficient resources")
	why := s.whyStarving(c)
	// A listener shows why to people; the log must not repeat it.
	if why != "" && s.cfg.Listener.IsZero() {
		c.Log().Warn(why)
	}
	s.listen(c, event.Starving{Executors: len(s.executors.sorted), Why: why})
}

// whyStarving is what keeps tasks waiting and what to do, as far as the driver knows; "" when only the cluster manager knows.
func (s *Scheduler) whyStarving(c *rpcenv.Context) string {
	// First, as the other reasons do not matter to an application that gets no executors.
	if s.forgotten != "" {
		return s.forgotten
	}
	largest := 0
	for _, e := range s.executors.sorted {
		largest = max(largest, e.totalCores)
	}
	switch {
	case largest == 0: // to begin with fewer would not help, and how large one would be the driver does not know
		return ""
	case largest >= s.cpus:
		return s.waitsFor(c)
	}
	return s.tooSmall("the largest executor", largest)
}

// tooSmall says that an executor of so many cores takes no task, and what to do.
func (s *Scheduler) tooSmall(executor string, cores int) string {
	return fmt.Sprintf("a task wants %d cores (spark.task.cpus), %s has %d and takes none: lower spark.task.cpus, "+
		"or have Workers of %d cores and set spark.executor.cores to %d", s.cpus, executor, cores, s.cpus, s.cpus)
}
