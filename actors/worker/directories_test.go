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
	prepared []Preparation
	removed  []string
	inUse    [][]string
	since    time.Time
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
	return errors.New("told in the log only")
}

func (f *folders) CleanUp(_ *rpcenv.Blocking, inUse []string, since time.Time) ([]string, error) {
	f.inUse, f.since = append(f.inUse, inUse), since
	return []string{"app-old"}, errors.New("told in the log only")
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
	k.master.Send(k.worker, &deploy.ApplicationFinished{Id: appID})
	k.w.Advance(time.Minute)
	if !slices.Equal(dirs.removed, []string{appID}) {
		t.Errorf("removed %v, want %s once", dirs.removed, appID)
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
	k := newKit(t)
	dirs := &folders{}
	k.join(Config{Directories: dirs}, map[string]string{"spark.worker.cleanup.interval": "100", "spark.worker.cleanup.appDataTtl": "7"})
	k.run(0)
	k.run(1)
	k.master.Send(k.worker, k.registered(true, 0)) // a second registration begins no second timer
	k.w.Advance(350 * time.Second)
	if got := fmt.Sprint(dirs.inUse); got != fmt.Sprintf("[[%[1]s] [%[1]s] [%[1]s]]", appID) {
		t.Errorf("cleaned up %s", got)
	}
	if age := k.w.Now().Sub(dirs.since); age < 7*time.Second || age > 108*time.Second {
		t.Errorf("what is older than %s", age)
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
