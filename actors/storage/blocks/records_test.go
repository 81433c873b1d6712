package blocks_test

import (
	"bytes"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/coherer/coherer/actors/storage/blocks"
)

var (
	records        = blocks.Level{Memory: true, Deserialized: true, Replication: 1}
	recordsAndDisk = blocks.Level{Memory: true, Disk: true, Deserialized: true, Replication: 1}
	onlyOnDisk     = blocks.Level{Disk: true, Deserialized: true, Replication: 1}
)

// A record of these tests has two bytes in memory, and one byte in its encoding.

// unroll gives records to a writer as a task does; false: it took them neither as records nor in their encoding.
func unroll(t rapid.TB, w *blocks.Writer, all string) bool {
	encode := func() [][]byte { return [][]byte{[]byte(all)} }
	size := int64(len(all))
	if w.Grow(size/2) && w.Grow(2*size-size/2) {
		w.CommitRecords(all, encode)
		return true
	}
	for _, piece := range encode() {
		if !w.Write(piece) {
			w.Abort()
			return false
		}
	}
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
	return true
}

// read is what a block holds: its records, or their encoding, which is decoded for the next reader if it is wanted.
func (k kit) read(t rapid.TB, id string) (string, bool) {
	kept, ok := k.Get(id)
	if kept.Records != nil {
		if kept.Decode != nil {
			t.Fatalf("%s: there are records, and it wants them", id)
		}
		return kept.Records.(string), ok
	}
	for _, s := range k.All() {
		if s.ID == id && (kept.Decode != nil) != (s.Wanted.Memory && s.Wanted.Deserialized) {
			t.Fatalf("%v, level %+v: it wants records: %t", s, s.Wanted, kept.Decode != nil)
		}
	}
	all := string(bytes.Join(kept.Pieces, nil))
	if kept.Decode != nil {
		unroll(t, kept.Decode, all)
	}
	return all, ok
}

func (k kit) putRecords(t rapid.TB, id string, level blocks.Level, all string) bool {
	w := k.Writer(id, level)
	return w != nil && unroll(t, w, all)
}

func TestRecordsAreKeptAsTheyAre(t *testing.T) {
	k := newKit(100)
	if !k.putRecords(t, "rdd_0_0", records, "records") {
		t.Fatal("it is not kept")
	}
	if got, ok := k.read(t, "rdd_0_0"); !ok || got != "records" || k.m.Usage().Storage != 14 {
		t.Errorf("%q, usage %+v", got, k.m.Usage())
	}
	if s := k.Changes(); len(s) != 1 || s[0].Level != records || s[0].Wanted != records || s[0].MemSize != 14 {
		t.Errorf("changes %+v", s)
	}
	if data, ok := k.Bytes("rdd_0_0"); !ok || !bytes.Equal(data, blocks.Encode([][]byte{[]byte("records")})) {
		t.Errorf("others get %q", data)
	}
}

// Records for which memory has no room are encoded on the way to disk, or not kept.
func TestRecordsWithoutRoom(t *testing.T) {
	k := newKit(10)
	if k.putRecords(t, "rdd_0_0", records, "records") || k.where("rdd_0_0") != "-" {
		t.Errorf("it is at %s", k.where("rdd_0_0"))
	}
	if !k.putRecords(t, "rdd_0_1", recordsAndDisk, "records") || k.where("rdd_0_1") != "d" || k.m.Usage().Storage != 0 {
		t.Errorf("it is at %s, usage %+v", k.where("rdd_0_1"), k.m.Usage())
	}
	// Nor is there room when it is read.
	if got, _ := k.read(t, "rdd_0_1"); got != "records" || k.where("rdd_0_1") != "d" || k.m.Usage().Storage != 0 {
		t.Errorf("%q at %s, usage %+v", got, k.where("rdd_0_1"), k.m.Usage())
	}
}

// Records that give way are encoded to disk, and come back as records.
func TestRecordsGiveWayAndComeBack(t *testing.T) {
	k := newKit(20)
	k.putRecords(t, "rdd_0_0", recordsAndDisk, "records")
	k.putRecords(t, "rdd_1_0", recordsAndDisk, "others")
	if k.where("rdd_0_0") != "d" || k.where("rdd_1_0") != "m" || k.m.Usage().Storage != 12 {
		t.Errorf("they are at %s and %s, usage %+v", k.where("rdd_0_0"), k.where("rdd_1_0"), k.m.Usage())
	}
	k.Changes()
	if got, _ := k.read(t, "rdd_0_0"); got != "records" || k.where("rdd_0_0") != "md" || k.where("rdd_1_0") != "d" || k.m.Usage().Storage != 14 {
		t.Errorf("%q, they are at %s and %s, usage %+v", got, k.where("rdd_0_0"), k.where("rdd_1_0"), k.m.Usage())
	}
	changed := k.Changes()
	if i := slices.IndexFunc(changed, func(s blocks.Status) bool { return s.ID == "rdd_0_0" }); len(changed) != 2 || i < 0 || !changed[i].Level.Deserialized {
		t.Errorf("changes %+v", changed)
	}
}

// A block of records that another executor gave has their encoding until it is read. Its readers may meet.
func TestRecordsFromElsewhere(t *testing.T) {
	k := newKit(100)
	k.put(t, "rdd_0_0", records, 7)
	first, _ := k.Get("rdd_0_0")
	second, _ := k.Get("rdd_0_0")
	if first.Records != nil || first.Decode == nil || k.All()[0].Level.Deserialized || k.m.Usage().Storage != 7 {
		t.Fatalf("%+v, usage %+v", first, k.m.Usage())
	}
	for _, kept := range []blocks.Kept{first, second} {
		unroll(t, kept.Decode, "0000000")
		if got, _ := k.read(t, "rdd_0_0"); got != "0000000" || !k.All()[0].Level.Deserialized || k.m.Usage().Storage != 14 {
			t.Errorf("%q, %+v, usage %+v", got, k.All(), k.m.Usage())
		}
	}
	k.put(t, "rdd_0_1", records, 7)
	late, _ := k.Get("rdd_0_1")
	k.Remove("rdd_0_1")
	unroll(t, late.Decode, "1111111")
	if k.where("rdd_0_1") != "-" || k.m.Usage().Storage != 14 {
		t.Errorf("it is at %s, usage %+v", k.where("rdd_0_1"), k.m.Usage())
	}
}

// Whatever happens, what is kept can be read, memory is accounted for to the byte, and no file is left over.
func TestAccountsHold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := newKit(rapid.Int64Range(0, 300).Draw(t, "memory"))
		sizes := map[string]int{}
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			id := blocks.ID(rapid.Int32Range(0, 2).Draw(t, "rdd"), rapid.IntRange(0, 2).Draw(t, "partition"))
			switch rapid.SampledFrom([]string{"put", "records", "get", "remove", "task", "end", "fill"}).Draw(t, "step") {
			case "put":
				level := rapid.SampledFrom([]blocks.Level{memoryOnly, memoryAndDisk, diskOnly, records, recordsAndDisk, onlyOnDisk}).Draw(t, "level")
				if size := rapid.IntRange(0, 120).Draw(t, "size"); !k.d.full && k.put(t, id, level, size) {
					sizes[id] = size
				}
			case "records":
				level := rapid.SampledFrom([]blocks.Level{records, recordsAndDisk}).Draw(t, "level")
				if all := rapid.StringN(0, 60, 120).Draw(t, "records"); !k.d.full && k.putRecords(t, id, level, all) {
					sizes[id] = len(all)
				}
			case "get":
				if all, ok := k.read(t, id); ok && len(all) != sizes[id] {
					t.Fatalf("%s has %d bytes, want %d", id, len(all), sizes[id])
				}
			case "remove":
				k.Remove(id)
			case "task":
				k.m.AcquireExecution(1, rapid.Int64Range(0, 300).Draw(t, "n"))
			case "end":
				k.m.EndTask(1)
			case "fill":
				k.d.full = !k.d.full
			}
			inMemory, onDisk := int64(0), 0
			for _, s := range k.All() {
				inMemory += s.MemSize
				if s.Level.Disk {
					onDisk++
				}
				if !s.Level.Disk && !s.Level.Memory {
					t.Fatalf("%v is nowhere", s)
				}
			}
			if u := k.m.Usage(); u.Storage != inMemory || onDisk != len(k.d.files) {
				t.Fatalf("usage %+v, %d bytes in memory; %d blocks on disk, %d files", u, inMemory, onDisk, len(k.d.files))
			}
		}
	})
}
