package nodemanager

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/nodemanager/machine"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/trace"
)

// states are what the trace says of the applications and containers of a node.
func (k *kit) states() string {
	var out strings.Builder
	for _, e := range k.w.Trace().Entries {
		if e.K == trace.KindState && e.At == "NM1/"+Name {
			fmt.Fprintf(&out, "%s %s: %s -> %s by %s\n", e.Name, e.Subject, e.Was, e.Is, e.Why)
		}
	}
	return out.String()
}

// The trace shows each new state of an application and of a container, with the event that led there; the log the same in
// Hadoop's words, and of resources too.
func TestEachNewStateIsTold(t *testing.T) {
	k := newKit(t)
	f := &fakes{}
	k.join(Config{Localizer: f, Containers: dirs{f}}, nil)
	id := k.running(1, withResources(resourceOf("a", "/a", yarn.LocalResourceVisibility_PUBLIC)))
	k.w.Settle()
	k.children[0].Exit(0)
	k.reported(id, yarn.ContainerState_C_COMPLETE)
	k.next(func(r *yarn.NodeHeartbeatResponse) { r.ApplicationsToCleanup = []*yarn.ApplicationId{app1.Proto()} })
	k.w.Advance(100 * time.Millisecond)
	names := strings.NewReplacer("<app>", app1.String(), "<container>", id.String())
	if got, want := k.states(), names.Replace(`container <container>:  -> NEW by StartContainers
application <app>:  -> NEW by StartContainers
application <app>: NEW -> INITING by INIT_APPLICATION
application <app>: INITING -> RUNNING by APPLICATION_INITED
container <container>: NEW -> LOCALIZING by INIT_CONTAINER
container <container>: LOCALIZING -> SCHEDULED by RESOURCE_LOCALIZED
container <container>: SCHEDULED -> RUNNING by CONTAINER_LAUNCHED
container <container>: RUNNING -> EXITED_WITH_SUCCESS by CONTAINER_EXITED_WITH_SUCCESS
container <container>: EXITED_WITH_SUCCESS -> DONE by CONTAINER_RESOURCES_CLEANEDUP
application <app>: RUNNING -> APPLICATION_RESOURCES_CLEANINGUP by FINISH_APPLICATION
application <app>: APPLICATION_RESOURCES_CLEANINGUP -> FINISHED by APPLICATION_RESOURCES_CLEANEDUP
`); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if got, want := strings.Join(k.lines(" transitioned "), "\n"), names.Replace(`info Application <app> transitioned from NEW to INITING
info Application <app> transitioned from INITING to RUNNING
info Container <container> transitioned from NEW to LOCALIZING
info Resource file:///a(->) transitioned from INIT to DOWNLOADING
info Resource file:///a(->/cache/a) transitioned from DOWNLOADING to LOCALIZED
info Container <container> transitioned from LOCALIZING to SCHEDULED
info Container <container> transitioned from SCHEDULED to RUNNING
info Container <container> transitioned from RUNNING to EXITED_WITH_SUCCESS
info Container <container> transitioned from EXITED_WITH_SUCCESS to DONE
info Application <app> transitioned from RUNNING to APPLICATION_RESOURCES_CLEANINGUP
info Application <app> transitioned from APPLICATION_RESOURCES_CLEANINGUP to FINISHED`); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// within is what a test does in the NodeManager's own inbox.
type within struct {
	rpcenv.Local
	do func(c *rpcenv.Context)
}

// opened is a NodeManager that a test gets into.
type opened struct{ *ContainerManager }

func (n opened) Receive(c *rpcenv.Context, m rpcenv.Message) {
	if w, ok := m.(within); ok {
		w.do(c)
		return
	}
	n.ContainerManager.Receive(c, m)
}

// An event that a machine has no place for is logged, and changes nothing.
func TestAnEventOutOfPlaceChangesNothing(t *testing.T) {
	k := newKit(t)
	n := opened{New(k.whole(Config{}))}
	k.boot(n, nil)
	k.w.Until("a heartbeat", func() bool { return len(k.beats) > 0 })
	id := k.running(1, withResources(resourceOf("a", "/a", yarn.LocalResourceVisibility_PUBLIC)))
	k.w.Settle()
	before := k.states()
	k.w.ProbeIn(k.env, "Test").Send(k.nm, within{do: func(c *rpcenv.Context) {
		n.applicationEvent(c, n.books.apps[0], machine.ApplicationResourcesCleanedUp)
		n.containerEvent(c, n.books.containers[0], machine.ContainerEvent{Kind: machine.InitContainer, Diagnostics: "x"})
		n.resourceEvent(c, n.cache.resources[0], machine.ResourceEvent{Kind: machine.ResourceCame, Path: "/elsewhere"})
	}})
	k.w.Settle()
	want := []string{
		"error Can't handle this event at current state: application " + app1.String() + ": invalid event APPLICATION_RESOURCES_CLEANEDUP at RUNNING: the application stays as it is",
		"error Can't handle this event at current state: container " + id.String() + ": invalid event INIT_CONTAINER at RUNNING: the container stays as it is",
		"error Can't handle this event at current state: resource file:///a: invalid event LOCALIZED at LOCALIZED: the localized resource stays as it is",
	}
	if got := k.lines("Can't handle"); !slices.Equal(got, want) {
		t.Errorf("%s", strings.Join(got, "\n"))
	}
	k.said.Reset()
	if got := k.status(id); k.states() != before || got != "C_RUNNING -1000" || n.cache.resources[0].Path != "file:///a" {
		t.Errorf("%s, %s, %s", k.states(), got, n.cache.resources[0].Path)
	}
}

// A node without a disk and without a machine has nothing to do now and then but its heartbeats.
func TestWhatANodeDoesNowAndThen(t *testing.T) {
	for name, tt := range map[string]struct {
		cfg      Config
		settings map[string]string
		want     string
	}{
		"nothing but heartbeats": {Config{}, nil, "Heartbeat"},
		"the cache":              {Config{Localizer: &fakes{}}, nil, "CleanUpCache Heartbeat"},
		"the disks":              {Config{Machine: &fakes{}}, nil, "CheckDisks Heartbeat"},
		"a script":               {Config{Machine: &fakes{}}, map[string]string{"yarn.nodemanager.health-checker.script.path": "/check"}, "CheckDisks Heartbeat RunHealthScript"},
		"no checks of memory": {Config{Machine: &fakes{}}, map[string]string{
			"yarn.nodemanager.resource.memory.enforced": "false", "yarn.nodemanager.pmem-check-enabled": "false", "yarn.nodemanager.vmem-check-enabled": "false",
		}, "CheckDisks Heartbeat"},
		"memory": {Config{Machine: &fakes{}}, map[string]string{"yarn.nodemanager.resource.memory.enforced": "false"}, "CheckDisks Heartbeat MonitorContainers"},
	} {
		k := newKit(t)
		k.period = time.Minute
		k.join(tt.cfg, tt.settings)
		k.w.Advance(time.Hour)
		var got []string
		for _, e := range k.w.Trace().Entries {
			if tick, ok := strings.CutPrefix(e.Name, "timer "); ok && e.At == "NM1/"+Name && !slices.Contains(got, tick) {
				got = append(got, tick)
			}
		}
		slices.Sort(got)
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// A node that is stopped leaves no process behind, whatever its containers wait for.
func TestAStoppedNodeManagerLeavesNoProcess(t *testing.T) {
	k := newKit(t)
	f := &fakes{wait: time.Second}
	k.join(Config{Localizer: f}, nil)
	k.running(1, nil)
	k.run(2, withResources(resourceOf("a", "/a", yarn.LocalResourceVisibility_PUBLIC)))
	k.env.Stop(Name)
	k.w.Settle()
	if code, ended := k.children[0].Exited(); !ended || code != 137 {
		t.Errorf("ended %t with code %d", ended, code)
	}
	if k.farewells != 0 {
		t.Error("it said good-bye")
	}
}
