package bulk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/coherer/coherer/rpcenv/transport/wire/wiretest"
)

func TestOnlyWhatIsARegularFileIsOpened(t *testing.T) {
	dir := t.TempDir()
	file, pipe := write(t, dir, "f", "content"), filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	f, size, err := openRegular(file, os.Stat, os.OpenFile)
	if err != nil || size != 7 {
		t.Fatalf("%d bytes, %v", size, err)
	}
	_ = f.Close()

	var opened *os.File
	for _, c := range []struct {
		name, path string
		open       func(string, int, fs.FileMode) (*os.File, error)
		want       string
	}{
		{"a pipe", pipe, func(string, int, fs.FileMode) (*os.File, error) { t.Error("a pipe was opened"); return nil, nil }, "it is not a regular file"},
		{"what may not be opened", file, func(string, int, fs.FileMode) (*os.File, error) { return nil, syscall.EACCES }, "permission denied"},
		{
			"what is a pipe when it is opened", file,
			func(_ string, flag int, mode fs.FileMode) (*os.File, error) {
				opened, err = os.OpenFile(pipe, flag, mode) // nobody writes to it
				return opened, err
			}, "it is not a regular file",
		},
		{
			"what is another thing when it is opened", file,
			func(string, int, fs.FileMode) (*os.File, error) { opened, err = os.Open(dir); return opened, err }, "it is not a regular file",
		},
		{
			"what goes when it is opened", file,
			func(string, int, fs.FileMode) (*os.File, error) {
				opened, err = os.Open(file)
				return opened, errors.Join(err, opened.Close())
			}, "file already closed",
		},
	} {
		opened = nil
		f, size, err := openRegular(c.path, os.Stat, c.open)
		if f != nil || size != 0 || err == nil || !strings.HasSuffix(err.Error(), c.want) {
			t.Errorf("%s: %v, %d bytes, %v, want %s", c.name, f, size, err, c.want)
		}
		if opened != nil && !errors.Is(opened.Close(), fs.ErrClosed) {
			t.Errorf("%s: it was left open", c.name)
		}
	}
}

func TestWhatWentSinceItWasAddedIsNotFound(t *testing.T) {
	s := fileServer(t)
	dir := t.TempDir()
	file := write(t, dir, "d/f", "content")
	must(t)(s.AddFile("f", file))
	must(t)(s.AddJar("j", file))
	must(t)(s.AddDirectory("/d", filepath.Dir(file)))
	if err := os.RemoveAll(filepath.Dir(file)); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/files/f", "/jars/j", "/d/f"} {
		r, _, err := s.Open(path)
		if want := "Stream '" + path + "' was not found: no such file or directory"; r != nil || wiretest.Says(err) != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

func TestAPathHasAtMost4096Bytes(t *testing.T) {
	s := fileServer(t)
	longest := "/x/" + strings.Repeat("y", 4096-3)
	if _, _, err := s.Open(longest); wiretest.Says(err) != "Invalid stream URI: x not found." {
		t.Errorf("the longest: %v", err)
	}
	if _, _, err := s.Open(longest + "y"); wiretest.Says(err) != "a path of 4097 bytes, allowed are 4096" {
		t.Errorf("one byte more: %v", err)
	}
}
