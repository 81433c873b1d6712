//coherer:pure

package fair

import (
	"cmp"
	"maps"
	"slices"
)

// Any is the resource name of an ask that any node may answer.
const Any = "*"

// Key is what requests of an application are kept by. The lower number of Priority is served first, then the lower
// AllocationRequestID. It mirrors Hadoop's SchedulerRequestKey.
type Key struct {
	Priority            int32
	AllocationRequestID int64
}

func compareKeys(a, b Key) int {
	return cmp.Or(cmp.Compare(a.Priority, b.Priority), cmp.Compare(a.AllocationRequestID, b.AllocationRequestID))
}

// Ask is how many containers an application wants at a place: absolute, in place of what it asked there before. What is
// asked of a host must be asked of its rack and of Any too; what is asked of Any is what is wanted in all. It mirrors
// ResourceRequest.
type Ask struct {
	Key
	Name       string // of a host or a rack, or Any
	Capability Resource
	Count      int64
	Relax      bool // whether the next wider place may answer too; not looked at for a host
}

// request is an ask that is kept.
type request struct {
	capability Resource
	count      int64
	relax      bool
}

// pending is how many containers are wanted; nil is none.
func (r *request) pending() int64 {
	if r == nil {
		return 0
	}
	return r.count
}

// relaxed reports whether a wider place may answer: what was not asked does not hold anything back.
func (r *request) relaxed() bool { return r == nil || r.relax }

// requests are those of one key.
type requests struct {
	Key
	any    request
	asked  bool // any was asked
	places map[string]*request
	order  []string // names in the order in which they were first asked; what was removed stays until it is compacted
	delay  *delay
	active bool // any.count is above 0: it is in book.active
	born   int  // of several the one that came first has the lower number
	most   int  // names that there ever were at once
}

func (r *requests) at(name string) *request { return r.places[name] }

// locations is how many names were asked, Any among them.
func (r *requests) locations() int {
	if r.asked {
		return len(r.places) + 1
	}
	return len(r.places)
}

// book keeps what an attempt wants. It mirrors AppSchedulingInfo with LocalityAppPlacementAllocator.
type book struct {
	byKey   map[Key]*requests
	births  int         // of requests
	most    int         // keys that there ever were at once
	active  []*requests // those with something wanted of Any, in the order of their keys
	delays  map[Key]*delay
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
	if a.Count <= 0 { // nothing is wanted in all: what is wanted at places of this key is forgotten with it
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

// taken is what an allocation decremented, one container each, so that it can be put back.
type taken struct {
	key   Key
	names [3]string // host, rack and Any, as far as they were decremented
	asked [3]request
}

// of reports whether what was decremented is what is asked now.
func (t *taken) of(a Ask) bool {
	i := slices.Index(t.names[:], a.Name)
	return i >= 0 && t.key == a.Key && t.asked[i].capability == a.Capability
}

// take decrements for one container on a node: at the host, its rack and Any, from the level of the allocation on. A host's
// or rack's entry is removed at 0, and Any's, and a key without entries. A rack that is called as the host is one entry with it.
func (b *book) take(r *requests, level Locality, host, rack string) taken {
	t := taken{key: r.Key}
	if level == NodeLocal {
		t.names[0], t.asked[0] = host, r.decrement(host)
	}
	if level == RackLocal || level == NodeLocal && rack != host {
		t.names[1], t.asked[1] = rack, r.decrement(rack)
	}
	t.names[2], t.asked[2] = Any, request{r.any.capability, 1, r.any.relax}
	if r.any.count--; r.any.count <= 0 {
		b.deactivate(r)
		if r.asked = false; len(r.places) == 0 {
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

// putBack undoes take: the container was gone before the application knew of it.
func (b *book) putBack(t *taken) {
	r := b.byKey[t.key]
	for i, name := range t.names {
		q := t.asked[i]
		switch {
		case name == "":
			continue
		case r == nil:
		case name == Any:
			q.count += r.any.count
		default:
			q.count += r.at(name).pending()
		}
		b.replace(Ask{Key: t.key, Name: name, Capability: q.capability, Count: q.count, Relax: q.relax})
	}
}

// block changes the blacklist: additions, then removals. It reports whether anything was added that was not there, or
// removed that was.
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

// wanted is all that is asked of Any.
func (b *book) wanted() Resource {
	var sum Resource
	for _, r := range b.active {
		sum = sum.Plus(r.any.capability.times(r.any.count))
	}
	return sum
}

// asks are what is wanted still, by key, in the order of the asking.
func (b *book) asks() []Ask {
	var all []Ask
	for _, k := range slices.SortedFunc(maps.Keys(b.byKey), compareKeys) {
		all = b.byKey[k].asks(all, false)
	}
	return all
}

// asks appends the asks of one key, with those of places for none or without them.
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
