package program

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestADigestIsSHA256(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "f")
	if err := os.WriteFile(file, []byte("abc"), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := Digest(file)
	if want := "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"; got != want || err != nil {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
	if got, err := Digest(dir + "/missing"); got != "" || !errors.Is(err, fs.ErrNotExist) || !strings.HasPrefix(err.Error(), "digest: open ") {
		t.Errorf("of a file that is missing: %q, %v", got, err)
	}
	if got, err := Digest(dir); got != "" || !errors.Is(err, syscall.EISDIR) || !strings.HasPrefix(err.Error(), "digest: read ") {
		t.Errorf("of a directory: %q, %v", got, err)
	}
}

func TestAProgramKnowsItsOwnDigest(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	want, err := Digest(program)
	if err != nil {
		t.Fatal(err)
	}
	if digest, path, err := Self(); digest != want || path != program || err != nil {
		t.Errorf("%s of %s, %v, want %s of %s", digest, path, err, want, program)
	}
}
