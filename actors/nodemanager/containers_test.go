package nodemanager

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/messages/yarn"
)

// Spec 2.11: a container from its start to its end.
func TestAContainersLife(t *testing.T) {
	k := newKit(t)
	f := &fakes{}
	k.join(Config{Localizer: f, Containers: dirs{f}}, nil)
	l := withResources(resourceOf("prog", "/src/prog", yarn.LocalResourceVisibility_APPLICATION), resourceOf("lib/x", "/src/x", yarn.LocalResourceVisibility_PUBLIC))
	l.Command = []string{"{{PWD}}/prog", "--log", "<LOG_DIR>", "1><LOG_DIR>/stdout"}
	l.Environment = []*yarn.StringStringMap{{Key: "SPARK_USER", Value: "ann"}}
	id := k.running(1, l)
	want := []string{
		"fetch file:///src/prog ann " + app1.String(), "fetch file:///src/x  ",
		"prepare prog->/cache/src/prog lib/x->/cache/src/x",
	}
	slices.Sort(f.log[:2]) // side by side
	slices.Sort(want[:2])
	if !slices.Equal(f.log, want) {
		t.Errorf("%q", f.log)
	}
	cmd := k.started[0]
	if cmd.Dir != "/w/"+id.String() || !slices.Equal(cmd.Args, []string{"/w/" + id.String() + "/prog", "--log", "/l/" + id.String()}) ||
		!slices.Contains(cmd.Env, "SPARK_USER=ann") || !slices.Contains(cmd.Env, "CONTAINER_ID="+id.String()) || !slices.Contains(cmd.Env, "GOMAXPROCS=1") {
		t.Errorf("%+v", cmd)
	}
	k.children[0].Exit(0)
	if s := k.reported(id, yarn.ContainerState_C_COMPLETE); text(s) != "C_COMPLETE 0" {
		t.Errorf("%s", text(s))
	}
	if f.count("remove container /w/"+id.String()) != 1 {
		t.Errorf("%q", f.log)
	}
}

// real-yarn 2.8: exit codes and their diagnostics.
func TestExitCodes(t *testing.T) {
	k := newKit(t)
	k.join(Config{Containers: dirs{&fakes{}}}, nil)
	for i, tt := range []struct {
		code int
		says string
	}{
		{0, "C_COMPLETE 0"},
		{3, "C_COMPLETE 3 Exception from container-launch.|Container id: CONTAINER|Exit code: 3||[TIME]Container exited with a non-zero exit code 3. Last 4096 bytes|"},
		{127, "C_COMPLETE 127 Exception from container-launch.|Container id: CONTAINER|Exit code: 127||[TIME]Container exited with a non-zero exit code 127. Last 4096 bytes|"},
		{137, "C_COMPLETE 137 Container killed on request. Exit code is 137|Killed by external signal|"},
		{143, "C_COMPLETE 143 Container killed on request. Exit code is 143|Killed by external signal|"},
	} {
		id := k.running(int64(i+1), nil)
		k.children[i].Exit(tt.code)
		got := strings.ReplaceAll(text(k.reported(id, yarn.ContainerState_C_COMPLETE)), id.String(), "CONTAINER")
		if from := strings.IndexByte(got, '['); from >= 0 {
			got = got[:from+1] + "TIME" + got[strings.IndexByte(got, ']'):]
		}
		if got != tt.says {
			t.Errorf("%d: %s", tt.code, got)
		}
	}
}

// real-yarn 2.8: a container that its ApplicationMaster stops has status -105.
func TestStoppedContainers(t *testing.T) {
	k := newKit(t)
	f := &fakes{wait: time.Second}
	k.join(Config{Localizer: f, Containers: dirs{f}}, nil)
	id := k.running(1, nil)
	if r := k.stop(id); len(r.GetSucceededRequests()) != 1 {
		t.Errorf("%v", r)
	}
	if s := k.reported(id, yarn.ContainerState_C_COMPLETE); text(s) != "C_COMPLETE -105 Container killed by the ApplicationMaster.|Container killed on request. Exit code is 143|" {
		t.Errorf("%s", text(s))
	}
	k.stop(id) // alike

	// While its resources are fetched, and while its directories are made, it gets no process.
	localizing := k.run(2, withResources(resourceOf("a", "/a", yarn.LocalResourceVisibility_PUBLIC)))
	k.stop(localizing)
	if s := k.reported(localizing, yarn.ContainerState_C_COMPLETE); text(s) != "C_COMPLETE -105 Container killed by the ApplicationMaster.|" {
		t.Errorf("%s", text(s))
	}
	preparing := k.run(3, nil)
	k.stop(preparing)
	if s := k.reported(preparing, yarn.ContainerState_C_COMPLETE); s.GetExitStatus() != -105 {
		t.Errorf("%s", text(s))
	}
	k.w.Advance(time.Minute)
	if len(k.started) != 1 {
		t.Errorf("%d processes", len(k.started))
	}
	if f.count("remove container ") != 0 {
		t.Errorf("directories that were not made are removed: %q", f.log)
	}
}

// A node that fails every launch reports so each time, and goes on.
func TestANodeThatFailsEveryLaunch(t *testing.T) {
	k := newKit(t)
	f := &fakes{fail: map[string]error{"prepare": fmt.Errorf("no space: %w", ErrDisksFailed)}}
	k.join(Config{Containers: dirs{f}}, nil)
	for i := range int64(5) {
		id := k.run(i+1, nil)
		if s := k.reported(id, yarn.ContainerState_C_COMPLETE); text(s) != "C_COMPLETE -101 no space: most of the disks failed|" {
			t.Errorf("%s", text(s))
		}
	}
	f.fail["prepare"] = errors.New("something else")
	id := k.run(6, nil)
	if s := k.reported(id, yarn.ContainerState_C_COMPLETE); text(s) != "C_COMPLETE -1 something else|" {
		t.Errorf("%s", text(s))
	}
	delete(k.w.Roles, ContainerClass)
	f.fail = nil
	id = k.run(7, nil)
	if s := k.reported(id, yarn.ContainerState_C_COMPLETE); s.GetExitStatus() != -1 || !strings.Contains(s.GetDiagnostics(), "no role") {
		t.Errorf("%s", text(s))
	}
}

func TestAContainerIsStartedAgainAsItsOwnerWants(t *testing.T) {
	k := newKit(t)
	k.join(Config{}, nil)
	l := withResources()
	l.ContainerRetryContext = &yarn.ContainerRetryContext{RetryPolicy: yarn.ContainerRetryPolicy_RETRY_ON_ALL_ERRORS, MaxRetries: 2, RetryInterval: 5000}
	id := k.running(1, l)
	k.children[0].Exit(1)
	k.w.Advance(4 * time.Second)
	if len(k.started) != 1 {
		t.Error("it does not wait")
	}
	k.w.Until("a second process", func() bool { return len(k.started) == 2 })
	if got := k.status(id); !strings.HasPrefix(got, "C_RUNNING -1000") {
		t.Errorf("%s", got)
	}
	k.children[1].Exit(1)
	k.w.Advance(time.Second)
	k.stop(id) // while it waits
	if s := k.reported(id, yarn.ContainerState_C_COMPLETE); s.GetExitStatus() != -105 {
		t.Errorf("%s", text(s))
	}
	k.w.Advance(time.Minute)
	if len(k.started) != 2 {
		t.Errorf("%d processes", len(k.started))
	}
}

// Spec 2.8: a container that comes after its application's end is killed with -107, and gets no process.
func TestALateContainerIsKilled(t *testing.T) {
	k := newKit(t)
	f := &fakes{}
	k.join(Config{Containers: dirs{f}}, nil)
	k.running(1, nil)
	f.wait = 10 * time.Second // to remove the application's directories
	k.next(func(r *yarn.NodeHeartbeatResponse) { r.ApplicationsToCleanup = []*yarn.ApplicationId{app1.Proto()} })
	late := k.run(2, nil)
	if s := k.reported(late, yarn.ContainerState_C_COMPLETE); text(s) != "C_COMPLETE -107 Container killed on application-finish event: Application killed by ResourceManager|" {
		t.Errorf("%s", text(s))
	}
	k.w.Advance(time.Minute)
	if len(k.started) != 1 {
		t.Errorf("%d processes", len(k.started))
	}
}

// A container that comes too late does not count among those that the application's directories wait for.
func TestDirectoriesWaitForTheContainersThatCameInTime(t *testing.T) {
	k := newKit(t)
	f := &fakes{wait: 10 * time.Second}
	k.join(Config{Containers: dirs{f}}, nil)
	k.run(1, nil) // its directories are being made
	k.next(func(r *yarn.NodeHeartbeatResponse) { r.ApplicationsToCleanup = []*yarn.ApplicationId{app1.Proto()} })
	late := k.run(2, nil)
	k.reported(late, yarn.ContainerState_C_COMPLETE)
	gone := "remove application ann " + app1.String()
	if f.count(gone) != 0 {
		t.Errorf("they are removed under a container: %q", f.log)
	}
	k.w.Advance(11 * time.Second)
	if f.count(gone) != 1 {
		t.Errorf("%q", f.log)
	}
}

// What is left of a container may stay for somebody to look at.
func TestRemovalCanWait(t *testing.T) {
	k := newKit(t)
	f := &fakes{}
	k.join(Config{Containers: dirs{f}}, map[string]string{"yarn.nodemanager.delete.debug-delay-sec": "100"})
	id := k.running(1, nil)
	k.children[0].Exit(0)
	at := k.w.Now()
	k.reported(id, yarn.ContainerState_C_COMPLETE)
	if took := k.w.Now().Sub(at).Truncate(10 * time.Millisecond); took != 0 {
		t.Errorf("its end waits %s for that", took)
	}
	gone := "remove container /w/" + id.String()
	k.w.Advance(99 * time.Second)
	if f.count(gone) != 0 {
		t.Error("it is removed early")
	}
	k.w.Advance(time.Second)
	if f.count(gone) != 1 {
		t.Errorf("%q", f.log)
	}

	k = newKit(t)
	f = &fakes{}
	k.join(Config{Containers: dirs{f}}, map[string]string{"yarn.nodemanager.delete.debug-delay-sec": "-1"})
	id = k.running(1, nil)
	k.children[0].Exit(0)
	k.reported(id, yarn.ContainerState_C_COMPLETE)
	k.w.Advance(10 * time.Minute)
	if f.count(gone) != 0 {
		t.Error("it is removed though it is to stay")
	}
}
