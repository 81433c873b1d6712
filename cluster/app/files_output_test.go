package app

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/coherer/coherer/actors/rdd"
)

// Files and rdd.MemDisk agree on what is an error, and on which.
func TestFilesAndMemoryAgree(t *testing.T) {
	dir := t.TempDir()
	m := &rdd.MemDisk{}
	if err := m.MkdirAll(dir); err != nil {
		t.Fatal(err)
	}
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, step := range []struct {
		what, path, to string
		err            error
	}{
		{"mkdir", "a/b", "", fs.ErrNotExist},
		{"mkdirall", "a/b", "", nil},
		{"mkdirall", "a/b", "", nil},
		{"mkdir", "a/b", "", fs.ErrExist},
		{"create", "a/b/f", "", nil},
		{"create", "a/b/f", "", fs.ErrExist},
		{"create", "a/b", "", fs.ErrExist},
		{"create", "x/f", "", fs.ErrNotExist},
		{"mkdir", "a/b/f", "", fs.ErrExist},
		{"mkdir", "c", "", nil},
		{"rename", "nothing", "d", fs.ErrNotExist},
		{"rename", "a/b", "x/d", fs.ErrNotExist},
		{"rename", "a/b", "c", fs.ErrExist},
		{"create", "a/b/g", "", nil},
		{"create", "c/f", "", nil},
		{"rename", "a/b/g", "c", fs.ErrExist},
		{"rename", "a/b/g", "c/f", nil}, // a file replaces a file
		{"rename", "a/b", "a/d", nil},
		{"removeall", "a", "", nil},
		{"removeall", "a", "", nil},
	} {
		for _, f := range []rdd.OutputFS{Files{}, m} {
			var err error
			switch step.what {
			case "mkdir":
				err = f.Mkdir(at(step.path))
			case "mkdirall":
				err = f.MkdirAll(at(step.path))
			case "create":
				var w io.WriteCloser
				if w, err = f.Create(at(step.path)); err == nil {
					_, err = io.WriteString(w, step.path)
					err = errors.Join(err, w.Close())
				}
			case "rename":
				err = f.Rename(at(step.path), at(step.to))
			case "removeall":
				err = f.RemoveAll(at(step.path))
			}
			if !errors.Is(err, step.err) {
				t.Errorf("%T: %s %s %s: %v, want %v", f, step.what, step.path, step.to, err, step.err)
			}
			if err != nil && !strings.Contains(err.Error(), dir) {
				t.Errorf("%T: %v names no path", f, err)
			}
		}
	}
	for _, f := range []rdd.OutputFS{Files{}, m} {
		if names, err := f.ReadDir(at("c")); err != nil || !slices.Equal(names, []string{"f"}) {
			t.Errorf("%T: %s, %v", f, names, err)
		}
		if _, err := f.ReadDir(at("a")); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%T: %v", f, err)
		}
		g, err := f.Open(at("c/f"))
		if err != nil {
			t.Fatal(err)
		}
		data := make([]byte, g.Size())
		if _, err := g.ReadAt(data, 0); err != nil || string(data) != "a/b/g" {
			t.Errorf("%T: %q, %v", f, data, err)
		}
		_ = g.Close()
	}
	if info, err := os.Stat(at("c/f")); err != nil || info.Mode().Perm()&0o044 != 0o044 {
		t.Error("others cannot read what was saved:", info, err)
	}
}
