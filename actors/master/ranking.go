package master

import (
	"cmp"
	"slices"
	"sort"
)

// rank decides the place of a Worker in an order: what it has free, and its id.
type rank struct {
	cores, memory int
	id            string
}

// rank is what the Worker has free now.
func (w *workerInfo) rank() rank { return rank{w.CoresFree(), w.MemoryFree(), w.ID} }

// policy is an order of Workers.
type policy func(a, b rank) int

// policyOf is the order of a spark.deploy.workerSelectionPolicy: total, ties by id. A descending policy is the ascending
// one reversed, so that its ties go by descending id, as in Spark.
func policyOf(name string) policy {
	id := func(a, b rank) int { return cmp.Compare(a.id, b.id) }
	cores := func(a, b rank) int { return cmp.Or(cmp.Compare(a.cores, b.cores), id(a, b)) }
	memory := func(a, b rank) int { return cmp.Or(cmp.Compare(a.memory, b.memory), id(a, b)) }
	switch name {
	case "CORES_FREE_ASC":
		return cores
	case "MEMORY_FREE_ASC":
		return memory
	case "MEMORY_FREE_DESC":
		return func(a, b rank) int { return memory(b, a) }
	case "WORKER_ID":
		return id
	}
	return func(a, b rank) int { return cores(b, a) } // CORES_FREE_DESC
}

// inOrder sorts workers by a policy of spark.deploy.workerSelectionPolicy.
func inOrder(workers []*workerInfo, policy string) {
	by := policyOf(policy)
	slices.SortFunc(workers, func(a, b *workerInfo) int { return by(a.rank(), b.rank()) })
}

// ranking keeps the Workers that are ALIVE in the order of a policy from one decision to the next. The roster names those that
// have changed meanwhile; only these are looked at and get new places, however many others there are. Making room for them moves
// the pointers of the Workers behind, 8 bytes each.
type ranking struct {
	name  string
	by    policy
	order []*workerInfo // by what they had free when they got their places: workerInfo.place
	moved []*workerInfo // Workers that the current update gives new places
	left  []int         // places that Workers leave in it
}

// update gives the Workers of the roster that have changed their places in the order of a policy.
func (r *ranking) update(workers *roster, policy string) {
	changed := workers.takeChanged()
	if r.name != policy {
		for _, w := range r.order {
			w.ranked = false
		}
		*r = ranking{name: policy, by: policyOf(policy)}
		changed = workers.all()
	}
	r.moved, r.left = r.moved[:0], r.left[:0]
	for _, w := range changed {
		stays := w.State == WorkerAlive
		if stays && w.ranked && w.place == w.rank() {
			continue
		}
		if w.ranked {
			i, _ := slices.BinarySearchFunc(r.order, w.place, r.against)
			r.left = append(r.left, i)
		}
		if stays {
			r.moved = append(r.moved, w)
		}
		w.ranked = stays
	}
	old := len(r.order)
	r.remove()
	r.insert()
	if len(r.order) < old { // else the array would keep Workers that are gone from the garbage collector
		clear(r.order[len(r.order):old])
	}
}

// against compares a Worker that has a place with another place.
func (r *ranking) against(w *workerInfo, at rank) int { return r.by(w.place, at) }

// remove takes out the Workers that go, or move.
func (r *ranking) remove() {
	if len(r.left) == 0 {
		return
	}
	slices.Sort(r.left)
	kept := r.order[:r.left[0]]
	for i, at := range r.left {
		end := len(r.order)
		if i+1 < len(r.left) {
			end = r.left[i+1]
		}
		kept = append(kept, r.order[at+1:end]...)
	}
	r.order = kept
}

// insert puts the moved Workers between the others: from the end on, so that no other slice is needed.
func (r *ranking) insert() {
	for _, w := range r.moved {
		w.place = w.rank()
	}
	slices.SortFunc(r.moved, func(a, b *workerInfo) int { return r.by(a.place, b.place) })
	n, at := len(r.order), len(r.order)+len(r.moved)
	out := slices.Grow(r.order, len(r.moved))[:at]
	for _, w := range slices.Backward(r.moved) {
		i, _ := slices.BinarySearchFunc(out[:n], w.place, r.against)
		at -= n - i
		copy(out[at:], out[i:n])
		n = i
		at--
		out[at] = w
	}
	r.order = out
}

// able are the Workers that have enough for an executor of p of what the order goes by: the beginning of a descending order, the
// end of an ascending one, found without a look at the others. An order by id says nothing of what is free.
func (r *ranking) able(p resourceProfile) []*workerInfo {
	cores := func(w *workerInfo) bool { return w.place.cores >= p.Step() }
	memory := func(w *workerInfo) bool { return w.place.memory >= p.Memory }
	switch r.name {
	case "CORES_FREE_DESC":
		return r.order[:r.first(cores, false)]
	case "CORES_FREE_ASC":
		return r.order[r.first(cores, true):]
	case "MEMORY_FREE_DESC":
		return r.order[:r.first(memory, false)]
	case "MEMORY_FREE_ASC":
		return r.order[r.first(memory, true):]
	}
	return r.order
}

// first is the place of the first Worker for which enough is what is wanted.
func (r *ranking) first(enough func(*workerInfo) bool, wanted bool) int {
	return sort.Search(len(r.order), func(i int) bool { return enough(r.order[i]) == wanted })
}
