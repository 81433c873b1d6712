//coherer:pure

package fair

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/coherer/coherer/actors/ids"
)

// Hadoop walks its hash maps in the order of the buckets. Where that order decides, hashOrder has it too.

// bucket is the place of a hash in a table of that many buckets, a power of two.
func bucket(hash, buckets uint32) uint32 { return (hash ^ hash>>16) & (buckets - 1) }

// buckets is the size of a Java HashMap that grew to so many entries.
func buckets(entries int) uint32 {
	n := uint32(16)
	for entries > int(n)*3/4 { // its load factor; it never shrinks, so that callers pass the most entries at one time
		n *= 2
	}
	return n
}

func javaHash(s string) uint32 {
	var h uint32
	for i := range len(s) {
		h = 31*h + uint32(s[i])
	}
	return h
}

// historicNodeHash is the hash of a node's id, host:port.
func historicNodeHash(id string) uint32 {
	host, portText, _ := strings.Cut(id, ":")
	port, _ := strconv.ParseUint(portText, 10, 16)
	// The constants here and below are those of Hadoop's hashCode methods.
	const prime, begin = uint32(493217), uint32(8501)
	return prime*(prime*begin+javaHash(host)) + uint32(port)
}

// historicNodes sorts nodes, which are in the order of their arrival, like a HashMap of their ids that once had most entries.
func historicNodes(all []*node, most int) {
	n := buckets(most)
	slices.SortStableFunc(all, func(a, b *node) int { return cmp.Compare(bucket(a.hash, n), bucket(b.hash, n)) })
}

// historicPass leaves the first node of each amount of free memory: Hadoop sorts nodes into a set that compares nothing else,
// and so offers only one of many idle nodes in a pass.
func historicPass(sorted []*node) []*node {
	return slices.CompactFunc(sorted, func(a, b *node) bool { return a.free.Memory == b.free.Memory })
}

// concurrentBuckets is the size of a Java ConcurrentHashMap that grew to so many entries.
func concurrentBuckets(entries int) uint32 { return buckets(entries + 1) }

// historicAsks are the asks in the book, with those for 0 containers, in the order of Hadoop's hash maps: of their keys, and of the
// names of each key.
func (b *book) historicAsks() (all []Ask) {
	keys := slices.Collect(maps.Values(b.byKey))
	n := concurrentBuckets(b.most)
	slices.SortFunc(keys, func(x, y *requests) int {
		return cmp.Or(cmp.Compare(bucket(keyHash(x.Key), n), bucket(keyHash(y.Key), n)), cmp.Compare(x.born, y.born))
	})
	for _, r := range keys {
		asks := r.asks(nil, true)
		n := concurrentBuckets(r.most)
		slices.SortStableFunc(asks, func(x, y Ask) int {
			return cmp.Compare(bucket(javaHash(x.Name), n), bucket(javaHash(y.Name), n))
		})
		all = append(all, asks...)
	}
	return all
}

// historicBatch sorts asks of one call, one for each key and name, like hash maps of their keys and of the names of each key.
func historicBatch(asks []Ask) {
	names := map[Key]int{}
	for _, a := range asks {
		names[a.Key]++
	}
	n := buckets(len(names))
	slices.SortStableFunc(asks, func(x, y Ask) int {
		if x.Key != y.Key {
			return cmp.Compare(bucket(keyHash(x.Key), n), bucket(keyHash(y.Key), n))
		}
		m := buckets(names[x.Key])
		return cmp.Compare(bucket(javaHash(x.Name), m), bucket(javaHash(y.Name), m))
	})
}

func keyHash(k Key) uint32 {
	const prime, begin = uint32(517861), uint32(9511)
	h := begin
	h = prime*h + uint32(k.Priority)
	id := uint32(k.AllocationRequestID) ^ uint32(uint64(k.AllocationRequestID)>>32)
	return 31 * (31*h + id)
}

// historicVictims sorts containers, which come oldest first, like the HashMap of a node that once had most entries.
func historicVictims(all []*container, most int) {
	n := buckets(most)
	slices.SortStableFunc(all, func(a, b *container) int {
		return cmp.Compare(bucket(containerHash(a.ID), n), bucket(containerHash(b.ID), n))
	})
}

func containerHash(id ids.Container) uint32 {
	const appPrime, appBegin = uint32(371237), uint32(6521)
	const attemptPrime, attemptBegin = uint32(347671), uint32(5501)
	app := id.Attempt.App
	ts := uint32(app.Timestamp) ^ uint32(uint64(app.Timestamp)>>32)
	h := appPrime*(appPrime*appBegin+ts) + uint32(app.ID)
	h = attemptPrime*(attemptPrime*attemptBegin+h) + uint32(id.Attempt.Attempt)
	number := id.Number()
	return 31*(uint32(number)^uint32(uint64(number)>>32)) + h
}

// historicAskAgain asks once more for a container that ended by itself after it was marked, before its application knew of it:
// Hadoop ends it a second time, and each end puts its asks back, where they still exist.
func (c *container) historicAskAgain() {
	r := c.app.byKey[c.Key]
	if c.taken == nil || r == nil {
		return
	}
	t := *c.taken
	for i, name := range t.names {
		if name == Any && r.any.count <= 0 || name != Any && r.at(name).pending() <= 0 {
			t.names[i] = ""
		}
	}
	c.app.putBack(&t)
}

// historicStarving takes the application that lacks the least, as Hadoop's heap does; of equal ones the later.
func (s *Scheduler) historicStarving() *app {
	first := 0
	for i, a := range s.starving {
		if a.starvation().Fits(s.starving[first].starvation()) {
			first = i
		}
	}
	a := s.starving[first]
	s.starving = slices.Delete(s.starving, first, first+1)
	return a
}
