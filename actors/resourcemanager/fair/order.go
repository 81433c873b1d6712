//coherer:pure

package fair

import "slices"

// member is a queue or an application among its siblings.
type member struct {
	*Schedulable
	app   *app
	queue *queue

	in    bool // it is in order.sorted
	dirty bool // what it is compared by has changed
}

// wanting reports whether something is to be had for it: an offer to one that wants nothing changes nothing.
func (m *member) wanting() bool {
	if m.app != nil {
		return m.app.wanting
	}
	return m.queue.wanting > 0
}

// order keeps the siblings that want something in the order in which the policy serves them. It is put right when it is next
// looked at, and then only where something changed: an offer costs what it changes, not what there is. Hadoop sorts all
// siblings for each offer.
type order struct {
	policy Policy
	sorted []*member
	dirty  []*member
	all    bool // everything may have changed
}

// touch says that what m is compared by has changed, or whether it wants something.
func (o *order) touch(m *member) {
	if !m.dirty {
		m.dirty = true
		o.dirty = append(o.dirty, m)
	}
}

// few is up to how many changes are cheaper put right one by one than by sorting.
const few = 8

// in puts the order right and returns it; it may not be kept.
func (o *order) in(cluster Resource) []*member {
	switch {
	case o.all || len(o.dirty) > few:
		o.rebuild(cluster)
	default:
		for _, m := range o.dirty {
			if m.in {
				i := slices.Index(o.sorted, m)
				o.sorted = slices.Delete(o.sorted, i, i+1)
				m.in = false
			}
		}
		for _, m := range o.dirty {
			m.dirty = false
			if m.wanting() {
				i, _ := slices.BinarySearchFunc(o.sorted, m, func(x, m *member) int { return o.policy.Compare(x.Schedulable, m.Schedulable, cluster) })
				o.sorted = slices.Insert(o.sorted, i, m)
				m.in = true
			}
		}
		o.dirty = o.dirty[:0]
	}
	return o.sorted
}

func (o *order) rebuild(cluster Resource) {
	for _, m := range o.dirty {
		m.dirty = false
		if !m.in {
			o.sorted = append(o.sorted, m)
		}
	}
	o.dirty, o.all = o.dirty[:0], false
	o.sorted = slices.DeleteFunc(o.sorted, func(m *member) bool {
		m.in = m.wanting()
		return !m.in
	})
	slices.SortFunc(o.sorted, func(a, b *member) int { return o.policy.Compare(a.Schedulable, b.Schedulable, cluster) })
}

// drop takes m out: it is no sibling any more.
func (o *order) drop(m *member) {
	if i := slices.Index(o.sorted, m); i >= 0 {
		o.sorted = slices.Delete(o.sorted, i, i+1)
	}
	if i := slices.Index(o.dirty, m); i >= 0 {
		o.dirty = slices.Delete(o.dirty, i, i+1)
	}
	m.in, m.dirty = false, false
}
