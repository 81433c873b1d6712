package resourcemanager_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/sirupsen/logrus"

	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/messages/yarn"
)

// errorsOf collects what a ResourceManager logs as an error: an event that a machine has no row for, books that disagree.
type errorsOf struct{ all []string }

func (e *errorsOf) Levels() []logrus.Level { return []logrus.Level{logrus.ErrorLevel} }

func (e *errorsOf) Fire(entry *logrus.Entry) error {
	e.all = append(e.all, entry.Message)
	return nil
}

// storm is a random life of a cluster.
type storm struct {
	*kit
	rnd     *rand.Rand
	log     errorsOf
	nodes   []*nodeManager
	apps    []ids.Application
	masters []*appMaster
	seen    map[string]int // how many containers of each node have been looked at
	free    map[*appMaster][]*yarn.Container
}

// TestStorms: whatever happens in whatever order, no machine sees an event that it has no row for, and when all applications
// are killed nothing is left.
func TestStorms(t *testing.T) {
	happened := map[string]int{}
	for seed := range uint64(25) {
		t.Run(fmt.Sprint("seed=", seed), func(t *testing.T) {
			k, _ := keptKit(t, "yarn.nm.liveness-monitor.expiry-interval-ms", "12000", "yarn.am.liveness-monitor.expiry-interval-ms", "15000",
				"yarn.resourcemanager.rm.container-allocation.expiry-interval-ms", "9000", "yarn.scheduler.fair.preemption", "true",
				"yarn.resourcemanager.work-preserving-recovery.scheduling-wait-ms", "2000")
			s := &storm{kit: k, rnd: rand.New(rand.NewPCG(seed, 1)), seen: map[string]int{}, free: map[*appMaster][]*yarn.Container{}}
			k.env.Log().Logger.AddHook(&s.log)
			for i := range 3 {
				s.nodes = append(s.nodes, k.node(fmt.Sprint("N", i), 4096+int64(i)*2048, 6))
			}
			for range 300 {
				s.step()
			}
			s.end()
			happened["masters"] += len(s.masters)
			happened["restarts"] += int(s.state().GetEpoch())
			for _, n := range s.nodes {
				happened["started"] += len(n.started)
			}
			for _, a := range s.state().GetApps() {
				happened[a.GetState()]++
				happened["attempts"] += len(a.GetAttempts())
			}
			if len(s.log.all) > 0 {
				t.Errorf("logged as errors:\n%q", slices.Compact(s.log.all))
			}
		})
	}
	t.Log(happened)
	for _, what := range []string{"restarts", "FINISHED", "FAILED", "KILLED"} {
		if happened[what] < 3 {
			t.Errorf("too little happened: %d %s", happened[what], what)
		}
	}
	if executors := happened["started"] - happened["masters"]; executors < 200 || happened["attempts"] < 300 {
		t.Errorf("too little happened: %d containers beside those of %d attempts", executors, happened["attempts"])
	}
}

func (s *storm) step() {
	s.t.Helper()
	n := s.nodes[s.rnd.IntN(len(s.nodes))]
	switch s.rnd.IntN(16) {
	case 0:
		if len(s.apps) < 8 {
			s.apps = append(s.apps, s.submit(func(c *yarn.ApplicationSubmissionContext) {
				c.KeepContainersAcrossApplicationAttempts = s.rnd.IntN(2) == 0
				c.User = []string{"ada", "bob"}[s.rnd.IntN(2)]
			}))
		}
	case 1, 2, 3, 4:
		s.hear(n)
	case 5, 6, 7:
		if len(s.masters) > 0 {
			s.speak(s.masters[len(s.masters)-1-s.rnd.IntN(min(8, len(s.masters)))])
		}
	case 8:
		if len(n.running) > 0 && s.rnd.IntN(3) == 0 {
			n.ends(n.running[s.rnd.IntN(len(n.running))].GetContainerId(), []int32{0, 1, -100, -104, 143}[s.rnd.IntN(5)], "by chance")
		}
	case 9:
		s.Advance(time.Duration(s.rnd.IntN(2500)) * time.Millisecond)
	case 10:
		if s.rnd.IntN(12) == 0 {
			n.running = nil // it was started again
			s.register(n)
		}
	case 11:
		if len(s.apps) > 0 && s.rnd.IntN(8) == 0 {
			s.kill(s.apps[s.rnd.IntN(len(s.apps))])
		}
	case 12:
		if s.rnd.IntN(6) == 0 {
			s.restart()
			s.env.Log().Logger.AddHook(&s.log)
		}
	case 14, 15:
		if len(s.masters) > 0 {
			s.work(s.masters[len(s.masters)-1-s.rnd.IntN(min(4, len(s.masters)))])
		}
	case 13:
		n.response = max(0, n.response-int32(s.rnd.IntN(3)))
		s.hear(n)
	}
}

// hear is a heartbeat, and what follows of the answer.
func (s *storm) hear(n *nodeManager) {
	s.t.Helper()
	r := n.beat()
	if r.GetNodeAction() == yarn.NodeAction_RESYNC {
		s.register(n)
		return
	}
	for _, id := range r.GetContainersToCleanup() {
		n.ends(id, 137, "as told")
	}
	for _, id := range r.GetContainersToBeRemovedFromNm() {
		n.forget(func(of *yarn.ContainerStatus) bool {
			return of.GetContainerId().GetId() == id.GetId() && of.GetContainerId().GetAppAttemptId().String() == id.GetAppAttemptId().String()
		})
	}
	for _, id := range r.GetApplicationsToCleanup() {
		n.forget(func(of *yarn.ContainerStatus) bool {
			return of.GetContainerId().GetAppAttemptId().GetApplicationId().String() == id.String()
		})
	}
	for ; s.seen[n.Ref.Address.String()] < len(n.started); s.seen[n.Ref.Address.String()]++ {
		started := n.started[s.seen[n.Ref.Address.String()]]
		if len(started.GetContainerLaunchContext().GetTokens()) > 0 { // an ApplicationMaster
			before := n.started
			n.started = n.started[:s.seen[n.Ref.Address.String()]+1]
			s.masters = append(s.masters, s.launched(n))
			n.started = before
		}
	}
}

func (s *storm) register(n *nodeManager) {
	s.t.Helper()
	n.register()
	s.Settle()
}

func (n *nodeManager) forget(which func(*yarn.ContainerStatus) bool) {
	n.running = slices.DeleteFunc(n.running, which)
}

// work is an ApplicationMaster that gets on: it asks, nodes are heard, it takes and starts what it was given.
func (s *storm) work(am *appMaster) {
	s.t.Helper()
	s.want(am)
	for _, n := range s.nodes {
		s.hear(n)
	}
	s.want(am)
	for range s.free[am] {
		s.use(am)
	}
}

// use starts a container that an ApplicationMaster was given.
func (s *storm) use(am *appMaster) {
	s.t.Helper()
	free := s.free[am]
	if len(free) == 0 {
		return
	}
	s.free[am] = free[1:]
	for _, n := range s.nodes {
		if n.reg.GetNodeId().GetPort() == free[0].GetNodeId().GetPort() && n.reg.GetNodeId().GetHost() == free[0].GetNodeId().GetHost() {
			am.start(n, free[0])
		}
	}
}

// want is a call of an ApplicationMaster, which registers when it has to.
func (s *storm) want(am *appMaster) {
	s.t.Helper()
	q := &yarn.AllocateRequest{ResponseId: am.response, Ask: []*yarn.ResourceRequest{sized(int32(s.rnd.IntN(5)), 512*int64(1+s.rnd.IntN(5)))}}
	if free := s.free[am]; len(free) > 0 && s.rnd.IntN(4) == 0 {
		q.Release, s.free[am] = []*yarn.ContainerId{free[0].GetId()}, free[1:]
	}
	r, err := am.try(q)
	if err != nil {
		if _, err := am.tryRegister(); err == nil {
			am.response = 0
		}
		return
	}
	am.response = r.GetResponseId()
	s.free[am] = append(s.free[am], r.GetAllocatedContainers()...)
}

// speak is something that an ApplicationMaster does; failures are its own.
func (s *storm) speak(am *appMaster) {
	s.t.Helper()
	switch s.rnd.IntN(8) {
	case 0:
		if _, err := am.tryRegister(); err == nil {
			am.response = 0
		}
	case 1:
		if s.rnd.IntN(8) == 0 {
			_, _ = am.tryFinish(yarn.FinalApplicationStatus_APP_SUCCEEDED)
		}
	case 2, 3:
		s.use(am)
	default:
		s.want(am)
	}
}

// end kills everything, and looks whether anything is left.
func (s *storm) end() {
	s.t.Helper()
	for _, n := range s.nodes {
		s.hear(n)
	}
	for _, app := range s.apps {
		s.kill(app)
	}
	for range 30 {
		s.Advance(time.Second)
		for _, n := range s.nodes {
			s.hear(n)
		}
	}
	st := s.state()
	for _, a := range st.GetApps() {
		if st := a.GetReport().GetYarnApplicationState(); st < yarn.YarnApplicationState_FINISHED || a.GetState() == "FINISHING" {
			s.t.Errorf("application %v is %s", a.GetReport().GetApplicationId(), a.GetState())
		}
	}
	u := st.GetUse()
	if u.GetAllocated().GetMemory() != 0 || u.GetReserved().GetMemory() != 0 || u.GetContainersAllocated() != 0 || u.GetContainersReserved() != 0 {
		s.t.Errorf("left behind: %v", u)
	}
	for _, n := range s.nodes {
		for _, r := range n.running {
			if r.GetState() != yarn.ContainerState_C_COMPLETE {
				s.t.Errorf("%s still runs %v", n.Ref.Address, r.GetContainerId())
			}
		}
	}
}
