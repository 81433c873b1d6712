package nodemanager

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/nodemanager/launch"
	"github.com/coherer/coherer/messages/yarn"
)

// What a container's launch is made of: its token, its launch context, and the node's settings.
func TestWhatALaunchIsMadeOf(t *testing.T) {
	k := newKit(t)
	f := &fakes{}
	k.join(Config{Localizer: f, Containers: dirs{f}, HTTPPort: 8042}, map[string]string{
		"yarn.nodemanager.aux-services": "one,two", "yarn.nodemanager.admin-env": "MALLOC_ARENA_MAX=4",
	})
	archive := resourceOf("lib", "/lib.zip", yarn.LocalResourceVisibility_PRIVATE)
	archive.Value.Type, archive.Value.Pattern = yarn.LocalResourceType_PATTERN, "a.*"
	l := withResources(resourceOf("a", "/a", yarn.LocalResourceVisibility_APPLICATION), archive)
	l.Command, l.Tokens = []string{"{{PWD}}/a", "x"}, []byte("tokens")
	l.Environment = []*yarn.StringStringMap{{Key: "A", Value: "1"}, {Key: "B", Value: "2"}}
	l.ServiceData = []*yarn.StringBytesMap{{Key: "two"}}
	id := containerID(app1, 1)
	x := k.identifier(id)
	x.Resource = &yarn.Resource{Memory: 2048, VirtualCores: 3}
	if r := k.ask(k.entry(x, l)); len(r.GetFailedRequests()) > 0 {
		t.Fatal(r)
	}
	k.w.Until("a process", func() bool { return len(k.started) == 1 })
	want := launch.Container{
		User: "ann", App: app1.String(), ID: id.String(), Host: "10.0.0.3", Port: 7077, HTTPPort: 8042, MemoryMB: 2048, VCores: 3,
		Env: []launch.Variable{{Name: "A", Value: "1"}, {Name: "B", Value: "2"}}, Admin: "MALLOC_ARENA_MAX=4",
		Services: []launch.Service{{Name: "one"}, {Name: "two"}}, Command: []string{"{{PWD}}/a", "x"},
		Links: []launch.Link{{Name: "a", Target: "/cache/a"}, {Name: "lib", Target: "/cache/lib.zip"}}, Tokens: []byte("tokens"),
	}
	if got := f.prepared; len(got) != 1 || !reflect.DeepEqual(got[0], want) {
		t.Errorf("%+v\nwant %+v", got, want)
	}
	fetched := []Resource{
		{Key{URL: "file:///a", Timestamp: 5, Type: yarn.LocalResourceType_FILE, Visibility: yarn.LocalResourceVisibility_APPLICATION}, 100, "ann", app1.String()},
		{Key{URL: "file:///lib.zip", Timestamp: 5, Type: yarn.LocalResourceType_PATTERN, Visibility: yarn.LocalResourceVisibility_PRIVATE, Pattern: "a.*"}, 100, "ann", ""},
	}
	slices.SortFunc(f.fetched, func(a, b Resource) int { return strings.Compare(a.URL, b.URL) }) // side by side
	if !slices.Equal(f.fetched, fetched) {
		t.Errorf("%+v\nwant %+v", f.fetched, fetched)
	}
	if cmd := k.started[0]; cmd.Class != ContainerClass || cmd.Dir != "/w/"+id.String() || !slices.Contains(cmd.Env, "A=1") || !slices.Contains(cmd.Env, "NM_HTTP_PORT=8042") {
		t.Errorf("%+v", cmd)
	}
}

// Resources that differ in anything are not the same.
func TestWhatMakesResourcesTheSame(t *testing.T) {
	k := newKit(t)
	f := &fakes{}
	k.join(Config{Localizer: f}, nil)
	same := func() *yarn.StringLocalResourceMap { return resourceOf("a", "/a", yarn.LocalResourceVisibility_PUBLIC) }
	k.running(1, withResources(same()))
	for i, change := range []func(r *yarn.LocalResource){
		func(r *yarn.LocalResource) { r.Resource.File = "/b" },
		func(r *yarn.LocalResource) { r.Size++ },
		func(r *yarn.LocalResource) { r.Timestamp++ },
		func(r *yarn.LocalResource) { r.Type = yarn.LocalResourceType_ARCHIVE },
		func(r *yarn.LocalResource) { r.Visibility = yarn.LocalResourceVisibility_PRIVATE },
		func(r *yarn.LocalResource) { r.Visibility = yarn.LocalResourceVisibility_APPLICATION },
		func(r *yarn.LocalResource) { r.Pattern = "x" },
	} {
		other := same()
		change(other.GetValue())
		k.running(int64(i+2), withResources(other, same()))
		if len(f.fetched) != i+2 {
			t.Errorf("change %d: %d fetches", i, len(f.fetched))
		}
	}
}

// A process that fails is started again only after the codes that its owner names, and never when a signal ended it.
func TestWhichEndsAreTriedAgain(t *testing.T) {
	k := newKit(t)
	k.join(Config{}, nil)
	l := withResources()
	l.ContainerRetryContext = &yarn.ContainerRetryContext{
		RetryPolicy: yarn.ContainerRetryPolicy_RETRY_ON_SPECIFIC_ERROR_CODES, ErrorCodes: []int32{3, 4}, MaxRetries: 5, RetryInterval: -7,
	}
	for i, tt := range []struct {
		code  int
		again bool
	}{{3, true}, {4, true}, {5, false}, {137, false}, {0, false}} {
		n := len(k.started)
		k.running(int64(i+1), l)
		k.w.Settle()
		k.children[n].Exit(tt.code)
		k.w.Advance(100 * time.Millisecond)
		if again := len(k.started) == n+2; again != tt.again {
			t.Errorf("code %d: started again: %t", tt.code, again)
		}
	}
}

// What is asked of a container while something is under way waits for the end of that: it gets its end once.
func TestAKillWaitsForWhatIsUnderWay(t *testing.T) {
	k := newKit(t)
	f := &fakes{wait: 10 * time.Second}
	k.join(Config{Containers: dirs{f}}, nil)
	id := k.run(1, nil)
	k.stop(id) // while its directories are made
	k.w.Advance(9 * time.Second)
	if got := k.status(id); got != "C_RUNNING -105 Container killed by the ApplicationMaster.|" {
		t.Errorf("%s", got)
	}
	k.w.Advance(2 * time.Second)
	if got := k.status(id); got != "C_COMPLETE -105 Container killed by the ApplicationMaster.|Container killed on request. Exit code is 143|" {
		t.Errorf("%s", got)
	}

	other := k.run(2, nil)
	k.w.Until("a process", func() bool { return len(k.started) == 1 })
	k.children[0].Exit(3)
	k.w.Settle()
	k.stop(other) // while its last words are read
	k.w.Advance(9 * time.Second)
	if got := k.status(other); got != "C_RUNNING -105 Container killed by the ApplicationMaster.|" {
		t.Errorf("%s", got)
	}
	k.w.Advance(2 * time.Second)
	if got := k.status(other); !strings.HasPrefix(got, "C_COMPLETE 3 Container killed by the ApplicationMaster.|Exception from container-launch.|") {
		t.Errorf("%s", got)
	}
}

// SIGKILL comes yarn.nodemanager.sleep-delay-before-sigkill.ms after SIGTERM; without a delay it comes alone.
func TestWithoutADelayAProcessIsKilled(t *testing.T) {
	for delay, code := range map[string]int{"250": 143, "0": 137} {
		k := newKit(t)
		k.join(Config{}, map[string]string{"yarn.nodemanager.sleep-delay-before-sigkill.ms": delay})
		id := k.running(1, nil)
		k.stop(id)
		k.reported(id, yarn.ContainerState_C_COMPLETE)
		if got, _ := k.children[0].Exited(); got != code {
			t.Errorf("delay %s: code %d", delay, got)
		}
	}
}

// What cannot be removed is logged, and ends nothing later.
func TestWhatCannotBeRemovedIsLogged(t *testing.T) {
	k := newKit(t)
	bad := errors.New("it is in use")
	f := &fakes{fail: map[string]error{"remove container": bad, "remove application": bad}}
	k.join(Config{Containers: dirs{f}}, nil)
	id := k.running(1, nil)
	k.children[0].Exit(0)
	k.reported(id, yarn.ContainerState_C_COMPLETE)
	k.next(func(r *yarn.NodeHeartbeatResponse) { r.ApplicationsToCleanup = []*yarn.ApplicationId{app1.Proto()} })
	k.w.Advance(time.Second)
	want := []string{
		"error Could not remove the directories of " + id.String() + ": it is in use", "error Could not remove the directories of " + app1.String() + ": it is in use",
	}
	if got := k.lines("Could not remove"); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if !strings.Contains(k.states(), "application "+app1.String()+": APPLICATION_RESOURCES_CLEANINGUP -> FINISHED by") {
		t.Errorf("%s", k.states())
	}
}
