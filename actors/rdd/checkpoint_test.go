package rdd_test

import (
	"errors"
	"io"
	"io/fs"
	"iter"
	"strings"
	"testing"

	"github.com/coherer/coherer/actors/rdd"
)

var storedTexts = rdd.Define("stored texts", func(n int) rdd.Dataset[string] {
	return rdd.Map(rdd.Checkpoint(rdd.Map(rdd.Range(0, int64(n), 2), func(i int64) string { return strings.Repeat("x", int(i)%100) })),
		func(s string) string { return s + "." })
})

// partOf is an Output with one file.
type partOf struct {
	disk *rdd.MemDisk
	name string
}

func (p partOf) Create() (io.WriteCloser, error) { return p.disk.Create(p.name) }

// storeTexts writes both partitions to /c, and returns the lineage and a way to read one.
func storeTexts(t *testing.T, n int) (*rdd.MemDisk, func(partition int) (rdd.Result, error)) {
	t.Helper()
	inv, err := storedTexts.With(n).Invocation()
	if err != nil {
		t.Fatal(err)
	}
	const node = 2
	disk := &rdd.MemDisk{}
	if err := disk.Mkdir("/c"); err != nil {
		t.Fatal(err)
	}
	for p, name := range []string{"/c/part-00000", "/c/part-00001"} {
		res, err := inv.Lineage.RunResult(rdd.Task{Node: node, Partition: p, Output: partOf{disk, name}}, rdd.ActionCheckpoint)
		if err != nil || res.Count != int64(n/2) {
			t.Fatal(res.Count, err)
		}
	}
	if _, err := inv.Lineage.RunResult(rdd.Task{Node: 1, Output: partOf{disk, "/c/x"}}, rdd.ActionCheckpoint); !errors.Is(err, rdd.ErrBadTask) {
		t.Errorf("a node that is no checkpoint: %v", err)
	}
	return disk, func(p int) (rdd.Result, error) {
		return inv.Lineage.RunResult(rdd.Task{Node: inv.Lineage.Last(), Partition: p, FS: disk, Checkpoints: map[int]string{node: "/c"}}, rdd.ActionCollect)
	}
}

func contentsOf(t *testing.T, disk *rdd.MemDisk, name string) []byte {
	t.Helper()
	f, err := disk.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	data := make([]byte, f.Size())
	if _, err := f.ReadAt(data, 0); err != nil {
		t.Fatal(err)
	}
	return data
}

func replace(t *testing.T, disk *rdd.MemDisk, name string, data []byte) {
	t.Helper()
	if err := disk.RemoveAll(name); err != nil {
		t.Fatal(err)
	}
	f, err := disk.Create(name)
	if err == nil {
		_, err = f.Write(data)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// A partition that was written is read as it was computed, in many pieces too.
func TestACheckpointIsReadAsItWasWritten(t *testing.T) {
	for _, n := range []int{0, 2, 20_000} {
		_, read := storeTexts(t, n)
		inv, _ := storedTexts.With(n).Invocation()
		for p := range 2 {
			want, err := inv.Lineage.RunResult(rdd.Task{Node: inv.Lineage.Last(), Partition: p}, rdd.ActionCollect)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := read(p); err != nil || got.Count != want.Count || string(got.Records) != string(want.Records) {
				t.Errorf("%d records, partition %d: %d records, error %v", n, p, got.Count, err)
			}
		}
	}
}

// Whatever byte is changed and wherever a file is cut, the task fails; no record is made up.
func TestADamagedCheckpointFailsTheTask(t *testing.T) {
	disk, read := storeTexts(t, 12)
	good := contentsOf(t, disk, "/c/part-00001")
	damaged := func(yield func([]byte) bool) {
		for i := range good {
			changed := []byte(string(good))
			changed[i] ^= 0x41
			if !yield(changed) || !yield(good[:i]) {
				return
			}
		}
		yield(append([]byte(string(good)), 0))
	}
	n := 0
	for data := range iter.Seq[[]byte](damaged) {
		replace(t, disk, "/c/part-00001", data)
		if _, err := read(1); !errors.Is(err, rdd.ErrCorrupt) || !strings.Contains(err.Error(), "/c/part-00001") {
			t.Errorf("%q: error %v", data, err)
		}
		n++
	}
	if n < 50 {
		t.Errorf("only %d files were tried", n)
	}
	if err := disk.RemoveAll("/c/part-00001"); err != nil {
		t.Fatal(err)
	}
	if _, err := read(1); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "File /c/part-00001 does not exist") {
		t.Errorf("without the file: %v", err)
	}
}
