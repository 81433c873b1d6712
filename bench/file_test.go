package bench

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// writes returns what writes text and then fails with err.
func writes(text string, err error) func(io.Writer) error {
	return func(w io.Writer) error {
		if _, err := io.WriteString(w, text); err != nil {
			return err
		}
		return err
	}
}

// entries are the names in a folder, the hidden ones too.
func entries(t *testing.T, dir string) string {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range list {
		names = append(names, e.Name())
	}
	return strings.Join(names, " ")
}

func TestAFileIsThereWholeOrNotAtAll(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x.json")
	f, err := NewFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Commit(writes("whole", nil)); err != nil {
		t.Fatal(err)
	}
	f.Abandon() // nothing
	full := errors.New("the disk is full")
	for range 2 {
		if f, err = NewFile(path); err != nil {
			t.Fatal(err)
		}
		if err := f.Commit(writes("half", full)); !errors.Is(err, full) || !strings.Contains(err.Error(), path+" is not written") {
			t.Error(err)
		}
	}
	if f, err = NewFile(path); err != nil {
		t.Fatal(err)
	}
	f.Abandon()
	if text, err := os.ReadFile(path); string(text) != "whole" || entries(t, dir) != "x.json" {
		t.Errorf("%q, %v; the folder has %s", text, err, entries(t, dir))
	}
}

// A link keeps its place and its target gets the contents; a pipe or a device is written to, and not replaced.
func TestAFileThatIsSomethingElse(t *testing.T) {
	dir := t.TempDir()
	target, link := filepath.Join(dir, "target"), filepath.Join(dir, "link")
	if err := errors.Join(os.WriteFile(target, []byte("old"), 0o600), os.Symlink(target, link)); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{link, os.DevNull} {
		f, err := NewFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Commit(writes("new", nil)); err != nil {
			t.Fatal(err)
		}
	}
	if text, err := os.ReadFile(target); string(text) != "new" {
		t.Errorf("%q, %v", text, err)
	}
	if to, err := os.Readlink(link); to != target {
		t.Error(to, err)
	}
	if at, err := os.Stat(os.DevNull); err != nil || at.Mode().IsRegular() {
		t.Error(os.DevNull, "is a file now", err)
	}
}

func TestAFileThatCannotBe(t *testing.T) {
	dir := t.TempDir()
	for path, want := range map[string]string{dir: " is a folder: want a file", filepath.Join(dir, "no", "such"): ": no such file or directory"} {
		if _, err := NewFile(path); err == nil || err.Error() != path+want {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// An error names the file that somebody asked for, and not the one beside it.
func TestAFileWhosePlaceIsGone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "gone", "x.json")
	if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, closed := range []bool{true, false} { // it cannot be written; it cannot be renamed
		f, err := NewFile(path)
		if err != nil {
			t.Fatal(err)
		}
		want := path + " is not written: no such file or directory"
		if closed {
			want = path + " is not written: file already closed"
			_ = f.f.Close()
		} else if err := os.RemoveAll(filepath.Dir(path)); err != nil {
			t.Fatal(err)
		}
		if err := f.Commit(writes("whole", nil)); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
