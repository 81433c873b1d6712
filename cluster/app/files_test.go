package app

import (
	"os"
	"path/filepath"
	"testing"
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
