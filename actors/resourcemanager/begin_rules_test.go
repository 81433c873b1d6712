package resourcemanager_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	logtest "github.com/sirupsen/logrus/hooks/test"

	"github.com/coherer/coherer/actors/hadoop/exceptions"
	"github.com/coherer/coherer/actors/resourcemanager"
	"github.com/coherer/coherer/actors/resourcemanager/tracker"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

// unread are lists of hosts that cannot be read.
type unread struct{}

func (unread) Read(*rpcenv.Blocking) (include, exclude []string, err error) {
	return nil, nil, errors.New("no disk")
}

// A ResourceManager that cannot read what it needs says what, and ends.
func TestAResourceManagerThatCannotReadEnds(t *testing.T) {
	for what, cfg := range map[string]resourcemanager.Config{
		"cannot begin: read the records: no disk":         {Store: &shelf{unread: errors.New("no disk")}},
		"cannot begin: read the allocation file: no disk": {Allocations: &file{fail: errors.New("no disk")}},
		"cannot begin: read the lists of hosts: no disk":  {Hosts: unread{}},
		"has no scheduler and ends: yarn.scheduler.fair.allocation.file=: allocation file, line 1: unexpected EOF: mend the file, or name another": {Allocations: &file{content: "<nonsense"}},
	} {
		k := kitWith(t, resourcemanager.Config{})
		k.Find("RM").Kill()
		cfg.Keys = k.cfg.Keys
		k.cfg, k.env = cfg, k.Env("RM", k.conf)
		log := logtest.NewLocal(k.env.Log().Logger)
		k.begin()
		k.Advance(time.Second)
		if k.Find("RM") != nil {
			t.Errorf("%s: it goes on", what)
		}
		told := ""
		for _, e := range log.AllEntries() {
			told += e.Message + "\n"
		}
		if !strings.Contains(told, "exit 1: the ResourceManager "+what+"\n") || strings.Contains(what, "cannot begin") && strings.Contains(told, "Transitioned") {
			t.Errorf("%s: it says\n%s", what, told)
		}
	}
}

// A ResourceManager that has nothing to read serves from its start on; one that has asks its clients to wait.
func TestWhoHasNothingToReadServesAtOnce(t *testing.T) {
	for _, is := range []struct {
		hosts tracker.Hosts
		want  error
	}{{nil, nil}, {&lists{}, exceptions.Retriable}} {
		k := kitWith(t, resourcemanager.Config{})
		k.Find("RM").Kill()
		k.cfg.Hosts, k.env = is.hosts, k.Env("RM", k.conf)
		first := k.ProbeIn(k.env, "First")
		if _, err := resourcemanager.Start(k.env, k.cfg); err != nil {
			t.Fatal(err)
		}
		if _, err := rpctest.Ask[*yarn.GetNewApplicationResponse](first, k.ref("ClientRMService"), &yarn.GetNewApplicationRequest{}); !errors.Is(err, is.want) || is.want == nil && err != nil {
			t.Errorf("with hosts %v: %v, want %v", is.hosts, err, is.want)
		}
		k.Settle()
	}
}

// An allocation file that has not changed since the beginning is not read again; in Hadoop neither is an older one in its place.
func TestAFileThatHasNotChangedIsNotReadAgain(t *testing.T) {
	again := func(modified time.Duration, settings ...string) bool {
		f := &file{content: `<allocations><queue name="a"/></allocations>`}
		k := kitWith(t, resourcemanager.Config{}, settings...)
		k.Find("RM").Kill()
		k.cfg.Allocations, k.env = f, k.Env("RM", k.conf)
		f.modified = k.Now().Add(-time.Hour)
		log := logtest.NewLocal(k.env.Log().Logger)
		k.begin()
		f.modified = f.modified.Add(modified)
		k.Advance(30 * time.Second)
		for _, e := range log.AllEntries() {
			if e.Message == "The allocation file was read again" {
				return true
			}
		}
		return false
	}
	if again(0) || !again(time.Minute) {
		t.Errorf("unchanged: read again is %t, changed: %t", again(0), again(time.Minute))
	}
	if !again(-time.Minute) || again(-time.Minute, "coherer.compat", "YARN-FAIR") {
		t.Errorf("an older file: read again is %t, in Hadoop %t", again(-time.Minute), again(-time.Minute, "coherer.compat", "YARN-FAIR"))
	}
}

// Keys are 32 bytes each, of their own; the error names all bad ones at once.
func TestKeysAreWhole(t *testing.T) {
	all := make([]byte, 96)
	for i := range all {
		all[i] = byte(i)
	}
	k, err := resourcemanager.NewKeys(bytes.NewReader(all))
	if err != nil || !bytes.Equal(k.Container, all[:32]) || !bytes.Equal(k.NM, all[32:64]) || !bytes.Equal(k.AMRM, all[64:]) || cap(k.Container) != 32 || cap(k.NM) != 32 {
		t.Errorf("%v, %v", k, err)
	}
	if _, err := resourcemanager.NewKeys(bytes.NewReader(all[:95])); err == nil || err.Error() != "make keys for tokens: unexpected EOF" {
		t.Error(err)
	}
	w := rpctest.New(t, 1)
	start := func(env *rpcenv.Env, k resourcemanager.Keys) error {
		_, err := resourcemanager.Start(env, resourcemanager.Config{Keys: k})
		return err
	}
	want := "start a ResourceManager: the key Container has 31 bytes, want 32: see NewKeys\nthe key AMRM has 0 bytes, want 32: see NewKeys"
	if err := start(w.Env("A", nil), resourcemanager.Keys{Container: all[:31], NM: all[:32]}); err == nil || err.Error() != want {
		t.Error(err)
	}
	c, err := conf.New(map[string]string{"yarn.scheduler.minimum-allocation-mb": "4096", "yarn.scheduler.maximum-allocation-mb": "2048"})
	if err != nil {
		t.Fatal(err)
	}
	if err := start(w.Env("B", c), k); err == nil || !strings.HasPrefix(err.Error(), "start a ResourceManager: ") || !strings.Contains(err.Error(), "maximum-allocation-mb is 2048") {
		t.Error(err)
	}
	env := w.Env("C", nil)
	if err := start(env, k); err != nil {
		t.Error(err)
	}
	if err := start(env, k); err == nil || !strings.HasPrefix(err.Error(), "start a ResourceManager: ") {
		t.Errorf("a second one in the same Env: %v", err)
	}
}
