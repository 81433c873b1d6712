package main

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/messages/yarn"
)

func TestStatusOfYARN(t *testing.T) {
	t.Parallel()
	_, rm := daemon(t, append([]string{"resourcemanager", "--port", "0"}, quick...)...)
	at := rm.URL
	if !strings.HasPrefix(at, "yarn://127.0.0.1:") {
		t.Errorf("a ResourceManager is at %s", at)
	}
	r := here(t, "status", "--master", at)
	if r.code != 0 || !strings.Contains(r.stdout, "fairScheduler") || !strings.Contains(r.stdout, "its pages are at "+rm.UI) || !strings.Contains(r.stdout, "0 of 0 nodes active") {
		t.Errorf("%d %s %s", r.code, r.stdout, r.stderr)
	}
	var told struct {
		State struct{ Scheduler, WebUIURL string }
	}
	r = here(t, "status", "--master", at, "-o", "json")
	if err := json.Unmarshal([]byte(r.stdout), &told); err != nil || told.State.Scheduler != "fairScheduler" || told.State.WebUIURL != rm.UI {
		t.Errorf("%v %s", err, r.stdout)
	}
	r = here(t, "status", "--master", "spark://"+strings.TrimPrefix(at, "yarn://"))
	if r.code != exitFailed || !strings.Contains(r.stderr, "it is a ResourceManager: name it "+at) {
		t.Errorf("%d %s", r.code, r.stderr)
	}
	r = here(t, "top", at, "--once")
	if r.code != 0 || !strings.Contains(r.stdout, "ClientRMService") {
		t.Errorf("%d %s %s", r.code, r.stdout, r.stderr)
	}
	r = here(t, "why", "container", "container_1_0001_01_000001", "--master", at)
	if r.code != exitFailed || !strings.Contains(r.stderr, "Container with id 'container_1_0001_01_000001' doesn't exist in RM") {
		t.Errorf("%d %s", r.code, r.stderr)
	}
}

func TestWhatIsSaidOfAContainer(t *testing.T) {
	id := ids.Container{Attempt: ids.Attempt{App: ids.Application{Timestamp: 1, ID: 1}, Attempt: 1}, Seq: 2}
	size := &yarn.Resource{Memory: 2048, VirtualCores: 1}
	for _, tt := range []struct {
		place *yarn.ContainerPlace
		says  []string
	}{
		{&yarn.ContainerPlace{State: "RESERVED", NodeId: &yarn.NodeId{Host: "n", Port: 1}, Resource: size, Lacks: size}, []string{" is RESERVED at n:1, with 2048 MiB, 1 virtual cores", "has not 2048 MiB"}},
		{&yarn.ContainerPlace{State: "RUNNING", PreemptedFor: "application_1_0002", PreemptedIn: 1500, ApplicationMaster: true}, []string{"for application_1_0002, in 1.5s", "ApplicationMaster"}},
		{&yarn.ContainerPlace{State: "COMPLETED", Failure: &yarn.ContainerFailure{ExitStatus: 143, TimeMs: time.Now().UnixMilli(), Diagnostics: "killed"}}, []string{"failed: exit 143", "killed"}},
	} {
		got := containerText(id, tt.place)
		for _, want := range tt.says {
			if !strings.Contains(got, want) {
				t.Errorf("no %q in %s", want, got)
			}
		}
	}
}
