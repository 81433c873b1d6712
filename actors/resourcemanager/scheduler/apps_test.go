package scheduler

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/actors/hadoop/exceptions"
	"github.com/coherer/coherer/actors/hadoop/token"
	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/actors/resourcemanager/fair"
	"github.com/coherer/coherer/actors/resourcemanager/life"
	"github.com/coherer/coherer/actors/resourcemanager/rmtest"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
)

// The unknown is refused by name; asks that the scheduler cannot meet, in Hadoop's words.
func TestWhatTheSchedulerRefuses(t *testing.T) {
	r := newScheduling(t, BeginScheduler{}, "yarn.scheduler.maximum-allocation-mb", "4096")
	r.add("h")
	r.attempt(false)
	second := ids.Attempt{App: rmtest.App, Attempt: 2}
	stranger := ids.Attempt{App: ids.Application{Timestamp: 5, ID: 9}, Attempt: 1}
	big := anyAsk(1)
	big.Capability = &yarn.Resource{Memory: 4097, VirtualCores: 1}
	for _, is := range []struct {
		q    rpcenv.Message
		want error
		text string
	}{
		{AppAttemptAdded{Attempt: stranger}, exceptions.YARN, "the scheduler has no application application_5_0009"},
		{DescribeAttempt{Attempt: stranger}, exceptions.ApplicationAttemptNotFound, "the scheduler has no attempt appattempt_5_0009_000001"},
		{DescribeAttempt{Attempt: second}, exceptions.ApplicationAttemptNotFound, "the scheduler has no attempt appattempt_5_0001_000002"},
		{Allocate{Attempt: stranger}, exceptions.ApplicationAttemptNotFound, "the scheduler has no attempt appattempt_5_0009_000001"},
		{Allocate{Attempt: second}, exceptions.ApplicationAttemptNotFound, "the scheduler has no attempt appattempt_5_0001_000002"},
		{Allocate{Attempt: rmtest.Attempt, Asks: []*yarn.ResourceRequest{big}}, exceptions.InvalidResourceRequest, "4096"},
		{AppAdded{App: stranger.App, User: "ada", Queue: "root", Groups: []string{"ada"}}, nil, "root is not a leaf queue"},
	} {
		_, err := request[rpcenv.Message](r, is.q)
		if err == nil || is.want != nil && !errors.Is(err, is.want) || !strings.Contains(err.Error(), is.text) {
			t.Errorf("%T: %v, want %v: %s", is.q, err, is.want, is.text)
		}
	}
	for err, want := range map[error]error{
		&fair.ZeroShareError{}: exceptions.InvalidResourceRequest, fmt.Errorf("no: %w", fair.ErrUnknown): exceptions.ApplicationAttemptNotFound,
		errors.New("other"): exceptions.YARN,
	} {
		if got := invalidRequest(err); !errors.Is(got, want) || !errors.Is(got, err) || !strings.HasSuffix(got.Error(), err.Error()) {
			t.Errorf("%v is %v, want %v", err, got, want)
		}
	}
}

// A container comes with the token that starts it, and with all that it says.
func TestAContainerIsWhole(t *testing.T) {
	r := newScheduling(t, BeginScheduler{}, "yarn.resourcemanager.rm.container-allocation.expiry-interval-ms", "9000")
	n := r.add("h")
	r.attempt(false)
	must[Allocation](r, Allocate{Attempt: rmtest.Attempt, Asks: []*yarn.ResourceRequest{anyAsk(1)}})
	r.Advance(time.Second)
	must[NodeUpdated](r, NodeUpdate{Node: n})
	var made time.Time
	r.Run(func(*rpcenv.Context) { made = r.s.containers[rmtest.Container(1)].made })
	a := must[Allocation](r, Allocate{Attempt: rmtest.Attempt})
	if len(a.Containers) != 1 || a.Nodes != 1 || a.Headroom.GetMemory() != 8192-1024 || len(a.Preempt) != 0 || len(a.Completed) != 0 {
		t.Fatalf("%+v", a)
	}
	k := a.Containers[0]
	var says yarn.ContainerTokenIdentifier
	if err := token.Open(k.GetContainerToken(), token.Container, rmtest.Life(5).Container, &says); err != nil {
		t.Fatal(err)
	}
	granted := time.UnixMilli(says.GetExpiryTimeStamp()).Add(-9 * time.Second)
	if granted.Before(made) || granted.After(r.Now()) {
		t.Errorf("the token holds until %d: it was given between %d and %d", says.GetExpiryTimeStamp(), made.UnixMilli(), r.Now().UnixMilli())
	}
	size, priority := &yarn.Resource{Memory: 1024, VirtualCores: 1}, &yarn.Priority{Priority: 1}
	want := &yarn.ContainerTokenIdentifier{
		ContainerId: rmtest.Container(1).Proto(), NmHostAddr: "h:8041", AppSubmitter: "ada", Resource: size, ExpiryTimeStamp: says.GetExpiryTimeStamp(), MasterKeyId: 1,
		RmIdentifier: 5, Priority: priority, CreationTime: made.UnixMilli(),
	}
	if !proto.Equal(&says, want) {
		t.Errorf("the token says %v\nwant\n%v", &says, want)
	}
	service := k.GetContainerToken().GetService()
	k.ContainerToken = nil
	if whole := (&yarn.Container{Id: rmtest.Container(1).Proto(), NodeId: n.Proto(), NodeHttpAddress: "h:8042", Resource: size, Priority: priority}); service != "h:8041" || !proto.Equal(k, whole) {
		t.Errorf("%v for %s\nwant\n%v", k, service, whole)
	}
}

// An ask says its priority, its id, where, what, how often and whether another place will do; if it does not say, it will.
func TestWhatAnAskSays(t *testing.T) {
	yes, no := true, false
	q := &yarn.ResourceRequest{
		Priority: &yarn.Priority{Priority: 3}, AllocationRequestId: 4, ResourceName: "h", Capability: &yarn.Resource{Memory: 5, VirtualCores: 6}, NumContainers: 7,
	}
	want := fair.Ask{
		Key: fair.Key{Priority: 3, AllocationRequestID: 4}, Name: "h", Capability: fair.Resource{Memory: 5, VCores: 6}, Count: 7, Relax: true,
	}
	if got := askOf(q); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	q.RelaxLocality = &no
	if got := askOf(q); got.Relax {
		t.Errorf("%+v", got)
	}
	q.RelaxLocality = &yes
	if got := askOf(q); got != want {
		t.Errorf("%+v", got)
	}
}

// An attempt may release the containers that it has; one that was given and is not started in time is taken back.
func TestWhoReleasesAContainer(t *testing.T) {
	r := newScheduling(t, BeginScheduler{}, "yarn.resourcemanager.rm.container-allocation.expiry-interval-ms", "9000")
	n := r.add("h")
	r.attempt(false)
	for range 3 {
		r.give(n)
	}
	must[NodeUpdated](r, NodeUpdate{Node: n, Launched: []ids.Container{rmtest.Container(1)}})
	r.heard()
	must[Allocation](r, Allocate{Attempt: rmtest.Attempt, Release: []ids.Container{rmtest.Container(2), rmtest.Container(70)}})
	r.is(r.heard(), "h ends 2")
	r.is(r.completed(), `2 with -100 "Container released by application"`)
	given := r.Now()
	r.Advance(8 * time.Second)
	r.is(r.completed(), "")
	for r.completed() == "" && r.Now().Sub(given) < time.Minute {
		r.Advance(100 * time.Millisecond)
	}
	// The third was given at most a tenth of a second before, and its time is looked at every three seconds.
	if d := r.Now().Sub(given); d < 9*time.Second-time.Second || d > 12*time.Second+200*time.Millisecond {
		t.Errorf("taken back after %s", d)
	}
	r.is(r.completed(), "")
	r.is(r.heard(), "h forgets 2, h ends 3, h forgets 3")
	if f := must[Books](r, RequestBooks{}).Failures; len(f) != 1 || f[0].GetDiagnostics() != "Container expired since it was unused" || f[0].GetExitStatus() != -100 || f[0].GetNodeId().GetHost() != "h" {
		t.Errorf("failures: %v", f)
	}
	// Exactly at its time it stays.
	r.give(n)
	r.heard()
	for _, is := range []struct {
		since time.Duration
		heard string
	}{{9 * time.Second, ""}, {9*time.Second + 1, "h ends 4"}} {
		r.Run(func(c *rpcenv.Context) {
			r.s.containers[rmtest.Container(4)].acquired = c.Now().Add(-is.since)
			r.s.expireTick(c)
		})
		r.is(r.heard(), is.heard)
	}
}

// An attempt that ends without its containers being kept leaves nothing to tell: its nodes forget them.
func TestWhatAnAttemptLeaves(t *testing.T) {
	begin := func(keep bool) (scheduling, ids.Node) {
		r := newScheduling(t, BeginScheduler{})
		n := r.add("h")
		r.attempt(keep)
		for range 5 {
			r.give(n)
		}
		must[NodeUpdated](r, NodeUpdate{Node: n, Launched: []ids.Container{rmtest.Container(1), rmtest.Container(2), rmtest.Container(3), rmtest.Container(4)}})
		must[NodeUpdated](r, NodeUpdate{Node: n, Ended: []*yarn.ContainerStatus{rmtest.Status(2, rmtest.Ended, 7)}})
		r.is(r.completed(), `2 with 7 ""`)
		must[NodeUpdated](r, NodeUpdate{Node: n, Ended: []*yarn.ContainerStatus{rmtest.Status(3, rmtest.Ended, 8)}})
		r.heard()
		return r, n
	}
	r, _ := begin(false)
	other := ids.Attempt{App: rmtest.App, Attempt: 7}
	r.Send(AppAttemptRemoved{Attempt: other}) // it never began
	r.is(r.heard(), "")
	r.Send(AppAttemptRemoved{Attempt: rmtest.Attempt})
	r.is(r.heard(), `h forgets 2, h forgets 3, h ends 1, h forgets 1, h ends 4, h forgets 4, h ends 5, h forgets 5, master ended with -100 "Container of a completed application"`)
	if _, err := request[Allocation](r, Allocate{Attempt: rmtest.Attempt}); !errors.Is(err, exceptions.ApplicationAttemptNotFound) {
		t.Error(err)
	}
	b := must[Books](r, RequestBooks{})
	if b.Use.GetContainersAllocated() != 0 || b.Totals[rmtest.App].GetVcoreSeconds() == 0 {
		t.Errorf("left behind: %v, %v", b.Use, b.Totals[rmtest.App])
	}
	r.Send(AppRemoved{App: rmtest.App})
	if after := must[Books](r, RequestBooks{}); after.ByApp[rmtest.App] != nil || !proto.Equal(after.Totals[rmtest.App], b.Totals[rmtest.App]) {
		t.Errorf("after its end: %v, %v", after.ByApp, after.Totals)
	}
	if u := must[Usage](r, RequestUsage{Apps: []ids.Application{rmtest.App}}); len(u.ByApp) != 0 {
		t.Errorf("its usage: %v", u.ByApp)
	}

	// Kept, the next attempt has the running containers, and gets the ends that were not acknowledged.
	r, n := begin(true)
	r.Send(AppAttemptRemoved{Attempt: rmtest.Attempt, Keep: true})
	r.is(r.heard(), "h ends 5")
	second := ids.Attempt{App: rmtest.App, Attempt: 2}
	must[AttemptAdded](r, AppAttemptAdded{Attempt: second, Keep: true})
	d := must[AttemptDescription](r, DescribeAttempt{Attempt: second})
	if len(d.Previous) != 1 || d.Previous[0].GetId().GetId() != 4 || d.Queue != "root.ada" || d.Maximum.GetMemory() != 8192 {
		t.Errorf("described: %+v", d)
	}
	a := must[Allocation](r, Allocate{Attempt: second, Drain: true})
	text := ""
	for _, s := range a.Completed {
		text += fmt.Sprint(s.GetContainerId().GetId(), " ")
	}
	r.is(text, "2 3 5 ")
	must[Allocation](r, Allocate{Attempt: second, Release: []ids.Container{rmtest.Container(4)}})
	r.is(r.heard(), "h ends 4")
	must[NodeUpdated](r, NodeUpdate{Node: n})
}

// The scheduler keeps where an application is, and what moves tell.
func TestTheSchedulerKnowsWhereAnApplicationWent(t *testing.T) {
	r := newScheduling(t, BeginScheduler{})
	r.add("h")
	r.attempt(false)
	for id, queue := range []string{"other", "third"} { // so that they are there
		must[AppAccepted](r, AppAdded{App: ids.Application{Timestamp: 5, ID: int32(id + 2)}, User: "ada", Queue: queue, Groups: []string{"ada"}})
	}
	a := must[AppAccepted](r, MoveApp{App: rmtest.App, Target: "root.other"})
	d := must[AttemptDescription](r, DescribeAttempt{Attempt: rmtest.Attempt})
	if a.Queue != "root.other" || d.Queue != "root.other" {
		t.Errorf("it is in %q, then in %q", a.Queue, d.Queue)
	}
	r.Advance(time.Second)
	delete(r.s.apps, rmtest.App) // it ended
	if a := must[AppAccepted](r, MoveApp{App: rmtest.App, Target: "root.third"}); a.Queue != "root.third" {
		t.Errorf("it is in %q", a.Queue)
	}
}

// An attempt may release what it has, not what another application has, also with the faults of Hadoop's FairScheduler.
func TestAnotherApplicationsContainerIsNotReleased(t *testing.T) {
	for _, compat := range []string{"fixed", "YARN-FAIR"} {
		r := newScheduling(t, BeginScheduler{}, "coherer.compat", compat)
		n := r.add("h")
		r.attempt(false)
		r.give(n)
		other := r.begins(ids.Application{Timestamp: 5, ID: 2}, "default")
		must[Allocation](r, Allocate{Attempt: other, Release: []ids.Container{rmtest.Container(1)}})
		r.is(must[ContainerPlace](r, RequestContainer{ID: rmtest.Container(1)}).State.String(), "ACQUIRED")
	}
}

// An application has one attempt at a time.
func TestAnApplicationHasOneAttemptAtATime(t *testing.T) {
	r := newScheduling(t, BeginScheduler{})
	r.attempt(false)
	if _, err := request[AttemptAdded](r, AppAttemptAdded{Attempt: rmtest.Attempt}); !errors.Is(err, exceptions.YARN) || !strings.Contains(err.Error(), rmtest.Attempt.String()) {
		t.Errorf("an attempt that is there already: %v", err)
	}
	r.Send(AppAttemptRemoved{Attempt: rmtest.Attempt, Keep: true})
	if _, err := request[Allocation](r, Allocate{Attempt: rmtest.Attempt}); !errors.Is(err, exceptions.ApplicationAttemptNotFound) {
		t.Errorf("an attempt that ended: %v", err)
	}
}

// Where an application goes may depend on its user's groups; when they are not known it is said why.
func TestGroupsPlaceApplications(t *testing.T) {
	const file = `<allocations><queuePlacementPolicy><rule name="primaryGroup"/></queuePlacementPolicy></allocations>`
	r := newScheduling(t, BeginScheduler{Allocations: []byte(file)})
	a := must[AppAccepted](r, AppAdded{App: rmtest.App, User: "ada", Queue: "default", Groups: []string{"dev", "ops"}})
	r.is(a.Queue, "root.dev")
	_, err := request[AppAccepted](r, AppAdded{App: ids.Application{ID: 9}, User: "bob", Queue: "default", GroupsErr: errors.New("no LDAP")})
	if err == nil || !strings.Contains(err.Error(), "no LDAP") {
		t.Error(err)
	}
}

// The next attempt has all that runs, in the order of their numbers, with their priorities; what was not started is not among it.
func TestWhatTheNextAttemptHas(t *testing.T) {
	r := newScheduling(t, BeginScheduler{Life: life.Life{Recovered: true}})
	r.attempt(true)
	reports := []*yarn.NMContainerStatus{live(14, 1024), live(4, 1024), live(3, 1024), live(11, 1024), live(5, 1024)}
	for i, c := range reports {
		c.Priority = &yarn.Priority{Priority: int32(i)}
	}
	begun := r.Now()
	n := r.add("h", reports...)
	r.Pass(11_000)
	r.give(n)
	d := must[AttemptDescription](r, DescribeAttempt{Attempt: rmtest.Attempt})
	text := ""
	for _, k := range d.Previous {
		text += fmt.Sprintf("%d at %d, ", k.GetId().GetId(), k.GetPriority().GetPriority())
	}
	r.is(text, "3 at 2, 4 at 1, 5 at 4, 11 at 3, 14 at 0, ")
	u := must[Usage](r, RequestUsage{Apps: []ids.Application{rmtest.App}}).ByApp[rmtest.App]
	if most := int64(r.Now().Sub(begun).Seconds()) * 5; u.GetVcoreSeconds() < 5*11 || u.GetVcoreSeconds() > most {
		t.Errorf("it used %v since its containers were reported, want %d at most", u, most)
	}

	// A reported container of an attempt that the book does not have ends.
	r.s.apps[rmtest.App].attempt = rmtest.SecondAttempt
	r.Send(AppAttemptRemoved{Attempt: rmtest.Attempt})
	r.heard()
	stray := live(21, 1024)
	stray.ContainerId.AppAttemptId.AttemptId = 2
	r.Send(NodeReconnected{Node: n, Total: &yarn.Resource{Memory: 8192, VirtualCores: 8}, Containers: append(slices.Clone(reports[:0]), stray)})
	if got := r.heard(); got != "h ends 21" {
		t.Errorf("heard %q", got)
	}
}
