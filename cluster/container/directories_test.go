package container

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/coherer/coherer/actors/nodemanager"
	"github.com/coherer/coherer/actors/nodemanager/launch"
)

const (
	app = "application_1_0001"
	id  = "container_1_0001_01_000001"
)

func newDisks(t *testing.T, n int) *Disks {
	t.Helper()
	var local, logs []string
	for range n {
		local, logs = append(local, filepath.Join(t.TempDir(), "local")), append(logs, filepath.Join(t.TempDir(), "logs"))
	}
	d, err := NewDisks(local, logs, DiskLimits{MostUsed: 100, LeastGood: 0.25})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

func getenv(name string) (string, bool) {
	v, ok := map[string]string{"PATH": "/bin", "bad name": "x"}[name]
	return v, ok
}

// Spec 6.7: a container's directories, and the mode of its credentials.
func TestDirectoriesOfAContainer(t *testing.T) {
	disks := newDisks(t, 2)
	d := NewDirectories(disks, []string{"PATH", "JAVA_HOME", "bad name"}, getenv)
	c, err := d.Prepare(nil, launch.Container{User: "ann", App: app, ID: id, Tokens: []byte("secret"), Command: []string{"true"}})
	if err != nil {
		t.Fatal(err)
	}
	rel, err := filepath.Rel(disks.local[0], c.Dir)
	if err != nil || strings.HasPrefix(rel, "..") {
		rel, _ = filepath.Rel(disks.local[1], c.Dir)
	}
	if want := "usercache/ann/appcache/" + app + "/" + id; rel != want {
		t.Errorf("%s, want %s", rel, want)
	}
	if len(c.LocalDirs) != 2 || len(c.LogDirs) != 2 || !slices.Contains(c.LogDirs, c.LogDir) || !slices.Contains(c.LocalDirs, filepath.Dir(c.Dir)) {
		t.Errorf("%+v", c)
	}
	if !slices.Equal(c.Inherited, []launch.Variable{{Name: "PATH", Value: "/bin"}}) {
		t.Errorf("%v", c.Inherited)
	}
	for name, mode := range map[string]os.FileMode{launch.TokenFile: 0o600, launch.ScriptFile: 0o700, "tmp": 0o710 | os.ModeDir} {
		info, err := os.Stat(filepath.Join(c.Dir, name))
		if err != nil || info.Mode() != mode {
			t.Errorf("%s: %v %v", name, info, err)
		}
	}
	if again, err := d.Prepare(nil, c); err != nil || again.Dir != c.Dir || len(again.LocalDirs) != 2 {
		t.Errorf("a second start: %+v %v", again, err)
	}
	if err := d.Remove(nil, c); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(c.Dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the work directory stays: %v", err)
	}
	if _, err := os.Stat(c.LogDir); err != nil {
		t.Errorf("the logs go: %v", err)
	}
	if err := d.RemoveApplication(nil, "ann", app); err != nil {
		t.Error(err)
	}
	for _, dir := range c.LocalDirs {
		if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s stays: %v", dir, err)
		}
	}
}

func TestOutputIsTheEnd(t *testing.T) {
	d := NewDirectories(newDisks(t, 1), nil, getenv)
	c := launch.Container{LogDir: t.TempDir()}
	if got := d.Output(nil, c); got != "Error file: prelaunch.err.\nLast 4096 bytes of prelaunch.err :\n\n" {
		t.Errorf("%q", got)
	}
	text := strings.Repeat("x", 5000) + "the end\xff"
	if err := os.WriteFile(filepath.Join(c.LogDir, "stderr"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := d.Output(nil, c); !strings.HasSuffix(got, "Last 4096 bytes of stderr :\n"+strings.Repeat("x", 4096-8)+"the end?\n") {
		t.Errorf("%q", got[:100])
	}
}

func TestNamesThatAreNotPlainAreRefused(t *testing.T) {
	d := NewDirectories(newDisks(t, 1), nil, getenv)
	for _, c := range []launch.Container{
		{User: "..", App: app, ID: id}, {User: "ann", App: "a/b", ID: id}, {User: "ann", App: app, ID: ""},
	} {
		if _, err := d.Prepare(nil, c); err == nil {
			t.Errorf("%+v", c)
		}
	}
	if d.Remove(nil, launch.Container{ID: id, Dir: "/"}) == nil || d.RemoveApplication(nil, "..", app) == nil {
		t.Error("something else would be removed")
	}
}

// A directory that cannot be used is reported, and not used; without any the container fails with Hadoop's words.
func TestBadDisks(t *testing.T) {
	disks := newDisks(t, 2)
	d := NewDirectories(disks, nil, getenv)
	breakDir(t, disks.local[0])
	report, healthy := disks.Check()
	if !healthy || !strings.HasPrefix(report, "1/2 local-dirs are bad: "+disks.local[0]+" : ") {
		t.Errorf("%s %t", report, healthy)
	}
	c, err := d.Prepare(nil, launch.Container{User: "ann", App: app, ID: id, Command: []string{"true"}})
	if err != nil || len(c.LocalDirs) != 1 || !strings.HasPrefix(c.Dir, disks.local[1]) {
		t.Errorf("%+v %v", c, err)
	}
	breakDir(t, disks.local[1])
	if report, healthy := disks.Check(); healthy {
		t.Errorf("%s", report)
	}
	if _, err := d.Prepare(nil, launch.Container{User: "ann", App: app, ID: id}); !errors.Is(err, nodemanager.ErrDisksFailed) {
		t.Errorf("%v", err)
	}
}

// breakDir makes a file of a directory.
func breakDir(t *testing.T, dir string) {
	t.Helper()
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(dir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Remove(dir) }) // before the Disks are closed
}

func TestAFullDiskIsNotUsed(t *testing.T) {
	disks := newDisks(t, 1)
	disks.mostUsed = 0
	if report, healthy := disks.Check(); healthy || !strings.Contains(report, "used space above threshold of 0.0%") {
		t.Errorf("%s %t", report, healthy)
	}
}

func TestDirectoriesThatCannotBeUsedAreAnErrorThatHelps(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := NewDisks([]string{file}, []string{t.TempDir()}, DiskLimits{MostUsed: 100}); err == nil || !strings.Contains(err.Error(), "yarn.nodemanager.local-dirs") {
		t.Errorf("%v", err)
	}
	disks := newDisks(t, 1)
	if _, err := NewDisks(disks.local, disks.logs, DiskLimits{MostUsed: 100}); err == nil || !strings.Contains(err.Error(), "another NodeManager") {
		t.Errorf("%v", err)
	}
	if _, err := NewDisks(nil, nil, DiskLimits{MostUsed: 100}); err == nil {
		t.Error("no directories are enough")
	}
}

// What an earlier NodeManager left goes; other files stay.
func TestLeftoversGo(t *testing.T) {
	local := t.TempDir()
	for _, name := range []string{"usercache/ann/x", "filecache/10/y", "mine/z"} {
		if err := os.MkdirAll(filepath.Join(local, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(filepath.Join(local, "usercache/ann"), 0o500); err != nil {
		t.Fatal(err)
	}
	d, err := NewDisks([]string{local}, []string{t.TempDir()}, DiskLimits{MostUsed: 100})
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	entries, err := os.ReadDir(local)
	if err != nil || len(entries) != 2 || entries[0].Name() != lockFile || entries[1].Name() != "mine" {
		t.Errorf("%v %v", entries, err)
	}
}
