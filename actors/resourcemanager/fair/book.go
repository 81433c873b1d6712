//coherer:pure

package fair

import (
	"cmp"
	"maps"
	"slices"
)

// Any is the resource name of an ask that any node may answer.
const Any = "*"

// Key groups the requests of an application. The lower number of Priority is served first, then the lower
// AllocationRequestID. It mirrors Hadoop's SchedulerRequestKey.
type Key struct {
	Priority            int32
	AllocationRequestID int64
}

func compareKeys(a, b Key) int {
	return cmp.Or(cmp.Compare(a.Priority, b.Priority), cmp.Compare(a.AllocationRequestID, b.AllocationRequestID))
}

// Ask is the number of containers that an application wants at a place. It is absolute and replaces the earlier ask there. An
// ask for a host must be repeated for its rack and for Any; the ask for Any is the total. It mirrors ResourceRequest.
type Ask struct {
	Key
	Name       string // of a host or a rack, or Any
	Capability Resource
	Count      int64
	Relax      bool // whether the next wider place may answer too; ignored for a host
}

// request is an ask in the book.
type request struct {
	capability Resource
	count      int64
	relax      bool
}

// pending is the number of wanted containers; of nil it is 0.
func (r *request) pending() int64 {
	if r == nil {
		return 0
	}
	return r.count
}

// relaxed reports whether a wider place may answer. Without an ask nothing forbids it.
func (r *request) relaxed() bool { return r == nil || r.relax }

// requests are those of one key.
type requests struct {
	Key
	any    request
	asked  bool // any was asked
	places map[string]*request
	order  []string // names in the order in which they were first asked; removed ones stay until it is compacted
	delay  *delay
	active bool // any.count is above 0: it is in book.active
	born   int  // numbers them in the order of their coming
	most   int  // the most names at one time
}

func (r *requests) at(name string) *request { return r.places[name] }

// locations is the number of names that were asked, Any among them.
func (r *requests) locations() int {
	if r.asked {
		return len(r.places) + 1
	}
	return len(r.places)
}

// book keeps the asks of an attempt. It mirrors AppSchedulingInfo with LocalityAppPlacementAllocator.
type book struct {
	byKey   map[Key]*requests
	births  int             // of requests
	most    int             // the most keys at one time
	active  []*requests     // those that want containers of Any, in the order of their keys
	delays  map[Key]*delay  // outlive the requests of their key, as in Hadoop
	blocked map[string]bool // hosts and racks that the application does not want
}

// replace keeps an ask in place of the one of the same key and name.
func (b *book) replace(a Ask) {
	r := b.byKey[a.Key]
	if a.Name != Any {
		if r == nil {
			r = b.add(a.Key)
		}
		r.put(a.Name, request{a.Capability, a.Count, a.Relax})
		return
	}
	if a.Count <= 0 { // a total of 0: the asks for places of this key are forgotten with it
		if r != nil {
			b.deactivate(r)
			delete(b.byKey, a.Key)
		}
		return
	}
	if r == nil {
		r = b.add(a.Key)
	}
	if !r.asked {
		r.order = append(r.order, Any)
	}
	r.any, r.asked = request{a.Capability, a.Count, a.Relax}, true
	r.most = max(r.most, r.locations())
	b.activate(r)
}

func (r *requests) put(name string, q request) {
	if old := r.places[name]; old != nil {
		*old = q
		return
	}
	if r.places == nil {
		r.places = map[string]*request{}
	}
	r.places[name] = &q
	r.most = max(r.most, r.locations())
	r.order = append(r.order, name)
	// A long-running application keeps naming new hosts, whose entries vanish at 0: order must not grow with them.
	if len(r.order) > 2*len(r.places)+8 {
		r.order = slices.DeleteFunc(r.order, func(n string) bool { return n != Any && r.places[n] == nil })
	}
}

func (b *book) add(k Key) *requests {
	if b.byKey == nil {
		b.byKey, b.delays = map[Key]*requests{}, map[Key]*delay{}
	}
	d := b.delays[k]
	if d == nil {
		d = &delay{}
		b.delays[k] = d
	}
	b.births++
	r := &requests{Key: k, delay: d, born: b.births}
	b.byKey[k] = r
	b.most = max(b.most, len(b.byKey))
	return r
}

func (b *book) activate(r *requests) {
	if r.active {
		return
	}
	r.active = true
	i, _ := slices.BinarySearchFunc(b.active, r.Key, func(x *requests, k Key) int { return compareKeys(x.Key, k) })
	b.active = slices.Insert(b.active, i, r)
}

func (b *book) deactivate(r *requests) {
	if !r.active {
		return
	}
	r.active = false
	i := slices.Index(b.active, r)
	b.active = slices.Delete(b.active, i, i+1)
}

// taken is the asks that an allocation decremented by one container each, so that it can be undone.
type taken struct {
	key   Key
	names [3]string // host, rack and Any, as far as they were decremented
	asked [3]request
}

// of reports whether the allocation decremented this ask.
func (t *taken) of(a Ask) bool {
	i := slices.Index(t.names[:], a.Name)
	return i >= 0 && t.key == a.Key && t.asked[i].capability == a.Capability
}

// take decrements for one container on a node: at the host, its rack and Any, from the level of the allocation on. An entry is
// removed at 0, and with its last entry the key. A rack named like the host shares an entry with it, which counts once.
func (b *book) take(r *requests, level locality, host, rack string) taken {
	t := taken{key: r.Key}
	if level == nodeLocal {
		t.names[0], t.asked[0] = host, r.decrement(host)
	}
	if level == rackLocal || level == nodeLocal && rack != host {
		t.names[1], t.asked[1] = rack, r.decrement(rack)
	}
	t.names[2], t.asked[2] = Any, request{r.any.capability, 1, r.any.relax}
	if r.any.count--; r.any.count <= 0 {
		b.deactivate(r)
		if r.asked = false; len(r.places) == 0 { // asks for places may be left, which count again with the next one for Any
			delete(b.byKey, r.Key)
		}
	}
	return t
}

func (r *requests) decrement(name string) request {
	q := r.places[name]
	was := request{q.capability, 1, q.relax}
	if q.count--; q.count <= 0 {
		delete(r.places, name)
	}
	return was
}

// putBack undoes take for a container that was gone before its application knew of it. Asks may have come since: it adds to them.
func (b *book) putBack(t *taken) {
	r := b.byKey[t.key]
	for i, name := range t.names {
		q := t.asked[i]
		switch {
		case name == "":
			continue
		case r == nil: // the key left with its last entry: replace makes it anew
		case name == Any:
			q.count += r.any.count
		default:
			q.count += r.at(name).pending()
		}
		b.replace(Ask{Key: t.key, Name: name, Capability: q.capability, Count: q.count, Relax: q.relax})
	}
}

// block changes the blacklist: additions, then removals. It reports whether that changed anything.
func (b *book) block(add, remove []string) (changed bool) {
	for _, name := range add {
		if b.blocked == nil {
			b.blocked = map[string]bool{}
		}
		changed = changed || !b.blocked[name]
		b.blocked[name] = true
	}
	for _, name := range remove {
		changed = changed || b.blocked[name]
		delete(b.blocked, name)
	}
	return changed
}

func (b *book) blocks(n *node) bool {
	return b.blocked[n.host] || b.blocked[n.rack]
}

// wanted is the sum of the asks for Any.
func (b *book) wanted() Resource {
	var sum Resource
	for _, r := range b.active {
		sum = sum.Plus(r.any.capability.times(r.any.count))
	}
	return sum
}

// asks are the open asks, by key, in the order of the asking.
func (b *book) asks() []Ask {
	var all []Ask
	for _, k := range slices.SortedFunc(maps.Keys(b.byKey), compareKeys) {
		all = b.byKey[k].asks(all, false)
	}
	return all
}

// asks appends the asks of one key; withNone includes those for places with a count of 0.
func (r *requests) asks(all []Ask, withNone bool) []Ask {
	seen := map[string]bool{}
	for _, name := range r.order {
		q := r.at(name)
		if name == Any {
			q = &r.any
		}
		if !seen[name] && (q.pending() > 0 || q != nil && withNone && name != Any) {
			seen[name] = true
			all = append(all, Ask{r.Key, name, q.capability, q.count, q.relax})
		}
	}
	return all
}
