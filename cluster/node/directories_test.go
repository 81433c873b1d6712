package node

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sirupsen/logrus"

	"github.com/coherer/coherer/actors/worker"
	"github.com/coherer/coherer/messages/deploy"
)

func quiet() *logrus.Entry {
	log := logrus.New()
	log.SetOutput(io.Discard)
	return logrus.NewEntry(log)
}

func prepared(t *testing.T, d *directories, app, id string) worker.Prepared {
	t.Helper()
	made, err := d.Prepare(nil, worker.Preparation{App: app, Dir: filepath.Join(d.work, app, id)})
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func touch(t *testing.T, paths ...string) {
	t.Helper()
	for _, path := range paths {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func there(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

func TestWhatAnApplicationSaidStaysWhatItHadGoes(t *testing.T) {
	work := t.TempDir()
	d := newDirectories(work, nil, quiet())
	local := prepared(t, d, "app-1", "0").LocalDirs
	if len(local) != 1 || !strings.HasPrefix(local[0], work) {
		t.Errorf("local directories %v, want one below %s", local, work)
	}
	for _, name := range []string{"0/stdout", "0/stderr", "0/stderr--2026-01-01", "0/resource.json", "program", "blocks/x/blocks_1.data"} {
		touch(t, filepath.Join(work, "app-1", name))
	}
	if err := errors.Join(d.Remove(nil, "app-1"), d.Remove(nil, "app-1"), d.Remove(nil, "never-there")); err != nil {
		t.Fatal(err)
	}
	for name, stays := range map[string]bool{
		"0/stdout": true, "0/stderr": true, "0/stderr--2026-01-01": true, "0/resource.json": false, "program": false, "blocks": false,
	} {
		if there(filepath.Join(work, "app-1", name)) != stays {
			t.Errorf("%s: stays %v, want %v", name, !stays, stays)
		}
	}
}

// Spark: one subdirectory per root, mode 700; a root that cannot be used is left out, all of them is an error.
func TestLocalDirectoriesLieInTheRootsThatCanBeUsed(t *testing.T) {
	a, b := filepath.Join(t.TempDir(), "made", "a"), t.TempDir()
	file := filepath.Join(t.TempDir(), "file")
	touch(t, file)
	d := newDirectories(t.TempDir(), []string{a, file, b}, quiet())
	first, second := prepared(t, d, "app-1", "0").LocalDirs, prepared(t, d, "app-1", "1").LocalDirs
	if len(first) != 2 || !slices.Equal(first, second) || !strings.HasPrefix(first[0], a) || !strings.HasPrefix(first[1], b) {
		t.Errorf("%v, then %v", first, second)
	}
	for _, dir := range append(first, filepath.Dir(first[0])) {
		if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%s: %v %v", dir, info.Mode(), err)
		}
	}
	other := prepared(t, d, "app-2", "0").LocalDirs
	touch(t, filepath.Join(first[0], "block"))
	if err := d.Remove(nil, "app-1"); err != nil {
		t.Fatal(err)
	}
	if there(first[0]) || there(first[1]) || !there(other[0]) {
		t.Error("the end of one application removes what is its own")
	}
	if err := d.close(); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(a); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

func TestWithoutAnyLocalDirectoryTheErrorSaysWhatToDo(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	touch(t, file)
	d := newDirectories(t.TempDir(), []string{file, filepath.Join(file, "x")}, quiet())
	_, err := d.Prepare(nil, worker.Preparation{App: "app", Dir: filepath.Join(d.work, "app", "0")})
	if err == nil || !strings.HasPrefix(err.Error(), "No subfolder can be created in "+file+",") || !strings.Contains(err.Error(), "spark.local.dir") {
		t.Error(err)
	}
}

func TestAnExecutorsResourcesAreInAFile(t *testing.T) {
	d := newDirectories(t.TempDir(), nil, quiet())
	made, err := d.Prepare(nil, worker.Preparation{
		App: "app", Dir: filepath.Join(d.work, "app", "0"), Resources: []*deploy.ResourceInformation{{Name: "gpu", Addresses: []string{"1"}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(made.ResourcesFile)
	if want := `[{"id":{"componentName":"spark.executor","resourceName":"gpu"},"addresses":["1"]}]`; err != nil || string(text) != want {
		t.Errorf("%s %v", text, err)
	}
}

// Spark removes every old directory; here only those that executors or drivers wrote to.
func TestOnlyOldDirectoriesOfApplicationsAreCleanedUp(t *testing.T) {
	work, elsewhere := t.TempDir(), t.TempDir()
	touch(t,
		filepath.Join(work, "app-old", "0", "stdout"), filepath.Join(work, "driver-old", "stdout"),
		filepath.Join(work, "app-live", "0", "stdout"), filepath.Join(work, "app-new", "0", "stdout"), filepath.Join(work, "app-new", "0", "log"),
		filepath.Join(work, "photos", "2025", "a.jpg"), filepath.Join(work, "stdout"), filepath.Join(elsewhere, "0", "stdout"),
	)
	if err := os.Symlink(elsewhere, filepath.Join(work, "app-link")); err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	err := filepath.WalkDir(work, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Base(path) == "log" {
			return err
		}
		return os.Chtimes(path, now.Add(-time.Hour), now.Add(-time.Hour))
	})
	if err != nil {
		t.Fatal(err)
	}
	d := newDirectories(work, nil, quiet())
	removed, err := d.CleanUp(nil, []string{"app-live"}, now.Add(-time.Minute))
	if want := []string{filepath.Join(work, "app-old"), filepath.Join(work, "driver-old")}; err != nil || !slices.Equal(removed, want) {
		t.Errorf("removed %v %v, want %v", removed, err, want)
	}
	for name, stays := range map[string]bool{"app-old": false, "driver-old": false, "app-live": true, "app-new": true, "photos": true, "app-link": true} {
		if there(filepath.Join(work, name)) != stays {
			t.Errorf("%s: stays %v, want %v", name, !stays, stays)
		}
	}
	if !there(filepath.Join(elsewhere, "0", "stdout")) {
		t.Error("a link was followed")
	}
}

func TestAWorkDirectoryThatCannotBeUsedIsAnErrorThatHelps(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	touch(t, file)
	bad := []string{file, filepath.Join(file, "x"), filepath.Join(t.TempDir(), "a:b")}
	if os.Geteuid() != 0 { // root writes everywhere
		readOnly := filepath.Join(t.TempDir(), "r")
		if err := os.Mkdir(readOnly, 0o500); err != nil {
			t.Fatal(err)
		}
		bad = append(bad, readOnly)
	}
	if there("/proc/self") {
		bad = append(bad, "/proc")
	}
	for _, dir := range bad {
		if _, err := makeWorkDir(dir, nil); err == nil || !strings.Contains(err.Error(), "--work-dir") {
			t.Errorf("%s: %v", dir, err)
		}
	}
	if _, err := makeWorkDir(t.TempDir(), []string{"/a", "/b:c"}); err == nil || !strings.Contains(err.Error(), "spark.local.dir") {
		t.Error(err)
	}
	dir, err := makeWorkDir(filepath.Join(t.TempDir(), "a:b"), []string{"/a"})
	if err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}
