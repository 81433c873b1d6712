package record

import (
	"math/bits"
	"sync"
	"sync/atomic"
	"unsafe"
)

// ringMagic is how a ring file begins; its last letter counts the versions of the format.
const ringMagic = "CHTRING1"

// The parts of a ring, in a file as in memory, all numbers in the byte order of the machine:
//
//	0      ringMagic
//	8      uint32 log2 of the number of shards
//	12     uint32 log2 of the number of slots in a shard
//	16     uint32 size of the names
//	20     uint32 1 once the Recorder was closed in good order
//	24     uint64 bytes of names in use
//	32     uint64 the identity of this ring: a cursor of another ring has another one
//	128    for each shard, 64 bytes apart: uint64 how many records were ever put into it
//	4096   the names: uint16 length and text of each, the first one has number 1
//	then   the slots
//
// A slot is eight words: a seal, the time, and what words says. The seal is the number of the record in its shard and a
// check over the other words, so a slot that was written to half, or by two at once, is seen not to be one.
const (
	ringState     = 20
	ringNamesUsed = 24
	ringIdentity  = 32
	ringHeads     = 128
	ringNames     = 4096
	cacheLine     = 64
	slotWords     = 8
	slotSize      = slotWords * 8

	maxShardBits = 5 // the heads end before the names
	maxRingBits  = 20
	maxNamesSize = 4 << 20
)

// shape is the size of a ring and of its parts.
type shape struct {
	shardBits, slotBits, namesSize uint32
}

var (
	// processShape has room for 65,536 records: more than two processes at full speed make between two flushes.
	processShape = shape{shardBits: 4, slotBits: 12, namesSize: 256 << 10}
	// memoryShape is that of a world, of which a test may make thousands.
	memoryShape = shape{shardBits: 0, slotBits: 10, namesSize: 8 << 10}
)

func (s shape) slotsAt() int { return ringNames + int(s.namesSize) }

func (s shape) size() int { return s.slotsAt() + slotSize<<(s.shardBits+s.slotBits) }

func (s shape) valid() bool {
	// slotBits alone too: the sum of two large numbers may overflow.
	slots := s.shardBits <= maxShardBits && s.slotBits <= maxRingBits && s.shardBits+s.slotBits <= maxRingBits
	return slots && s.namesSize <= maxNamesSize && s.namesSize%cacheLine == 0
}

// ring keeps the latest records of a process in slots of a fixed size, always. Writers do not wait for each other: each
// takes the next slot of its shard by one atomic addition; endpoints are spread over the shards.
type ring struct {
	shape
	mem   []byte
	heads unsafe.Pointer
	slots unsafe.Pointer

	shardMask, slotMask uint64

	names dictionary
	// lock is held by writers and readers of a ring in the Go heap, whose races the race detector would report.
	lock   sync.Mutex
	locked bool
}

// newRing makes a ring in mem, which is all zero and as large as s says.
func newRing(s shape, mem []byte, locked bool) *ring {
	g := &ring{
		shape: s, mem: mem, locked: locked, heads: unsafe.Pointer(&mem[ringHeads]), slots: unsafe.Pointer(&mem[s.slotsAt()]),
		shardMask: 1<<s.shardBits - 1, slotMask: 1<<s.slotBits - 1,
	}
	copy(mem, ringMagic)
	for i, v := range []uint32{s.shardBits, s.slotBits, s.namesSize} {
		*(*uint32)(unsafe.Pointer(&mem[8+4*i])) = v
	}
	g.names.init(mem[ringNames:ringNames+int(s.namesSize)], g.word(ringNamesUsed))
	return g
}

func (g *ring) word(at int) *uint64 { return (*uint64)(unsafe.Pointer(&g.mem[at])) }

func (g *ring) head(shard uint32) *uint64 { return g.word(ringHeads + cacheLine*int(shard)) }

// words is a record in a slot, without its seal.
type words [slotWords - 1]uint64

// claimedAhead is how many records before its own put fetches the memory of a slot.
const claimedAhead = 4

// claim takes the next slot of a shard; pos is the number of the record to come. Of a locked ring the caller holds the lock.
func (g *ring) claim(shard uint32) (slot *[slotWords]uint64, pos uint64) {
	s := uint64(shard) & g.shardMask
	pos = atomic.AddUint64((*uint64)(unsafe.Add(g.heads, s*cacheLine)), 1) - 1
	return (*[slotWords]uint64)(unsafe.Add(g.slots, (s<<(g.slotBits&31)|pos&g.slotMask)*slotSize)), pos
}

// put fills the next slot of a shard. Its stores may come in any order: the seal shows whether all were done.
func (g *ring) put(shard uint32, w *words) {
	if g.locked {
		g.lock.Lock()
		defer g.lock.Unlock()
	}
	slot, pos := g.claim(shard)
	copy(slot[1:], w[:])
	slot[0] = seal(pos, w)
	// Not in fill: as long as nothing is recorded beside it, a cache mostly has the ring.
	prefetch(unsafe.Add(g.slots, ((uint64(shard)&g.shardMask)<<(g.slotBits&31)|(pos+claimedAhead)&g.slotMask)*slotSize), slotSize)
}

// fill is put for words in registers. The sixth has the endpoint and the Env, which choose the shard.
func (g *ring) fill(at, id, item, cause, from, where, what uint64) {
	shard := uint32(where) + uint32(uint16(where>>32))
	if g.locked {
		g.put(shard, &words{at, id, item, cause, from, where, what})
		return
	}
	slot, pos := g.claim(shard)
	slot[1], slot[2], slot[3], slot[4], slot[5], slot[6], slot[7] = at, id, item, cause, from, where, what
	slot[0] = sealOf(pos, at, id, item, cause, from, where, what)
}

// seal marks w as the whole record of a number.
func seal(pos uint64, w *words) uint64 { return sealOf(pos, w[0], w[1], w[2], w[3], w[4], w[5], w[6]) }

func sealOf(pos, a, b, c, d, e, f, g uint64) uint64 {
	x := a ^ bits.RotateLeft64(b, 9) ^ bits.RotateLeft64(c, 18) ^ bits.RotateLeft64(d, 27) ^ bits.RotateLeft64(e, 36) ^
		bits.RotateLeft64(f, 45) ^ bits.RotateLeft64(g, 54)
	const odd = 0x9E3779B97F4A7C15 // xor with it: a slot of zeros, which nobody has written yet, must not have the seal 0
	return pos<<32 | (x^odd)*odd>>32
}

// total is how many records were ever put in.
func (g *ring) total() (n uint64) {
	for s := range uint32(1) << g.shardBits {
		n += atomic.LoadUint64(g.head(s))
	}
	return n
}

// close notes that the Recorder was closed in good order. Late writers still write: their memory stays.
func (g *ring) close() { atomic.StoreUint32((*uint32)(unsafe.Pointer(&g.mem[ringState])), 1) }
