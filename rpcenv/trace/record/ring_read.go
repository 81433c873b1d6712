package record

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"unsafe"

	tracepb "github.com/coherer/coherer/messages/trace"
)

// unsettled is how far behind the newest record of a shard one may still be in the making.
const unsettled = 256

// Ring is what a ring file holds.
type Ring struct {
	// Records are in order of time, without bodies.
	Records []*tracepb.Record
	// Closed says that the Recorder was closed in good order: what it recorded is in its file.
	Closed bool
	// Torn counts slots whose record was not whole: at the end of a process that was killed, one for each thread.
	Torn int
}

// ReadRing reads a ring file, also that of a process that runs or was killed at any moment: a file that is short is good,
// and what is whole in it is returned. Another beginning and impossible sizes are ErrFormat, another version of the format
// is ErrVersion.
func ReadRing(path string) (ring *Ring, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("trace: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if ring, err = readRing(f); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return ring, nil
}

func readRing(r io.Reader) (*Ring, error) {
	header := make([]byte, ringNames)
	n, err := io.ReadFull(r, header)
	if err != nil && !isTorn(err) {
		return nil, fmt.Errorf("trace: read: %w", err)
	}
	if err := checkMagic(header[:min(n, len(ringMagic))], ringMagic); err != nil {
		return nil, err
	}
	s := shape{
		shardBits: binary.NativeEndian.Uint32(header[8:]), slotBits: binary.NativeEndian.Uint32(header[12:]),
		namesSize: binary.NativeEndian.Uint32(header[16:]),
	}
	// Before anything is read by it: a damaged header must not ask for gigabytes.
	if !s.valid() {
		return nil, fmt.Errorf("%w: a ring of 2^%d shards of 2^%d slots and %d bytes of names", ErrFormat, s.shardBits, s.slotBits, s.namesSize)
	}
	if n < len(header) {
		return &Ring{}, nil
	}
	rest, err := io.ReadAll(io.LimitReader(r, int64(s.size()-len(header))))
	if err != nil {
		return nil, fmt.Errorf("trace: read: %w", err)
	}
	names := rest[:min(len(rest), int(s.namesSize))]
	used := binary.NativeEndian.Uint64(header[ringNamesUsed:])
	list := readNames(names[:min(uint64(len(names)), used)])
	slots := rest[len(names):]
	v := ringView{
		shape: s,
		head:  func(shard uint32) uint64 { return binary.NativeEndian.Uint64(header[ringHeads+cacheLine*shard:]) },
		slot: func(i uint64, to *[slotWords]uint64) {
			// What a short file lacks reads as zero, which no seal fits.
			*to = [slotWords]uint64{}
			if end := (i + 1) * slotSize; end <= uint64(len(slots)) {
				for w := range to {
					to[w] = binary.NativeEndian.Uint64(slots[i*slotSize+uint64(8*w):])
				}
			}
		},
	}
	got := v.since(nil, 1<<maxRingBits)
	return &Ring{Records: got.records(list), Closed: binary.NativeEndian.Uint32(header[ringState:]) == 1, Torn: got.torn}, nil
}

// checkMagic says what is wrong with the beginning of a file, which may be cut short.
func checkMagic(got []byte, want string) error {
	version := len(want) - 1
	switch {
	case string(got) == want[:len(got)]:
		return nil
	case len(got) == len(want) && string(got[:version]) == want[:version]:
		return fmt.Errorf("%w: it has version %q, this program reads %q", ErrVersion, got[version:], want[version:])
	}
	return fmt.Errorf("%w: it begins with %q, want %q", ErrFormat, got, want)
}

// ringView is a ring to read, in a file or alive.
type ringView struct {
	shape
	head func(shard uint32) uint64
	slot func(i uint64, to *[slotWords]uint64)
	live bool
}

// view lets a reader in while others write.
func (g *ring) view() ringView {
	return ringView{
		shape: g.shape, live: true,
		head: func(shard uint32) uint64 { return atomic.LoadUint64(g.head(shard)) },
		slot: func(i uint64, to *[slotWords]uint64) {
			slot := (*[slotWords]uint64)(unsafe.Add(g.slots, i*slotSize))
			for w := range to {
				to[w] = atomic.LoadUint64(&slot[w])
			}
		},
	}
}

// reading is the result of since: words in order of time, and where to go on.
type reading struct {
	found []words
	next  []uint64 // by shard
	lost  uint64   // overwritten before they were read
	torn  int
	more  bool
}

// since reads at most limit records after those of next, by shard; nil is from the oldest on.
func (v ringView) since(next []uint64, limit int) reading {
	shards := 1 << v.shardBits
	r := reading{next: make([]uint64, shards)}
	copy(r.next, next)
	queues := make([][]words, shards)
	ends := make([][]uint64, shards) // where to go on after each of them
	for s := range shards {
		queues[s], ends[s] = v.shard(uint32(s), &r, limit)
	}
	// Each queue is in order of time: take the earliest head each time. next moves only over records that are returned.
	for len(r.found) < limit {
		first := -1
		for s, q := range queues {
			if len(q) > 0 && (first < 0 || int64(q[0][0]) < int64(queues[first][0][0])) {
				first = s
			}
		}
		if first < 0 {
			return r
		}
		r.found = append(r.found, queues[first][0])
		r.next[first] = ends[first][0]
		queues[first], ends[first] = queues[first][1:], ends[first][1:]
	}
	for _, q := range queues {
		r.more = r.more || len(q) > 0
	}
	return r
}

// shard reads the whole records of one shard after r.next, which it moves over what is lost.
func (v ringView) shard(shard uint32, r *reading, limit int) (found []words, ends []uint64) {
	head, slots := v.head(shard), uint64(1)<<v.slotBits
	if r.next[shard] > head {
		r.next[shard] = 0 // a cursor that this ring never gave out
	}
	if oldest := head - min(head, slots); r.next[shard] < oldest {
		r.lost += oldest - r.next[shard]
		r.next[shard] = oldest
	}
	// One beyond the limit, so that since knows whether there is more.
	for pos := r.next[shard]; pos < head && len(found) <= limit; pos++ {
		var slot [slotWords]uint64
		v.slot(uint64(shard)<<v.slotBits|pos&(slots-1), &slot)
		w := words(slot[1:])
		if slot[0] == seal(pos, &w) {
			found, ends = append(found, w), append(ends, pos+1)
			continue
		}
		switch {
		case !v.live:
			r.torn++ // its process was killed in the middle of it
		case v.head(shard)-pos < unsettled:
			return found, ends // somebody is writing it: the next reading takes it, whole
		case len(found) > 0:
			r.more = true // overwritten just now: the next reading begins with that
			return found, ends
		default:
			r.lost++
			r.next[shard] = pos + 1
		}
	}
	return found, ends
}

// records are those found; list has the names.
func (r reading) records(list []string) []*tracepb.Record {
	text := func(n Name) string {
		if n == 0 || int(n) > len(list) {
			return ""
		}
		return list[n-1]
	}
	out := make([]*tracepb.Record, 0, len(r.found))
	for i := range r.found {
		rec := r.found[i].unpack(text).record(nil)
		rec.Ring = true
		out = append(out, rec)
	}
	return out
}

// cursor encodes where the next reading goes on. A reader keeps it, and may give it back to another process's ring.
func (g *ring) cursor(next []uint64) []byte {
	b := binary.LittleEndian.AppendUint64(nil, *g.word(ringIdentity))
	for _, n := range next {
		b = binary.AppendUvarint(b, n)
	}
	return b
}

// parseCursor is nil for one of another ring.
func (g *ring) parseCursor(b []byte) []uint64 {
	if len(b) < 8 || binary.LittleEndian.Uint64(b) != *g.word(ringIdentity) {
		return nil
	}
	b = b[8:]
	var next []uint64
	for range 1 << g.shardBits {
		n, size := binary.Uvarint(b)
		if size <= 0 {
			return nil
		}
		next, b = append(next, n), b[size:]
	}
	return next
}

// ends are the numbers of the next records, by shard: the end, where a reading of what comes begins.
func (g *ring) ends() []uint64 {
	heads := make([]uint64, 1<<g.shardBits)
	for s := range heads {
		heads[s] = atomic.LoadUint64(g.head(uint32(s)))
	}
	return heads
}

// Reading is the result of Recorder.Since.
type Reading struct {
	// Records are in order of time, without bodies.
	Records []*tracepb.Record
	// Next is the cursor to go on with.
	Next []byte
	// Lost counts records between the cursor and the first one here, which were overwritten before they were read.
	Lost uint64
	// More says that the ring holds further records already.
	More bool
}

// Since reads what came into the ring after a cursor, at most limit records; latest skips all that the ring holds.
func (r *Recorder) Since(cursor []byte, limit int, latest bool) Reading {
	if r == nil {
		return Reading{}
	}
	g := r.ring
	if g.locked {
		g.lock.Lock()
		defer g.lock.Unlock()
	}
	if latest {
		return Reading{Next: g.cursor(g.ends())}
	}
	got := g.view().since(g.parseCursor(cursor), limit)
	return Reading{Records: got.records(g.names.texts()), Next: g.cursor(got.next), Lost: got.lost, More: got.more}
}
