package shufflefile_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/coherer/coherer/cluster/shufflefile"
)

var output = shufflefile.Output{Shuffle: 4, Task: 9}

// write writes a map output of one directory.
func write(t *testing.T, blocks ...string) []string {
	t.Helper()
	dirs := []string{t.TempDir()}
	var sizes []int64
	for _, b := range blocks {
		sizes = append(sizes, int64(len(b)))
	}
	put(t, output.Data(dirs), []byte(strings.Join(blocks, "")))
	if err := shufflefile.WriteIndex(output.Index(dirs), sizes); err != nil {
		t.Fatal(err)
	}
	return dirs
}

func put(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// Spark's own index of the same output has the same bytes.
func TestAnIndexHasSparksBytes(t *testing.T) {
	dirs := write(t, "abc", "", "defgh")
	if got, want := filepath.Base(output.Index(dirs)), "shuffle_4_9_0.index"; got != want {
		t.Errorf("it is named %s", got)
	}
	got, err := os.ReadFile(output.Index(dirs))
	want := "0000000000000000" + "0000000000000003" + "0000000000000003" + "0000000000000008"
	if err != nil || hex.EncodeToString(got) != want {
		t.Errorf("%x, %v", got, err)
	}
	offsets, err := shufflefile.ReadIndex(output.Index(dirs))
	if err != nil || !slices.Equal(offsets, []int64{0, 3, 3, 8}) {
		t.Error(offsets, err)
	}
}

func TestABlockIsFoundByItsReducer(t *testing.T) {
	dirs := write(t, "abc", "", "defgh")
	for reduce, want := range []string{"abc", "", "defgh"} {
		s, err := shufflefile.Block(dirs, output, reduce)
		if err != nil || s.Path != output.Data(dirs) || s.Size != int64(len(want)) || "abcdefgh"[s.Offset:s.Offset+s.Size] != want {
			t.Errorf("reducer %d: %+v, %v", reduce, s, err)
		}
	}
	for _, reduce := range []int{-1, 3, 1 << 40} {
		if _, err := shufflefile.Block(dirs, output, reduce); !errors.Is(err, shufflefile.ErrDamaged) {
			t.Errorf("reducer %d: %v", reduce, err)
		}
	}
	if _, err := shufflefile.Block(dirs, shufflefile.Output{Shuffle: 4, Task: 8}, 0); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

// Files that contradict each other are damaged, and no block of them is outside of the data.
func TestFilesThatContradictEachOtherAreDamaged(t *testing.T) {
	for name, index := range map[string]string{
		"ends behind the data": "0000000000000000" + "0000000000000009",
		"goes back":            "0000000000000005" + "0000000000000003",
		"is negative":          "ffffffffffffffff" + "0000000000000003",
		"is half an offset":    "0000000000000000" + "00000000",
		"is empty":             "",
	} {
		dirs := write(t, "abcdefgh")
		raw, err := hex.DecodeString(index)
		if err != nil {
			t.Fatal(err)
		}
		put(t, output.Index(dirs), raw)
		if _, err := shufflefile.Block(dirs, output, 0); !errors.Is(err, shufflefile.ErrDamaged) {
			t.Errorf("an index that %s: %v", name, err)
		}
		if _, err := shufflefile.ReadIndex(output.Index(dirs)); name != "ends behind the data" && !errors.Is(err, shufflefile.ErrDamaged) {
			t.Errorf("the whole of an index that %s: %v", name, err)
		}
	}
	dirs := write(t, "abcdefgh")
	back := append(append(make([]byte, 15), 5), append(make([]byte, 7), 3)...) // 0, 5, 3
	put(t, output.Index(dirs), back)
	if _, err := shufflefile.ReadIndex(output.Index(dirs)); !errors.Is(err, shufflefile.ErrDamaged) || !strings.Contains(err.Error(), "offset 2 (3) is below the one before (5)") {
		t.Error(err)
	}
	if _, err := shufflefile.Block(dirs, output, 1); !errors.Is(err, shufflefile.ErrDamaged) {
		t.Error(err)
	}
	dirs = write(t, "abcdefgh")
	put(t, output.Data(dirs), []byte("abc"))
	if _, err := shufflefile.Block(dirs, output, 0); !errors.Is(err, shufflefile.ErrDamaged) {
		t.Errorf("data that was cut: %v", err)
	}
	if err := os.Remove(output.Data(dirs)); err != nil {
		t.Fatal(err)
	}
	if _, err := shufflefile.Block(dirs, output, 0); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("data that is gone: %v", err)
	}
}

// An index that could not be written leaves nothing.
func TestAnIndexIsThereWholeOrNotAtAll(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "shuffle_4_9_0.index")
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := shufflefile.WriteIndex(path, []int64{1}); err == nil {
		t.Error("it has replaced a directory")
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Error(entries, err)
	}
	if err := shufflefile.WriteIndex(filepath.Join(dir, "gone", "x.index"), []int64{1}); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

// Both files lie in one directory, which a reader finds without a list of files; outputs use all directories.
func TestOutputsUseAllDirectories(t *testing.T) {
	dirs := []string{"a", "b", "c"}
	used := map[string]int{}
	for task := range int64(60) {
		o := shufflefile.Output{Shuffle: 1, Task: task}
		if filepath.Dir(o.Data(dirs)) != filepath.Dir(o.Index(dirs)) {
			t.Errorf("%s: %s and %s", o, o.Data(dirs), o.Index(dirs))
		}
		used[filepath.Dir(o.Data(dirs))]++
	}
	if used["a"] < 10 || used["b"] < 10 || used["c"] < 10 {
		t.Error(used)
	}
}

// What was written is read again, whatever the blocks.
func TestBlocksAreReadAsTheyWereWritten(t *testing.T) {
	dirs := []string{t.TempDir()}
	rapid.Check(t, func(r *rapid.T) {
		blocks := rapid.SliceOfN(rapid.SliceOfN(rapid.Byte(), 0, 9), 1, 9).Draw(r, "blocks")
		var sizes []int64
		for _, b := range blocks {
			sizes = append(sizes, int64(len(b)))
		}
		data := bytes.Join(blocks, nil)
		if err := errors.Join(os.WriteFile(output.Data(dirs), data, 0o600), shufflefile.WriteIndex(output.Index(dirs), sizes)); err != nil {
			r.Fatal(err)
		}
		for i, want := range blocks {
			s, err := shufflefile.Block(dirs, output, i)
			if err != nil || !bytes.Equal(data[s.Offset:s.Offset+s.Size], want) {
				r.Errorf("reducer %d: %+v, %v", i, s, err)
			}
		}
	})
}
