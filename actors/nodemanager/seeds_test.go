package nodemanager

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sirupsen/logrus"
	"github.com/sirupsen/logrus/hooks/test"

	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/nodemanager/launch"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
	"github.com/coherer/coherer/rpcenv/rpctest"
	"github.com/coherer/coherer/rpcenv/sim"
)

// slow is a disk on which everything takes a random time, and sometimes fails.
type slow struct {
	dirs
	rand *rand.Rand
}

func (s slow) nap(b *rpcenv.Blocking) error {
	return b.Sleep(time.Duration(s.rand.IntN(3000)) * time.Millisecond)
}

func (s slow) fail(of int) error {
	if s.rand.IntN(of) == 0 {
		return errors.New("bad luck")
	}
	return nil
}

func (s slow) Prepare(b *rpcenv.Blocking, c launch.Container) (launch.Container, error) {
	if err := errors.Join(s.nap(b), s.fail(10)); err != nil {
		return c, err
	}
	return s.dirs.Prepare(b, c)
}

func (s slow) Output(b *rpcenv.Blocking, _ launch.Container) string {
	return fmt.Sprint(s.nap(b))
}

func (s slow) Remove(b *rpcenv.Blocking, _ launch.Container) error {
	return errors.Join(s.nap(b), s.fail(10))
}

func (s slow) RemoveApplication(b *rpcenv.Blocking, _, _ string) error {
	return errors.Join(s.nap(b), s.fail(10))
}

type slowCache struct{ slow }

func (s slowCache) Fetch(b *rpcenv.Blocking, r Resource) (Fetched, error) {
	if err := errors.Join(s.nap(b), s.fail(8)); err != nil {
		return Fetched{}, err
	}
	return Fetched{Path: "/cache" + r.URL, Size: 1 << 20}, nil
}

func (s slowCache) Remove(b *rpcenv.Blocking, _ string) error { return s.nap(b) }

// Whatever happens to containers, and when: no machine gets an event that it has no place for, the end of each is reported, and
// nothing is left.
func TestRandomLives(t *testing.T) {
	for seed := range uint64(60) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { live(t, seed) })
	}
}

func live(t *testing.T, seed uint64) {
	k := newSeededKit(t, seed)
	r := rand.New(rand.NewPCG(seed, 1))
	disk := slow{dirs{&fakes{}}, r}
	logger, hook := test.NewNullLogger()
	logger.SetOutput(io.Discard)
	c, err := conf.New(map[string]string{
		"yarn.resourcemanager.connect.retry-interval.ms": "700", "yarn.nodemanager.localizer.cache.target-size-mb": "1",
		"yarn.nodemanager.localizer.cache.cleanup.interval-ms": "5000", "yarn.nodemanager.localizer.fetch.thread-count": "2",
	})
	if err != nil {
		t.Fatal(err)
	}
	n := New(Config{ResourceManager: k.rm.Env.Address(), MemoryMB: 1, VCores: 1, Localizer: slowCache{disk}, Containers: disk})
	if k.env, err = rpcenv.New(k.w.Host("NM1", "10.0.0.9"), rpcenv.Config{Name: "NM1", Listen: rpcenv.Address{Host: "10.0.0.9", Port: 7077}, Conf: c, Log: logrus.NewEntry(logger)}); err != nil {
		t.Fatal(err)
	}
	k.nm = k.w.Register(k.env, Name, n)
	k.w.Until("a heartbeat", func() bool { return len(k.beats) > 0 })
	var all []ids.Container
	for range 40 {
		k.step(r, &all)
		k.w.Advance(time.Duration(r.IntN(1500)) * time.Millisecond)
	}
	k.deaf, k.unknown = false, false
	k.next(func(a *yarn.NodeHeartbeatResponse) { a.ApplicationsToCleanup = []*yarn.ApplicationId{app1.Proto()} })
	k.w.Advance(time.Minute)
	for _, id := range all {
		k.reported(id, yarn.ContainerState_C_COMPLETE)
	}
	if len(n.books.apps) > 0 || len(n.books.containers) > 0 {
		t.Errorf("%d applications and %d containers are left", len(n.books.apps), len(n.books.containers))
	}
	for _, x := range n.cache.resources {
		if len(x.Refs) > 0 {
			t.Errorf("%s is still used by %v", x.key.URL, x.Refs)
		}
	}
	if i := slices.IndexFunc(k.children, func(h *sim.Host) bool { _, ended := h.Exited(); return !ended }); i >= 0 {
		t.Error("a process is left")
	}
	for _, e := range hook.AllEntries() {
		if strings.Contains(e.Message, "Can't handle") {
			t.Errorf("%s: %v", e.Message, e.Data["error"])
		}
	}
}

// step makes one thing happen.
func (k *kit) step(r *rand.Rand, all *[]ids.Container) {
	k.t.Helper()
	any := func() ids.Container {
		if len(*all) == 0 {
			return containerID(app1, 999)
		}
		return (*all)[r.IntN(len(*all))]
	}
	say := func(f func(*yarn.NodeHeartbeatResponse, ids.Container)) {
		id := any()
		k.answer = func(a *yarn.NodeHeartbeatResponse) { f(a, id) }
	}
	switch r.IntN(10) {
	case 0, 1, 2, 3:
		id := containerID(app1, int64(len(*all)+1))
		l := withResources()
		for i := range r.IntN(4) {
			visibility := yarn.LocalResourceVisibility(1 + r.IntN(3))
			l.LocalResources = append(l.LocalResources, resourceOf(fmt.Sprint(i), fmt.Sprint("/", r.IntN(4)), visibility))
		}
		if r.IntN(3) == 0 {
			l.ContainerRetryContext = &yarn.ContainerRetryContext{RetryPolicy: yarn.ContainerRetryPolicy_RETRY_ON_ALL_ERRORS, MaxRetries: 2, RetryInterval: int32(r.IntN(2000))}
		}
		if got := k.ask(k.entry(k.identifier(id), l)); len(got.GetFailedRequests()) > 0 {
			k.t.Errorf("%v", got)
		}
		*all = append(*all, id)
	case 4, 5:
		if len(k.children) > 0 {
			k.children[r.IntN(len(k.children))].Exit([]int{0, 1, 3, 137, 143}[r.IntN(5)])
		}
	case 6:
		if id := any(); id.Seq != 999 {
			_, err := rpctest.Ask[*yarn.StopContainersResponse](k.am, k.nm, &yarn.StopContainersRequest{ContainerId: []*yarn.ContainerId{id.Proto()}, NmToken: k.nmToken(app1)})
			if err != nil {
				k.t.Error(err)
			}
		}
	case 7:
		say(func(a *yarn.NodeHeartbeatResponse, id ids.Container) {
			a.ContainersToCleanup = []*yarn.ContainerId{id.Proto()}
		})
	case 8:
		say(func(a *yarn.NodeHeartbeatResponse, id ids.Container) {
			a.ContainersToBeRemovedFromNm = []*yarn.ContainerId{id.Proto()}
		})
	case 9:
		switch r.IntN(3) {
		case 0:
			k.unknown = true
		case 1:
			k.deaf = !k.deaf
		default:
			say(func(a *yarn.NodeHeartbeatResponse, id ids.Container) {
				a.ContainersToSignal = []*yarn.SignalContainer{{ContainerId: id.Proto(), Command: yarn.SignalContainerCommand_FORCEFUL_SHUTDOWN}}
			})
		}
	}
}
