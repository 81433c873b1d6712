package worker

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/rpcenv"
)

// folders is a Directories that remembers. What it does takes a second.
type folders struct {
	log      error // what Remove and CleanUp fail with
	prepared []Preparation
	removed  []string
	inUse    []string
	ages     []time.Duration
	err      error // what Prepare fails with
}

func (f *folders) Prepare(b *rpcenv.Blocking, x Preparation) (Prepared, error) {
	if err := b.Sleep(time.Second); err != nil {
		return Prepared{}, err
	}
	f.prepared = append(f.prepared, x)
	made := Prepared{LocalDirs: []string{"/a/" + x.App, "/b/" + x.App}}
	if len(x.Resources) > 0 {
		made.ResourcesFile = x.Dir + "/resources.json"
	}
	return made, f.err
}

func (f *folders) Remove(b *rpcenv.Blocking, app string) error {
	if err := b.Sleep(time.Second); err != nil {
		return err
	}
	f.removed = append(f.removed, app)
	return f.log
}

func (f *folders) CleanUp(b *rpcenv.Blocking, inUse []string, since time.Time) ([]string, error) {
	f.inUse, f.ages = append(f.inUse, strings.ReplaceAll(fmt.Sprint(inUse), appID, "$app")), append(f.ages, b.Now().Sub(since))
	return []string{"app-old", "driver-old"}, f.log
}

func TestDirectoriesGoWhenTheApplicationEndedAndItsExecutorsToo(t *testing.T) {
	k := newKit(t)
	dirs := &folders{}
	k.join(Config{Directories: dirs}, nil)
	k.master.Send(k.worker, &deploy.ApplicationFinished{Id: "app-without-executors"})
	k.run(0)
	k.run(1)
	k.children[0].Exit(0)
	k.master.Send(k.worker, &deploy.ApplicationFinished{Id: appID})
	k.w.Advance(time.Minute)
	if len(dirs.removed) != 0 {
		t.Fatalf("removed %v while an executor runs", dirs.removed)
	}
	k.children[1].Exit(0)
	k.w.Advance(time.Minute)
	if !slices.Equal(dirs.removed, []string{appID}) {
		t.Errorf("removed %v, want %s", dirs.removed, appID)
	}
	k.master.Send(k.worker, &deploy.ApplicationFinished{Id: appID})
	k.w.Advance(time.Minute)
	if !slices.Equal(dirs.removed, []string{appID}) {
		t.Errorf("removed %v, want %s once", dirs.removed, appID)
	}
	if got := k.lines("Clean up"); got != nil {
		t.Errorf("logged %q", got)
	}
}

func TestWhatCannotBeRemovedIsLogged(t *testing.T) {
	k := newKit(t)
	dirs := &folders{log: errors.New("busy")}
	k.join(Config{Directories: dirs}, map[string]string{"spark.worker.cleanup.interval": "100"})
	k.run(0)
	k.children[0].Exit(0)
	k.master.Send(k.worker, &deploy.ApplicationFinished{Id: appID})
	k.w.Advance(150 * time.Second)
	if got := append(k.lines("Clean up"), k.lines("App dir")...); !slices.Equal(got, []string{"Clean up app directory $app failed", "App dir cleanup failed"}) {
		t.Errorf("logged %q", got)
	}
}

// A Worker without Directories has nothing to remove.
func TestWithoutDirectoriesNothingIsRemoved(t *testing.T) {
	k := newKit(t)
	k.join(Config{}, map[string]string{"spark.worker.cleanup.interval": "1"})
	k.run(0)
	k.children[0].Exit(0)
	k.master.Send(k.worker, &deploy.ApplicationFinished{Id: appID})
	k.w.Advance(time.Minute)
	if got := append(k.lines("Cleaning up"), k.lines("Worker cleanup")...); got != nil {
		t.Errorf("logged %q", got)
	}
}

// A late executor of an application that has ended does not bring it back.
func TestAnApplicationThatEndedStaysEnded(t *testing.T) {
	b := newBooks(5, 5)
	first, late := &executor{key: key{"a", 0}}, &executor{key: key{"a", 1}}
	b.add(first)
	b.finishApp("a")
	b.add(late)
	b.end(first)
	if b.forgetApp("a") {
		t.Error("forgotten while an executor lives")
	}
	b.end(late)
	if !b.forgetApp("a") || b.forgetApp("a") {
		t.Error("not forgotten once")
	}
}

func TestAnExecutorGetsItsDirectoriesAndResources(t *testing.T) {
	k := newKit(t)
	dirs := &folders{}
	k.join(Config{Directories: dirs, WorkDir: "/work", Resources: []*deploy.ResourceInformation{{Name: "gpu", Addresses: []string{"0", "1"}}}}, nil)
	m := k.launch(7)
	m.Resources = []*deploy.ResourceInformation{{Name: "gpu", Addresses: []string{"1"}}}
	k.master.Send(k.worker, m)
	k.untilReports(1)
	if p := dirs.prepared[0]; p.App != appID || p.Dir != "/work/"+appID+"/7" || len(p.Resources) != 1 {
		t.Errorf("prepared %+v", p)
	}
	cmd := k.started[0]
	if want := "SPARK_EXECUTOR_DIRS=/a/" + appID + ":/b/" + appID; !slices.Contains(cmd.Env, want) {
		t.Errorf("environment %q, want %s", cmd.Env, want)
	}
	if got := strings.Join(cmd.Args, " "); got != "--resourcesFile /work/"+appID+"/7/resources.json" {
		t.Errorf("arguments %q", got)
	}
}

func TestWithoutADirectoryAnExecutorFails(t *testing.T) {
	k := newKit(t)
	k.join(Config{Directories: &folders{err: errors.New("No subfolder can be created in /a")}}, nil)
	k.master.Send(k.worker, k.launch(0))
	k.untilReports(1)
	if got := k.last(); got != "FAILED No subfolder can be created in /a" {
		t.Errorf("reported %q", got)
	}
	if s := k.state(); len(s.Executors) != 0 || s.CoresUsed != 0 || len(k.started) != 0 {
		t.Errorf("state %v, started %v", s, k.started)
	}
}

func TestAnExecutorThatIsKilledBeforeItHasAProcessGetsNone(t *testing.T) {
	k := newKit(t)
	k.join(Config{Directories: &folders{}}, nil)
	k.master.Send(k.worker, k.launch(0))
	k.master.Send(k.worker, k.kill(0))
	k.untilReports(1)
	k.w.Advance(time.Minute)
	if got := k.last(); got != "KILLED Runner thread for executor $app/0 interrupted" || len(k.started) != 0 || len(k.reports) != 1 {
		t.Errorf("reported %q, started %v", got, k.started)
	}
}

// Spark: each spark.worker.cleanup.interval, directories of applications without an executor that no file newer than
// appDataTtl lies in.
func TestOldDirectoriesAreCleanedUpOnceAnInterval(t *testing.T) {
	dirs := &folders{}
	k := newDriverKit(t, Config{Directories: dirs}, map[string]string{"spark.worker.cleanup.interval": "100", "spark.worker.cleanup.appDataTtl": "7"})
	k.kit.run(0)
	k.kit.run(1)
	driver := k.run(true)
	k.master.Send(k.worker, k.registered(true, 0)) // a second registration begins no second timer
	k.w.Advance(150 * time.Second)
	driver.Exit(0)
	k.w.Advance(100 * time.Second)
	k.children[0].Exit(0)
	k.children[1].Exit(0)
	k.w.Advance(100 * time.Second)
	if want := []string{"[$app " + driverID + "]", "[$app]", "[]"}; !slices.Equal(dirs.inUse, want) {
		t.Errorf("in use %s, want %s", dirs.inUse, want)
	}
	for _, age := range dirs.ages {
		if age != 7*time.Second {
			t.Errorf("what is older than %s went, want 7 s", age)
		}
	}
	gone := []string{"Removed directory: app-old", "Removed directory: driver-old"}
	if got := k.lines("Removed"); !slices.Equal(got, slices.Concat(gone, gone, gone)) {
		t.Errorf("logged %q", got)
	}
	if got := k.lines("App dir"); got != nil {
		t.Errorf("logged %q", got)
	}
}

// A supervised driver that waits for its next process, or whose program is fetched, writes nothing meanwhile; its directory
// is its own all the same.
func TestADriverThatDoesNotRunYetKeepsItsDirectory(t *testing.T) {
	dirs := &folders{}
	settings := map[string]string{"spark.worker.cleanup.interval": "10"}
	k := newDriverKit(t, Config{Directories: dirs, Programs: slowPrograms{takes: 15 * time.Second}}, settings)
	k.master.Send(k.worker, order(true))
	k.w.Advance(16 * time.Second)
	k.child().Exit(1)
	k.w.Advance(500 * time.Millisecond)
	k.w.ProbeIn(k.env, "Clock").Send(k.worker, WorkDirCleanup{})
	k.w.Settle()
	if want := []string{"[" + driverID + "]", "[" + driverID + "]"}; !slices.Equal(dirs.inUse, want) || len(k.children) != 1 {
		t.Errorf("in use %s, want %s; %d processes", dirs.inUse, want, len(k.children))
	}
}

func TestNothingIsCleanedUpWhenThatIsOff(t *testing.T) {
	k := newKit(t)
	dirs := &folders{}
	k.join(Config{Directories: dirs}, map[string]string{"spark.worker.cleanup.enabled": "false", "spark.worker.cleanup.interval": "1"})
	k.w.Advance(time.Minute)
	if len(dirs.inUse) != 0 {
		t.Errorf("cleaned up %v", dirs.inUse)
	}
}
