package app

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/coherer/coherer/actors/rdd"
)

func TestFilesResolvesAgainstTheWorkingDirectory(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	if err := os.WriteFile("text", []byte("abc"), 0o600); err != nil {
		t.Fatal(err)
	}
	path, err := Files{}.Resolve("text")
	if err != nil || !filepath.IsAbs(path) {
		t.Fatalf("path %s, error %v", path, err)
	}
	t.Chdir(t.TempDir())
	f, err := Files{}.Open(path)
	if err != nil || f.Size() != 3 {
		t.Fatalf("file %v, error %v", f, err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}

// A file that was written anew is another version, though its size is the same and a program has set its time back.
func TestAFileThatWasWrittenAnewIsAnotherVersion(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux says when the system changed a file")
	}
	path, when := filepath.Join(t.TempDir(), "f"), time.Unix(1, 0)
	version := func(content string) string {
		if err := errors.Join(os.WriteFile(path, []byte(content), 0o600), os.Chtimes(path, when, when)); err != nil {
			t.Fatal(err)
		}
		f, err := Files{}.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		return f.(rdd.Versioned).Version()
	}
	first := version("p")
	for range 20_000 { // the system's clock of changes has steps of some milliseconds
		if version("q") != first {
			return
		}
	}
	t.Error("the version stayed the same")
}
