//coherer:pure

package fair

import "slices"

// member is a queue or an application among its siblings.
type member struct {
	*schedulable
	app   *app
	queue *queue

	in    bool // it is in order.sorted
	dirty bool // a value that it is compared by has changed
}

// wanting reports whether it wants containers: an offer to one that wants none changes nothing.
func (m *member) wanting() bool {
	if m.app != nil {
		return m.app.wanting
	}
	return m.queue.wanting > 0
}

// order keeps the siblings that want containers in the order in which the policy serves them. It is corrected at the next look,
// and then only where something changed: the cost of an offer grows with the changes, not with the siblings. Hadoop sorts all
// siblings for each offer.
type order struct {
	policy schedulingPolicy
	sorted []*member
	dirty  []*member
	all    bool // everything may have changed
}

// touch says that m compares differently now, or wants containers, or no longer does.
func (o *order) touch(m *member) {
	if !m.dirty {
		m.dirty = true
		o.dirty = append(o.dirty, m)
	}
}

// few is the number of changes up to which moving single members is cheaper than sorting.
const few = 8

// in corrects the order and returns it; the caller must not keep it.
func (o *order) in(cluster Resource) []*member {
	switch {
	case o.all || len(o.dirty) > few:
		o.rebuild(cluster)
	default:
		// All out before the first goes in: a binary search needs a sorted list, and a dirty member is in the wrong place. It is
		// found by identity for the same reason.
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
				i, _ := slices.BinarySearchFunc(o.sorted, m, func(x, m *member) int { return o.policy.Compare(x.schedulable, m.schedulable, cluster) })
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
	slices.SortFunc(o.sorted, func(a, b *member) int { return o.policy.Compare(a.schedulable, b.schedulable, cluster) })
}

// drop takes out m, which is no longer a sibling.
func (o *order) drop(m *member) {
	if i := slices.Index(o.sorted, m); i >= 0 {
		o.sorted = slices.Delete(o.sorted, i, i+1)
	}
	if i := slices.Index(o.dirty, m); i >= 0 {
		o.dirty = slices.Delete(o.dirty, i, i+1)
	}
	m.in, m.dirty = false, false
}
