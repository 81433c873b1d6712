package node

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/coherer/coherer/actors/resourcemanager"
	"github.com/coherer/coherer/cluster/known"
	"github.com/coherer/coherer/rpcenv/conf"
)

func TestListsOfHosts(t *testing.T) {
	dir := t.TempDir()
	write := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	f := hostFiles{write("include", "n1 n2\n# n3\n\tn4 # old\n"), ""}
	include, exclude, err := f.Read(nil)
	if err != nil || !slices.Equal(include, []string{"n1", "n2", "n4"}) || exclude != nil {
		t.Errorf("%q, %q, %v", include, exclude, err)
	}
	f.exclude = filepath.Join(dir, "none")
	if _, _, err := f.Read(nil); err == nil || !strings.HasPrefix(err.Error(), "yarn.resourcemanager.nodes.exclude-path: open "+f.exclude) {
		t.Errorf("a file that is not there: %v", err)
	}
	f.include = f.exclude
	if _, _, err := f.Read(nil); err == nil || !strings.HasPrefix(err.Error(), "yarn.resourcemanager.nodes.include-path: open ") {
		t.Errorf("a file that is not there: %v", err)
	}
	if _, _, err := allocationFile(f.exclude).Read(nil); err == nil || !strings.HasPrefix(err.Error(), "yarn.scheduler.fair.allocation.file: open ") {
		t.Errorf("a file that is not there: %v", err)
	}
}

func TestAResourceManagerHasTheFilesOfItsSettings(t *testing.T) {
	dir := t.TempDir()
	c := func(pairs map[string]string) *conf.Conf {
		cf, err := conf.New(pairs, known.All())
		if err != nil {
			t.Fatal(err)
		}
		return cf
	}
	var cfg resourcemanager.Config
	if _, err := configure(&cfg, c(map[string]string{"yarn.resourcemanager.recovery.enabled": "true"})); err == nil ||
		!strings.Contains(err.Error(), "yarn.resourcemanager.fs.state-store.uri") {
		t.Errorf("no directory: %v", err)
	}
	closeStore, err := configure(&cfg, c(map[string]string{
		"yarn.resourcemanager.recovery.enabled": "true", "yarn.resourcemanager.fs.state-store.uri": filepath.Join(dir, "rm"),
		"yarn.scheduler.fair.allocation.file": filepath.Join(dir, "fair-scheduler.xml"), "yarn.resourcemanager.nodes.exclude-path": filepath.Join(dir, "x"),
	}))
	if err != nil {
		t.Fatal(err)
	}
	if cfg.Store == nil || cfg.Allocations == nil || cfg.Hosts == nil {
		t.Errorf("%+v", cfg)
	}
	again := cfg
	if _, err := configure(&again, c(map[string]string{
		"yarn.resourcemanager.recovery.enabled": "true", "yarn.resourcemanager.fs.state-store.uri": filepath.Join(dir, "rm"),
	})); err == nil || !strings.Contains(err.Error(), "another ResourceManager uses it") || !strings.Contains(err.Error(), "yarn.resourcemanager.fs.state-store.uri") {
		t.Errorf("a directory that another has: %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "rm", "application_1_0001"), []byte("what is this? who wrote it?"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, bad, err := cfg.Store.Load(nil)
	if err != nil || len(bad) != 1 || strings.Contains(bad[0].Error(), "Master ") ||
		!strings.Contains(bad[0].Error(), "rm/application_1_0001: it is no record") || !strings.Contains(bad[0].Error(), "start the ResourceManager again") {
		t.Errorf("a bad record: %q %v", bad, err)
	}
	if err := closeStore(); err != nil {
		t.Error(err)
	}
}
