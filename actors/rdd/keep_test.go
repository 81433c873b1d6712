package rdd

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// sliceArgs say at which level slices are kept, and whether their reader appends to them instead of changing them.
type sliceArgs struct {
	Level  StorageLevel
	Append bool
}

// keptSlices keeps a slice in each record, with room behind its end, and gives them to a function that changes them.
var keptSlices = Define("kept slices", func(a sliceArgs) Dataset[int64] {
	kept := Persist(Map(Range(0, 3, 1), func(x int64) []int64 { return append(make([]int64, 0, 8), x) }), a.Level)
	return Map(kept, func(s []int64) int64 {
		if a.Append {
			return append(s, 7)[0] + int64(cap(s)) - int64(len(s))
		}
		s[0] += 10
		return s[0]
	})
})

// Readers of a deserialized level share the records, and what one changes the next one sees, as in Spark. Others have records of their own.
func TestReadersShareDeserializedRecords(t *testing.T) {
	for _, tc := range []struct {
		level  StorageLevel
		shared bool
	}{{MemoryOnly, true}, {MemoryAndDisk, true}, {MemoryOnlySer, false}, {MemoryAndDiskSer, false}, {DiskOnly, false}} {
		r, b := Local(MemFS{}), keptSlices.With(sliceArgs{tc.level, false})
		want := []int64{10, 11, 12}
		for range 3 {
			if got := passes(t, r, b, 0); !slices.Equal(got, want) {
				t.Errorf("%s: %v, want %v", tc.level, got, want)
			}
			for i := range want {
				if tc.shared {
					want[i] += 10
				}
			}
		}
	}
}

// Two readers that append to a slice of the same record must not meet behind its end.
func TestKeptSlicesHaveNoRoomBehindTheirEnd(t *testing.T) {
	r, b := Local(MemFS{}), keptSlices.With(sliceArgs{MemoryOnly, true})
	passes(t, r, b, 0) // which computes them
	if got := passes(t, r, b, 0); !slices.Equal(got, []int64{0, 1, 2}) {
		t.Errorf("%v, with the room behind their ends; want none", got)
	}
}

func TestClipOf(t *testing.T) {
	type in struct {
		Name string
		List []int
		Two  [2][]string
	}
	if clipOf[string]() != nil || clipOf[Pair[int, map[string][]int]]() != nil || clipOf[[2]int]() != nil {
		t.Error("a type without slices is looked at")
	}
	v := PairOf(make([]int, 1, 9), in{"a", make([]int, 2, 9), [2][]string{nil, make([]string, 3, 9)}})
	clipOf[Pair[[]int, in]]()(&v)
	if got := fmt.Sprint(cap(v.Key), cap(v.Value.List), cap(v.Value.Two[0]), cap(v.Value.Two[1])); got != "1 2 0 3" {
		t.Errorf("their rooms are %s", got)
	}
}

// refusing is a BlockCache whose writers take so many bytes of records, and so many pieces.
type refusing struct {
	room            int64
	take            int
	commits, aborts int
	written         int // pieces, refused ones too
	grown, most     int64
	pieces          [][]byte
	records         any
	fail            error
}

func (c *refusing) Get(int, int) (Kept, bool, error) { return Kept{}, false, c.fail }
func (c *refusing) Put(int, int) PartitionWriter     { return c }
func (c *refusing) Grow(n int64) bool {
	c.grown += n
	c.most = max(c.most, n)
	return c.grown <= c.room
}

func (c *refusing) Write(piece []byte) bool {
	c.written++
	c.pieces = append(c.pieces, piece)
	return c.written <= c.take
}
func (c *refusing) Commit() error { c.commits++; return c.fail }
func (c *refusing) CommitRecords(records any, encode func() [][]byte) error {
	c.records, c.pieces = records, encode()
	return c.Commit()
}
func (c *refusing) Abort() { c.aborts++ }

// However much of a partition a cache takes, its reader gets all of it once, and pieces are whole records.
func TestACacheMayRefuse(t *testing.T) {
	long := longRecords.With(4)
	for take := range 4 {
		c := &refusing{take: take}
		l, err := Lookup(long.name, long.args)
		if err != nil {
			t.Fatal(err)
		}
		res, err := l.RunResult(Task{Node: l.Last(), Cache: c}, ActionCount)
		if err != nil || res.Count != 4 {
			t.Errorf("with %d pieces taken: %d records, error %v", take, res.Count, err)
		}
		// Each record of 40,000 bytes: two make a piece.
		want := refusing{take: take, written: min(take+1, 2), commits: 1}
		if take < 2 {
			want.commits, want.aborts = 0, 1
		}
		if c.written != want.written || c.commits != want.commits || c.aborts != want.aborts {
			t.Errorf("with %d taken: %d pieces, %d commits, %d aborts; want %d, %d, %d", take, c.written, c.commits, c.aborts, want.written, want.commits, want.aborts)
		}
		records, _ := codecOf[string]()
		for _, piece := range c.pieces {
			if _, rest, err := records.decode(piece); err != nil || len(rest) == 0 {
				t.Errorf("a piece is not two whole records: %v", err)
			}
		}
	}
	c := &refusing{fail: errors.New("killed")}
	l, _ := Lookup(long.name, long.args)
	if _, err := l.RunResult(Task{Node: l.Last(), Cache: c}, ActionCount); !errors.Is(err, c.fail) {
		t.Errorf("error %v, want that of Get", err)
	}
}

// However much room there is, what is kept is whole, as records or else in whole pieces, and the records are as large as was asked for.
func TestAPartitionIsKeptWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lengths := rapid.SliceOfN(rapid.IntRange(0, 50_000), 0, 20).Draw(t, "lengths")
		c := &refusing{room: rapid.Int64Range(0, 400_000).Draw(t, "room"), take: 100}
		b := textsOf.With(lengths)
		l, err := Lookup(b.name, b.args)
		if err != nil {
			t.Fatal(err)
		}
		res, err := l.RunResult(Task{Node: l.Last(), Cache: c}, ActionCollect)
		if err != nil || c.commits != 1 || c.aborts != 0 {
			t.Fatalf("%d commits, %d aborts, error %v", c.commits, c.aborts, err)
		}
		if got := bytes.Join(c.pieces, nil); !bytes.Equal(got, res.Records) {
			t.Errorf("kept are %d bytes, the reader has %d", len(got), len(res.Records))
		}
		for i, p := range c.pieces {
			if len(p) == 0 || i < len(c.pieces)-1 && len(p) < pieceSize && c.records != nil {
				t.Errorf("piece %d has %d bytes", i, len(p))
			}
		}
		if fits := c.grown <= c.room; fits != (c.records != nil) {
			t.Errorf("%d bytes of %d: kept are records %T", c.grown, c.room, c.records)
		}
		if longest := int64(50_000); c.most > pieceSize+longest+100 {
			t.Errorf("room for %d bytes was asked at once", c.most)
		}
		if c.records == nil {
			return
		}
		size := int64(0)
		for _, chunk := range c.records.([][]string) {
			if len(chunk) == 0 || cap(chunk) > len(chunk)+len(chunk)/4+1 {
				t.Errorf("a chunk of %d records has room for %d", len(chunk), cap(chunk))
			}
			for _, v := range chunk {
				size += int64(len(v)) + 16
				if len(v) > 0 {
					size += allocation
				}
			}
		}
		if c.grown < size || c.grown > size+int64(len(lengths))*allocation {
			t.Errorf("room for %d bytes was taken, the records have %d", c.grown, size)
		}
	})
}

var textsOf = Define("texts of lengths", func(lengths []int) Dataset[string] {
	return Cache(Map(Range(0, int64(len(lengths)), 1), func(i int64) string { return strings.Repeat("x", lengths[i]) }))
})

var longRecords = Define("long records", func(n int) Dataset[string] {
	return Cache(Map(Range(0, int64(n), 1), func(x int64) string { return strings.Repeat(fmt.Sprint(x), 40000) }))
})

// Damaged pieces are an error, never a panic.
func TestDamagedPiecesOfAKeptPartition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		piece := rapid.SliceOf(rapid.Byte()).Draw(t, "piece")
		l, err := Lookup(longRecords.With(1).name, longRecords.With(1).args)
		if err != nil {
			t.Fatal(err)
		}
		res, err := l.RunResult(Task{Node: l.Last(), Cache: damaged{piece}}, ActionCollect)
		if err == nil && !bytes.Equal(res.Records, piece) || err != nil && !errors.Is(err, ErrCorrupt) {
			t.Fatalf("error %v", err)
		}
	})
}

type damaged struct{ piece []byte }

func (d damaged) Get(int, int) (Kept, bool, error) { return Kept{Pieces: [][]byte{d.piece}}, true, nil }
func (damaged) Put(int, int) PartitionWriter       { return nil }
