package container

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/coherer/coherer/actors/nodemanager"
	"github.com/coherer/coherer/actors/nodemanager/launch"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv/rpctest/smalldisk"
)

// A resource that does not fit on the disk fails with advice, and leaves nothing there; one that fits comes. A full disk is not
// used, and is again when it has room.
func TestAFullDisk(t *testing.T) {
	dir := smalldisk.Dir(t, "size=1m")
	disks, err := NewDisks([]string{filepath.Join(dir, "local")}, []string{filepath.Join(dir, "logs")}, DiskLimits{MostUsed: 90})
	if err != nil {
		t.Fatal(err)
	}
	defer disks.Close()
	k := NewCache(disks)
	large := bytes.Repeat([]byte("x"), 2<<20)
	for name, content := range map[string][]byte{"file": large, "archive.zip": zipped(t, entry{name: "a/b", content: string(large)})} {
		_, r := source(t, name, content)
		if name == "archive.zip" {
			r.Type = yarn.LocalResourceType_ARCHIVE
		}
		if _, err := k.fetch(context.Background(), r); !errors.Is(err, nodemanager.ErrDisksFailed) || !errors.Is(err, unix.ENOSPC) || !strings.Contains(err.Error(), "free some space") {
			t.Errorf("%s: %v", name, err)
		}
		if files := left(t, k); len(files) > 0 {
			t.Errorf("%s: %q is left", name, files)
		}
	}
	_, r := source(t, "fits", large[:512<<10])
	if _, err := k.fetch(context.Background(), r); err != nil {
		t.Errorf("what fits: %v", err)
	}

	filler := filepath.Join(dir, "filler")
	if err := os.WriteFile(filler, large[:480<<10], 0o600); err != nil {
		t.Fatal(err)
	}
	if report, healthy := disks.Check(); healthy || !strings.Contains(report, "used space above threshold of 90.0%") {
		t.Errorf("a full disk: %t %s", healthy, report)
	}
	d := NewDirectories(disks, nil, getenv)
	c := launch.Container{User: "ann", App: app, ID: id, Command: []string{"true"}}
	if _, err := d.Prepare(nil, c); !errors.Is(err, nodemanager.ErrDisksFailed) {
		t.Errorf("a container on a full disk: %v", err)
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	if report, healthy := disks.Check(); !healthy || report != "" {
		t.Errorf("there is room again: %t %s", healthy, report)
	}
	if _, err := d.Prepare(nil, c); err != nil {
		t.Error(err)
	}
}
