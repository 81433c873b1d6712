package driver

import (
	"github.com/coherer/coherer/messages/app"
	"github.com/coherer/coherer/rpcenv"
)

// requestWaits says what tasks wait for. First comes what keeps all of them: no executor, or the wait for more.
func (s *Scheduler) requestWaits(c *rpcenv.Context, m *app.RequestWaits) {
	w := s.tasks.Waits(m, s.executors.offers(), c.Now())
	w.AppId, w.Executors, w.Cores = s.appID, int32(s.executors.launched()), int32(s.executors.cores())
	for _, e := range s.executors.sorted {
		if e.usable() {
			w.FreeCores += int32(e.freeCores)
		}
	}
	first := s.whyNone(c)
	for _, set := range w.Sets {
		if first != nil && set.GetWaiting() > 0 {
			set.Reasons = append([]*app.WaitReason{first}, set.Reasons...)
		}
	}
	rpcenv.Reply(c, m, w)
}

// whyNone keeps all tasks waiting; nil: nothing does.
func (s *Scheduler) whyNone(c *rpcenv.Context) *app.WaitReason {
	switch {
	case s.stopping:
		return &app.WaitReason{Filter: "end", Reason: "the driver ends"}
	case s.executors.launched() == 0:
		why := "no executor takes tasks"
		if more := s.whyStarving(c); more != "" {
			why += ": " + more
		}
		return &app.WaitReason{Filter: "executors", Reason: why, Help: "coherer why app " + s.appID + " says why the application has none"}
	case !s.isReady(c):
		return &app.WaitReason{Filter: "ready", Reason: s.waitsFor(c), Help: "lower " + SchedulerMinRegisteredResourcesRatio.Key()}
	default:
		return nil
	}
}
