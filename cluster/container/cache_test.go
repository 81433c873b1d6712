package container

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/coherer/coherer/actors/nodemanager"
	"github.com/coherer/coherer/messages/yarn"
)

var at = time.UnixMilli(1767225600123)

// source is a file, and the resource that it is.
func source(t *testing.T, name string, content []byte) (string, nodemanager.Resource) {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, at, at); err != nil {
		t.Fatal(err)
	}
	return path, nodemanager.Resource{Key: nodemanager.Key{
		URL: "file://" + path, Timestamp: at.UnixMilli(), Type: yarn.LocalResourceType_FILE, Visibility: yarn.LocalResourceVisibility_PRIVATE,
	}, Size: int64(len(content)), User: "ann", App: app}
}

func newCache(t *testing.T) *Cache { return NewCache(newDisks(t, 1)) }

// left are the files in the local directories.
func left(t *testing.T, k *Cache) (files []string) {
	t.Helper()
	err := filepath.WalkDir(k.disks.local[0], func(path string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() && !strings.HasPrefix(e.Name(), ".") {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// Spec 6.7: where resources of each visibility lie; they can be run, and not written.
func TestResourcesOfEachVisibility(t *testing.T) {
	k := newCache(t)
	for visibility, want := range map[yarn.LocalResourceVisibility]string{
		yarn.LocalResourceVisibility_PUBLIC:      "filecache/*/prog",
		yarn.LocalResourceVisibility_PRIVATE:     "usercache/ann/filecache/*/prog",
		yarn.LocalResourceVisibility_APPLICATION: "usercache/ann/appcache/" + app + "/filecache/*/prog",
	} {
		_, r := source(t, "prog", []byte("content"))
		r.Visibility = visibility
		got, err := k.fetch(context.Background(), r)
		if err != nil || got.Size != 7 {
			t.Fatalf("%s: %+v %v", visibility, got, err)
		}
		if ok, err := filepath.Match(filepath.Join(k.disks.local[0], want), got.Path); !ok || err != nil {
			t.Errorf("%s: %s", visibility, got.Path)
		}
		info, err := os.Stat(got.Path)
		if err != nil || info.Mode().Perm()&0o300 != 0o100 {
			t.Errorf("%s: %v %v", visibility, info, err)
		}
		if err := k.Remove(nil, got.Path); err != nil {
			t.Error(err)
		}
	}
	if files := left(t, k); len(files) > 0 {
		t.Errorf("%q is left", files)
	}
	if k.Remove(nil, "/etc/passwd") == nil || k.Remove(nil, filepath.Join(k.disks.local[0], "usercache/ann/x")) == nil {
		t.Error("something else would be removed")
	}
}

func TestAPublicResourceNeedNotBeReadableByAll(t *testing.T) {
	k := newCache(t)
	path, r := source(t, "a", []byte("x"))
	r.Visibility = yarn.LocalResourceVisibility_PUBLIC
	if err := os.Chmod(path, 0o400); err != nil {
		t.Fatal(err)
	}
	if _, err := k.fetch(context.Background(), r); err != nil {
		t.Error(err)
	}
}

func TestWhatCannotBeFetched(t *testing.T) {
	k := newCache(t)
	dir := t.TempDir()
	stopped, cancel := context.WithCancel(context.Background())
	cancel()
	for name, tt := range map[string]struct {
		spoil func(path string, r *nodemanager.Resource)
		says  string
		ctx   context.Context
	}{
		"missing":         {func(path string, _ *nodemanager.Resource) { os.Remove(path) }, "does not exist", nil},
		"another size":    {func(_ string, r *nodemanager.Resource) { r.Size++ }, "changed on src filesystem: it had 8 bytes, and has 7", nil},
		"another time":    {func(_ string, r *nodemanager.Resource) { r.Timestamp-- }, "changed on src filesystem: its time of change was 1767225600122 ms, and is 1767225600123 ms", nil},
		"a directory":     {func(_ string, r *nodemanager.Resource) { r.URL = "file://" + dir }, "no regular file", nil},
		"the root":        {func(_ string, r *nodemanager.Resource) { r.URL = "file:///" }, "names no file", nil},
		"another scheme":  {func(_ string, r *nodemanager.Resource) { r.URL = "hdfs://h/x" }, `No FileSystem for scheme "hdfs"`, nil},
		"another machine": {func(_ string, r *nodemanager.Resource) { r.URL = "file://elsewhere/x" }, "No FileSystem", nil},
		"no URL":          {func(_ string, r *nodemanager.Resource) { r.URL = "http://[::1" }, "missing ']'", nil},
		"a pattern":       {func(_ string, r *nodemanager.Resource) { r.Type = yarn.LocalResourceType_PATTERN }, "PATTERN is not supported", nil},
		"a user":          {func(_ string, r *nodemanager.Resource) { r.User = "../x" }, "no plain name", nil},
		"an application": {func(_ string, r *nodemanager.Resource) {
			r.App, r.Visibility = "", yarn.LocalResourceVisibility_APPLICATION
		}, "no plain name", nil},
		"no zip":  {func(path string, r *nodemanager.Resource) { r.Type = yarn.LocalResourceType_ARCHIVE }, "not a valid zip file", nil},
		"stopped": {func(string, *nodemanager.Resource) {}, "context canceled", stopped},
	} {
		path, r := source(t, "a.zip", []byte("content"))
		tt.spoil(path, &r)
		if tt.ctx == nil {
			tt.ctx = context.Background()
		}
		if got, err := k.fetch(tt.ctx, r); err == nil || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: %+v %v", name, got, err)
		}
	}
	if files := left(t, k); len(files) > 0 {
		t.Errorf("%q is left", files)
	}
}

// When a directory of the cache is a file, a fetch fails with an error of one line.
func TestAFileInPlaceOfTheCache(t *testing.T) {
	k := newCache(t)
	breakDir(t, filepath.Join(k.disks.local[0], "usercache"))
	_, r := source(t, "a", []byte("content"))
	if _, err := k.fetch(context.Background(), r); err == nil || !strings.HasSuffix(err.Error(), "usercache: not a directory") || strings.Contains(err.Error(), "\n") {
		t.Errorf("%v", err)
	}
}

// On a full disk a fetch fails with an error that helps; the node goes on.
func TestAFullDiskIsTold(t *testing.T) {
	if err := failed(&os.PathError{Op: "write", Path: "/x", Err: unix.ENOSPC}); !errors.Is(err, nodemanager.ErrDisksFailed) || !strings.Contains(err.Error(), "free some space") {
		t.Errorf("%v", err)
	}
	if err := failed(os.ErrNotExist); errors.Is(err, nodemanager.ErrDisksFailed) {
		t.Errorf("%v", err)
	}
}

func TestResourcesOverHTTP(t *testing.T) {
	content := []byte("content")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/a", "/dir/b":
			http.ServeContent(w, r, "", at, bytes.NewReader(content))
		case "/endless":
			for range 100 {
				_, _ = w.Write(content) // the client leaves
				w.(http.Flusher).Flush()
			}
		default:
			http.NotFound(w, r)
		}
	}))
	defer server.Close()
	k := newCache(t)
	k.limits.bytes = 50
	for _, tt := range []struct {
		path, says string
		size       int64
		time       int64
	}{
		{"/a", "", 7, at.UnixMilli()},
		{"/dir/b", "", 0, 0},
		{"/a", "changed on src filesystem", 8, at.UnixMilli()},
		{"/a", "changed on src filesystem", 7, at.UnixMilli() + 5000},
		{"/gone", "404 Not Found", 7, 0},
		{"/endless", "changed on src filesystem", 7, 0},
		{"/endless", "more than the 50 bytes", 0, 0},
	} {
		r := nodemanager.Resource{Key: nodemanager.Key{URL: server.URL + tt.path, Timestamp: tt.time, Visibility: yarn.LocalResourceVisibility_PUBLIC, Type: yarn.LocalResourceType_FILE}, Size: tt.size}
		got, err := k.fetch(context.Background(), r)
		switch {
		case tt.says == "" && err != nil, tt.says != "" && (err == nil || !strings.Contains(err.Error(), tt.says)):
			t.Errorf("%s: %v, want %q", tt.path, err, tt.says)
		case err == nil && got.Size != 7:
			t.Errorf("%s: %+v", tt.path, got)
		}
	}
}

// entry is an entry of an archive: a directory, when its name ends so; a link, when to is not empty.
type entry struct{ name, content, to string }

func zipped(t *testing.T, entries ...entry) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, e := range entries {
		h := &zip.FileHeader{Name: e.name, Method: zip.Deflate}
		content := e.content
		if e.to != "" {
			h.SetMode(os.ModeSymlink | 0o777)
			content = e.to
		}
		w, err := z.CreateHeader(h)
		if err == nil {
			_, err = w.Write([]byte(content))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func tarred(t *testing.T, entries ...entry) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for _, e := range entries {
		h := &tar.Header{Name: e.name, Size: int64(len(e.content)), Mode: 0o600, Typeflag: tar.TypeReg}
		switch {
		case e.to != "":
			h.Typeflag, h.Linkname = tar.TypeSymlink, e.to
		case strings.HasSuffix(e.name, "/"):
			h.Typeflag = tar.TypeDir
		}
		err := w.WriteHeader(h)
		if err == nil {
			_, err = w.Write([]byte(e.content))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), z.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// unpacked fetches an archive.
func unpacked(t *testing.T, k *Cache, name string, content []byte) (nodemanager.Fetched, error) {
	t.Helper()
	_, r := source(t, name, content)
	r.Type = yarn.LocalResourceType_ARCHIVE
	return k.fetch(context.Background(), r)
}

// Spec 6.7: archives are unpacked into a directory of their name; one of an unknown form stays a file.
func TestArchives(t *testing.T) {
	entries := []entry{{name: "bin/"}, {name: "bin/prog", content: "run"}, {name: "lib/deep/x", content: "x"}, {name: "lib/link", to: "deep/x"}}
	for name, content := range map[string][]byte{
		"a.zip": zipped(t, entries...), "a.jar": zipped(t, entries...), "a.tgz": tarred(t, entries...), "a.TAR.GZ": tarred(t, entries...),
	} {
		k := newCache(t)
		got, err := unpacked(t, k, name, content)
		if err != nil || got.Size != 4 || filepath.Base(got.Path) != name {
			t.Errorf("%s: %+v %v", name, got, err)
			continue
		}
		if text, err := os.ReadFile(filepath.Join(got.Path, "lib/link")); err != nil || string(text) != "x" {
			t.Errorf("%s: %q %v", name, text, err)
		}
		if info, err := os.Stat(filepath.Join(got.Path, "bin/prog")); err != nil || info.Mode().Perm() != 0o500 {
			t.Errorf("%s: %v %v", name, info, err)
		}
		if files := left(t, k); len(files) != 3 {
			t.Errorf("%s: %q", name, files)
		}
	}
	k := newCache(t)
	if got, err := unpacked(t, k, "a.rar", []byte("Rar!")); err != nil || got.Size != 4 {
		t.Errorf("%+v %v", got, err)
	}
}

func TestNoPathLeavesTheDirectory(t *testing.T) {
	for name, entries := range map[string][]entry{
		"up":                  {{name: "../x", content: "bad"}},
		"absolute":            {{name: "/tmp/x", content: "bad"}},
		"up inside":           {{name: "a/../../x", content: "bad"}},
		"a backslash":         {{name: `..\x`, content: "bad"}},
		"a link up":           {{name: "l", to: "../.."}},
		"an absolute link":    {{name: "l", to: "/etc"}},
		"behind a link":       {{name: "d/e/f", content: "x"}, {name: "l", to: "d/e"}, {name: "l/m", to: "../.."}},
		"through a link":      {{name: "d/f", content: "x"}, {name: "l", to: "d"}, {name: "l/x", content: "bad"}},
		"a file twice":        {{name: "f", content: "x"}, {name: "f", content: "y"}},
		"a link for the root": {{name: ".", to: "x"}},
	} {
		for form, content := range map[string][]byte{"a.zip": zipped(t, entries...), "a.tgz": tarred(t, entries...)} {
			k := newCache(t)
			if got, err := unpacked(t, k, form, content); err == nil {
				t.Errorf("%s in %s: %+v", name, form, got)
			}
			if files := left(t, k); len(files) > 0 {
				t.Errorf("%s in %s: %q is left", name, form, files)
			}
		}
	}
}

func TestArchivesAreBounded(t *testing.T) {
	entries := []entry{{name: "a", content: strings.Repeat("0", 600)}, {name: "b", content: strings.Repeat("0", 600)}}
	for form, content := range map[string][]byte{"a.zip": zipped(t, entries...), "a.tgz": tarred(t, entries...)} {
		k := newCache(t)
		k.limits.bytes = 1000
		if _, err := unpacked(t, k, form, content); err == nil || !strings.Contains(err.Error(), "more bytes than are allowed") {
			t.Errorf("%s: %v", form, err)
		}
		k.limits.bytes, k.limits.entries = 10_000, 1
		if _, err := unpacked(t, k, form, content); err == nil || !strings.Contains(err.Error(), "more entries than are allowed") {
			t.Errorf("%s: %v", form, err)
		}
	}
}
