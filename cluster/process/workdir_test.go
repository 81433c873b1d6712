package process_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coherer/coherer/cluster/process"
)

func TestExecutorDir(t *testing.T) {
	work := filepath.Join(t.TempDir(), "deep", "work")
	dir, err := process.ExecutorDir(work, "app-20260101000000-0000", "0")
	if err != nil {
		t.Fatal(err)
	}
	if want := filepath.Join(work, "app-20260101000000-0000", "0"); dir != want {
		t.Errorf("directory %s, want %s", dir, want)
	}
	for d := dir; d != filepath.Dir(filepath.Dir(work)); d = filepath.Dir(d) {
		if info, err := os.Stat(d); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%s: mode %v, %v", d, info.Mode(), err)
		}
	}
	if _, err := process.ExecutorDir(work, "app-20260101000000-0000", "0"); !errors.Is(err, fs.ErrExist) {
		t.Errorf("the same executor again: %v", err)
	}
	if _, err := process.ExecutorDir(work, "app-20260101000000-0000", "1"); err != nil {
		t.Errorf("another executor: %v", err)
	}
}

func TestExecutorDirRefuses(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	write(t, file, "", 0o644)
	work := t.TempDir()
	for _, c := range []struct{ work, app, exec, want string }{
		{"", "app", "0", "no work directory"},
		{file, "app", "0", "no directory"},
		{work, "", "0", "application id is empty"},
		{work, "app", "", "executor id is empty"},
		{work, "..", "0", "dot"},
		{work, "app", ".", "dot"},
		{work, "../app", "0", "dot"},
		{work, "a/b", "0", "contains"},
		{work, `a\b`, "0", "contains"},
		{work, "app", "0\x00", "contains"},
		{work, "app", "0\n", "contains"},
		{work, "app", "é", "contains"},
		{work, "app", strings.Repeat("9", 129), "129 bytes"},
	} {
		if _, err := process.ExecutorDir(c.work, c.app, c.exec); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q, %q, %q: error %v, want %q", c.work, c.app, c.exec, err, c.want)
		}
	}
}

func FuzzExecutorDir(f *testing.F) {
	for _, seed := range [][2]string{{"app-1", "0"}, {"..", ".."}, {"a/../..", "x"}, {"", ""}, {"a\x00", "\xff"}} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, app, exec string) {
		work := t.TempDir()
		dir, err := process.ExecutorDir(work, app, exec)
		if err != nil {
			return
		}
		if rel, err := filepath.Rel(work, dir); err != nil || rel != app+"/"+exec || strings.Contains(rel, "..") && !strings.Contains(app+exec, "..") {
			t.Fatalf("%q and %q lead to %s", app, exec, dir)
		}
		if filepath.Dir(filepath.Dir(dir)) != filepath.Clean(work) {
			t.Fatalf("%s is not two levels below %s", dir, work)
		}
	})
}
