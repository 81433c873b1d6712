package app

import (
	"archive/zip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coherer/coherer/actors/yarnclient"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest"
)

func TestFilesAreStagedForAllAndTheirDirectoryForItsOwner(t *testing.T) {
	w := rpctest.New(t, 1)
	b := w.Env("Client", nil).Blocking(t.Context())
	defer b.Close()
	home := t.TempDir()
	source := filepath.Join(home, "a b")
	if err := os.WriteFile(source, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	dir := "file:" + home + "/.sparkStaging/application_1_0001"
	staged, err := Staging{}.Copy(b, dir, "__app__.jar", "file:"+home+"/a%20b")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(home, ".sparkStaging", "application_1_0001")
	info, err := os.Stat(filepath.Join(path, "__app__.jar"))
	if err != nil || info.Mode().Perm() != 0o644 || staged.URI != "file:"+path+"/__app__.jar" || staged.Size != 4 ||
		staged.Timestamp != info.ModTime().UnixMilli() || staged.Visibility != yarn.LocalResourceVisibility_PRIVATE {
		t.Errorf("%+v %v", staged, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	if _, err := (Staging{}).Copy(b, dir, "__app__.jar", source); err == nil {
		t.Error("a staged file was replaced")
	}
	if _, err := (Staging{}).Copy(b, dir, "dir", home); err == nil || !strings.Contains(err.Error(), "no regular file") {
		t.Error(err)
	}
	if _, err := (Staging{}).Copy(b, dir, "none", filepath.Join(home, "none")); err == nil {
		t.Error("a file that is missing was staged")
	}
	stagedArchive(t, b, dir, path)
	if err := (Staging{}).Remove(b, dir); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Error("it is still there", err)
	}
	if err := (Staging{}).Remove(b, dir); err != nil {
		t.Error("again:", err)
	}
	if err := (Staging{}).Remove(b, "file:"+home); err == nil {
		t.Error("a directory that is none of ours was removed")
	}
}

func stagedArchive(t *testing.T, b *rpcenv.Blocking, dir, path string) {
	t.Helper()
	staged, err := Staging{}.Archive(b, dir, "c.zip", []yarnclient.ArchiveEntry{{Name: "x", Content: "1"}, {Name: "y", Content: "2"}})
	if err != nil || staged.Size == 0 {
		t.Fatal(err)
	}
	z, err := zip.OpenReader(filepath.Join(path, "c.zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	got := ""
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		got += f.Name + string(text)
	}
	if got != "x1y2" {
		t.Error(got)
	}
}

func TestVisibilityIsThatOfEveryDirectoryAbove(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	if err := os.WriteFile(path, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if got := visibility(path); got != yarn.LocalResourceVisibility_PRIVATE {
		t.Error(got)
	}
	if got := visibility("/"); got != yarn.LocalResourceVisibility_PUBLIC {
		t.Error(got)
	}
}
