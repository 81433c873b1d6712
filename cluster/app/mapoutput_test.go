package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coherer/coherer/rpcenv"
)

func newTestBlocks(t *testing.T) (b *blocks, dir string) {
	t.Helper()
	dir = t.TempDir()
	b, err := newBlocks([]string{dir}, rpcenv.Address{Host: "127.0.0.1"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b, dir
}

func filesOf(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return strings.Join(names, " ")
}

// A map output is a file and its index. Nobody finds its blocks before it is committed, and nothing of it is left when it is given up.
func TestAMapOutputIsOneFile(t *testing.T) {
	b, dir := newTestBlocks(t)
	out, err := b.MapOutput(4, 9, 5)
	if err != nil {
		t.Fatal(err)
	}
	for _, block := range []struct {
		reduce int
		data   string
	}{{1, "one"}, {3, strings.Repeat("x", 70_000)}} {
		if err := out.Partition(block.reduce); err != nil {
			t.Fatal(err)
		}
		for piece := range strings.SplitSeq(block.data, "xxx") { // in several pieces
			if _, err := out.Write([]byte(piece)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := out.Partition(2); err == nil || !strings.Contains(err.Error(), "block of reducer 2 after that of 3, of 5") {
		t.Error(err)
	}
	if err := out.Partition(5); err == nil {
		t.Error("there is no reducer 5")
	}
	if _, err := b.Get("shuffle_4_9_1"); err == nil || filesOf(t, dir) != "shuffle_4_9_0.data.tmp" {
		t.Error(err, filesOf(t, dir))
	}
	sizes, err := out.Commit()
	if err != nil || len(sizes) != 5 || sizes[0]+sizes[2]+sizes[4] != 0 || sizes[1] != 3 || sizes[3] != 1 {
		t.Error(sizes, err)
	}
	if filesOf(t, dir) != "shuffle_4_9_0.data shuffle_4_9_0.index" {
		t.Error(filesOf(t, dir))
	}
	for id, want := range map[string]string{"shuffle_4_9_0": "", "shuffle_4_9_1": "one", "shuffle_4_9_3": "x", "shuffle_4_9_4": ""} {
		if got, err := b.Get(id); err != nil || string(got) != want {
			t.Errorf("%s: %q, %v", id, got, err)
		}
	}
	for _, id := range []string{"shuffle_4_9_5", "shuffle_4_8_1", "shuffle_5_9_1"} {
		if _, err := b.Get(id); err == nil || !strings.Contains(err.Error(), "no block "+id) {
			t.Errorf("%s: %v", id, err)
		}
	}
	if out, err = b.MapOutput(4, 10, 1); err != nil {
		t.Fatal(err)
	}
	if err := out.Abort(); err != nil || filesOf(t, dir) != "shuffle_4_9_0.data shuffle_4_9_0.index" {
		t.Error(err, filesOf(t, dir))
	}
}

// A temporary file has no name, so that nothing of it is left, however the process ends.
func TestATemporaryFileHasNoName(t *testing.T) {
	b, dir := newTestBlocks(t)
	f, err := b.Create()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write([]byte("spilled")); err != nil {
		t.Fatal(err)
	}
	if filesOf(t, dir) != "" {
		t.Error(filesOf(t, dir))
	}
	got := make([]byte, 4)
	if _, err := f.ReadAt(got, 3); err != nil || string(got) != "lled" {
		t.Errorf("%q, %v", got, err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	b.dirs[0] = filepath.Join(dir, "gone")
	if _, err := b.Create(); err == nil || !strings.Contains(err.Error(), "spark.local.dir") {
		t.Error(err)
	}
	if _, err := b.MapOutput(1, 2, 3); err == nil || !strings.Contains(err.Error(), "spark.local.dir") {
		t.Error(err)
	}
}

// A map output without its index is none: other processes could not read it.
func TestAMapOutputWithoutItsIndexIsNotKept(t *testing.T) {
	b, dir := newTestBlocks(t)
	if err := os.Mkdir(filepath.Join(dir, "shuffle_4_9_0.index"), 0o700); err != nil {
		t.Fatal(err)
	}
	out, err := b.MapOutput(4, 9, 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := out.Write([]byte("one")); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Commit(); err == nil {
		t.Error("it was committed")
	}
	if _, err := b.Get("shuffle_4_9_0"); err == nil || filesOf(t, dir) != "shuffle_4_9_0.index" {
		t.Error(err, filesOf(t, dir))
	}
}
