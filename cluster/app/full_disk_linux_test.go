package app

import (
	"errors"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/rpctest/smalldisk"
)

// On a full disk a map output and a temporary file say what to do, and leave nothing.
func TestAFullDiskSaysWhatToDo(t *testing.T) {
	dir := smalldisk.Dir(t, "size=64k")
	b, err := newBlocks([]string{dir}, rpcenv.Address{Host: "127.0.0.1"})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	full := func(what string, err error) {
		t.Helper()
		if !errors.Is(err, unix.ENOSPC) || !strings.Contains(err.Error(), "free some space there, or name another directory with spark.local.dir") {
			t.Errorf("%s: %v", what, err)
		}
	}
	data := make([]byte, 100<<10)
	out, err := b.MapOutput(1, 2, 1)
	if err != nil {
		t.Fatal(err)
	}
	_, err = out.Write(data)
	full("a map output", err)
	if err := out.Abort(); err != nil {
		t.Error(err)
	}
	small, err := b.MapOutput(1, 3, 1)
	if err != nil {
		t.Fatal(err)
	}
	f, err := b.Create()
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.Write(data)
	full("a temporary file", err)
	// What is buffered finds the disk full at its commit.
	if _, err := small.Write(data[:20<<10]); err != nil {
		t.Error(err)
	}
	_, err = small.Commit()
	full("a commit", err)
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if left := filesOf(t, dir); left != "" {
		t.Error(left)
	}
}
