package blocks_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/coherer/coherer/actors/storage/blocks"
	"github.com/coherer/coherer/actors/storage/memory"
)

// disk is a Disk in memory.
type disk struct {
	files map[string][]byte
	full  bool
}

func (d *disk) Put(ids []string, data [][]byte) error {
	if d.full {
		return errors.New("no space left on device")
	}
	d.files[ids[0]] = bytes.Clone(data[0])
	return nil
}

func (d *disk) Get(id string) ([]byte, error) {
	if data, ok := d.files[id]; ok {
		return data, nil
	}
	return nil, errors.New("no such file")
}

func (d *disk) Remove(id string) error {
	delete(d.files, id)
	return nil
}

type kit struct {
	*blocks.Store
	m *memory.Manager
	d *disk
}

func newKit(bytes int64) kit {
	m := memory.New(memory.Region{Size: bytes, Storage: bytes / 2})
	d := &disk{files: map[string][]byte{}}
	return kit{blocks.New(m, d), m, d}
}

var (
	memoryOnly    = blocks.Level{Memory: true, Replication: 1}
	memoryAndDisk = blocks.Level{Memory: true, Disk: true, Replication: 1}
	diskOnly      = blocks.Level{Disk: true, Replication: 1}
)

// put keeps a block of so many bytes in pieces of ten; false when it was refused.
func (k kit) put(t rapid.TB, id string, level blocks.Level, size int) bool {
	w := k.Writer(id, level)
	if w == nil {
		return false
	}
	for n := 0; n < size; n += 10 {
		if !w.Write(bytes.Repeat([]byte(id[len(id)-1:]), min(10, size-n))) {
			w.Abort()
			return false
		}
	}
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
	return true
}

// where says where a block is: m, d, md, or - for nowhere.
func (k kit) where(id string) string {
	for _, s := range k.All() {
		if s.ID == id {
			text := ""
			if s.Level.Memory {
				text += "m"
			}
			if s.Level.Disk {
				text += "d"
			}
			return text
		}
	}
	return "-"
}

func (k kit) want(t *testing.T, id, where string) {
	t.Helper()
	if got := k.where(id); got != where {
		t.Errorf("%s is at %q, want %q", id, got, where)
	}
}

func (k kit) get(t *testing.T, id string, size int) {
	t.Helper()
	kept, ok := k.Get(id)
	if want := bytes.Repeat([]byte(id[len(id)-1:]), size); !ok || !bytes.Equal(bytes.Join(kept.Pieces, nil), want) {
		t.Errorf("%s: %q, %v", id, kept.Pieces, ok)
	}
}

func TestTheBlockUsedLeastLatelyGivesWay(t *testing.T) {
	k := newKit(100)
	k.put(t, "rdd_0_0", memoryOnly, 40)
	k.put(t, "rdd_1_0", memoryOnly, 40)
	k.get(t, "rdd_0_0", 40)
	k.put(t, "rdd_2_0", memoryOnly, 40)
	k.want(t, "rdd_0_0", "m")
	k.want(t, "rdd_1_0", "-")
	k.want(t, "rdd_2_0", "m")
	if u := k.m.Usage(); u.Storage != 80 {
		t.Errorf("usage %+v", u)
	}
}

func TestBlocksOfOneDatasetDoNotPushEachOtherOut(t *testing.T) {
	k := newKit(100)
	k.put(t, "rdd_0_0", memoryOnly, 60)
	if k.put(t, "rdd_0_1", memoryOnly, 60) {
		t.Error("the second partition was kept")
	}
	k.want(t, "rdd_0_0", "m")
	if u := k.m.Usage(); u.Storage != 60 {
		t.Errorf("usage %+v: what the second one held is not given back", u)
	}
	k.put(t, "rdd_0_2", memoryAndDisk, 60)
	k.want(t, "rdd_0_2", "d")
}

func TestABlockWithADiskGoesThereAndComesBack(t *testing.T) {
	k := newKit(100)
	k.put(t, "rdd_0_0", memoryAndDisk, 60)
	k.put(t, "rdd_1_0", memoryOnly, 60)
	k.want(t, "rdd_0_0", "d")
	k.get(t, "rdd_0_0", 60) // it pushes the other one out
	k.want(t, "rdd_0_0", "md")
	k.want(t, "rdd_1_0", "-")
	k.put(t, "rdd_1_0", memoryOnly, 60)
	k.want(t, "rdd_0_0", "d")
	k.get(t, "rdd_1_0", 60)
	k.put(t, "rdd_3_0", diskOnly, 30)
	k.get(t, "rdd_3_0", 30)
	k.want(t, "rdd_3_0", "d") // its level has no memory
	if n := k.RemoveDataset(0); n != 1 || k.d.files["rdd_0_0"] != nil {
		t.Errorf("%d blocks removed, files %v", n, k.d.files)
	}
	k.want(t, "rdd_0_0", "-")
	if k.Remove("rdd_0_0") {
		t.Error("it was removed twice")
	}
}

func TestABlockTooLargeForMemoryGoesToDisk(t *testing.T) {
	k := newKit(100)
	k.put(t, "rdd_1_0", memoryOnly, 40)
	k.put(t, "rdd_0_0", memoryAndDisk, 150)
	k.want(t, "rdd_0_0", "d")
	k.get(t, "rdd_0_0", 150)
	if u := k.m.Usage(); u.Storage > 40 {
		t.Errorf("usage %+v", u)
	}
}

func TestAFullDiskFailsTheWriter(t *testing.T) {
	k := newKit(100)
	k.d.full = true
	w := k.Writer("rdd_0_0", diskOnly)
	if w.Write([]byte("x")); w.Commit() == nil {
		t.Error("it was kept on a full disk")
	}
	w.Abort()
	k.want(t, "rdd_0_0", "-")
	// A block that gives way to another one is lost instead.
	k.put(t, "rdd_0_1", memoryAndDisk, 60)
	k.put(t, "rdd_1_0", memoryOnly, 60)
	k.want(t, "rdd_0_1", "-")
}

func TestDamageOnDiskCountsAsLost(t *testing.T) {
	for name, damage := range map[string]func([]byte) []byte{
		"a bit": func(b []byte) []byte { b[len(b)-1] ^= 1; return b }, "shorter": func(b []byte) []byte { return b[:len(b)-1] },
		"gone": func([]byte) []byte { return nil },
	} {
		k := newKit(100)
		k.put(t, "rdd_0_0", diskOnly, 20)
		k.d.files["rdd_0_0"] = damage(k.d.files["rdd_0_0"])
		if _, ok := k.Get("rdd_0_0"); ok || k.where("rdd_0_0") != "-" {
			t.Errorf("%s: it was read, or is still kept", name)
		}
	}
}

func TestTheQuickerOfTwoWritersCounts(t *testing.T) {
	for _, level := range []blocks.Level{memoryOnly, diskOnly} {
		k := newKit(100)
		a, b := k.Writer("rdd_0_0", memoryOnly), k.Writer("rdd_0_0", level)
		for _, w := range []*blocks.Writer{a, b} {
			w.Write([]byte("0000"))
			if err := w.Commit(); err != nil {
				t.Fatal(err)
			}
		}
		if k.Writer("rdd_0_0", level) != nil {
			t.Error("a block that is kept is written again")
		}
		k.get(t, "rdd_0_0", 4)
		if u := k.m.Usage(); u.Storage != 4 || len(k.d.files) > 0 {
			t.Errorf("usage %+v, files %v", u, k.d.files)
		}
	}
}

func TestAnEmptyBlockIsKept(t *testing.T) {
	for _, level := range []blocks.Level{memoryOnly, diskOnly} {
		k := newKit(100)
		k.put(t, "rdd_0_0", level, 0)
		k.get(t, "rdd_0_0", 0)
	}
}

func TestChangesAreNotedOnce(t *testing.T) {
	k := newKit(100)
	k.put(t, "rdd_0_0", memoryAndDisk, 60)
	k.put(t, "rdd_1_0", memoryOnly, 60)
	want := []blocks.Status{
		{ID: "rdd_0_0", Level: diskOnly, Wanted: memoryAndDisk, DiskSize: 67},
		{ID: "rdd_1_0", Level: memoryOnly, Wanted: memoryOnly, MemSize: 60},
	}
	if got := k.Changes(); !slices.Equal(got, want) {
		t.Errorf("changes %v, want %v", got, want)
	}
	if got := k.Changes(); len(got) > 0 {
		t.Errorf("changes %v again", got)
	}
	k.Remove("rdd_1_0")
	if got := k.Changes(); !slices.Equal(got, []blocks.Status{{ID: "rdd_1_0"}}) {
		t.Errorf("changes %v after a removal", got)
	}
}

func TestABlockTravelsInItsPieces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := newKit(1 << 20)
		w := k.Writer("rdd_0_0", memoryOnly)
		pieces := rapid.SliceOf(rapid.SliceOf(rapid.Byte())).Draw(t, "pieces")
		for _, p := range pieces {
			w.Write(p)
		}
		if err := w.Commit(); err != nil {
			t.Fatal(err)
		}
		data, ok := k.Bytes("rdd_0_0")
		got, err := blocks.Decode(data)
		if !ok || err != nil || !slices.EqualFunc(got, pieces, bytes.Equal) {
			t.Fatalf("%q, want %q, error %v", got, pieces, err)
		}
	})
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte{2, 1, 'a', 0})
	f.Fuzz(func(t *testing.T, data []byte) {
		pieces, err := blocks.Decode(data)
		if err != nil && !errors.Is(err, blocks.ErrDamaged) {
			t.Fatal(err)
		}
		if n := len(bytes.Join(pieces, nil)); n > len(data) {
			t.Fatalf("%d bytes of %d", n, len(data))
		}
	})
}

func TestParseID(t *testing.T) {
	for id, want := range map[string]string{
		"rdd_0_0": "0 0 true", "rdd_12_3": "12 3 true", "rdd_1": "0 0 false", "rdd_01_0": "0 0 false", "rdd_-1_0": "0 0 false",
		"shuffle_0_0": "0 0 false", "rdd_1_2_3": "0 0 false", "rdd_4294967296_0": "0 0 false", "": "0 0 false", "rdd_+1_0": "0 0 false",
	} {
		rdd, partition, ok := blocks.ParseID(id)
		if got := fmt.Sprint(rdd, partition, ok); got != want {
			t.Errorf("%q: %s, want %s", id, got, want)
		}
	}
}
