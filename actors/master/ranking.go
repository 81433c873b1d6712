package master

import (
	"cmp"
	"slices"
)

// policy is an order of Workers.
type policy func(a, b *workerInfo) int

// policyOf is the order of a spark.deploy.workerSelectionPolicy: total, ties by id. A descending policy is the ascending
// one reversed, so that its ties go by descending id, as in Spark.
func policyOf(name string) policy {
	id := func(a, b *workerInfo) int { return cmp.Compare(a.ID, b.ID) }
	cores := func(a, b *workerInfo) int { return cmp.Or(cmp.Compare(a.CoresFree(), b.CoresFree()), id(a, b)) }
	memory := func(a, b *workerInfo) int { return cmp.Or(cmp.Compare(a.MemoryFree(), b.MemoryFree()), id(a, b)) }
	switch name {
	case "CORES_FREE_ASC":
		return cores
	case "MEMORY_FREE_ASC":
		return memory
	case "MEMORY_FREE_DESC":
		return func(a, b *workerInfo) int { return memory(b, a) }
	case "WORKER_ID":
		return id
	}
	return func(a, b *workerInfo) int { return cores(b, a) } // CORES_FREE_DESC
}

// inOrder sorts workers by a policy of spark.deploy.workerSelectionPolicy.
func inOrder(workers []*workerInfo, policy string) { slices.SortFunc(workers, policyOf(policy)) }

// ranking keeps the Workers that are ALIVE in the order of a policy from one decision to the next. Of 5,000 Workers a
// decision changes a few; only those are sorted again.
type ranking struct {
	name  string
	by    policy
	ranks []rank
	moved []*workerInfo
	pass  int
	fresh bool // since the last look nothing has changed but what mend got
}

// rank is a Worker's place, with what it had free when it got it.
type rank struct {
	w             *workerInfo
	cores, memory int
}

// order puts the Workers that are ALIVE in order. Unless the ranking is fresh it looks for what has changed itself, so no
// handler that changes a Worker can forget to report it.
func (r *ranking) order(workers []*workerInfo, policy string) []rank {
	if r.name != policy {
		*r = ranking{name: policy, by: policyOf(policy), pass: r.pass}
	}
	if r.fresh {
		return r.ranks
	}
	r.fresh = true
	r.pass++
	r.moved = r.moved[:0]
	// listed sorts the Workers out without a map: pass is ALIVE and not met in the ranks yet, so new if it stays; -pass is
	// moved, 0 is kept. A Worker that is gone has another pass.
	for _, w := range workers {
		if w.State == WorkerAlive {
			w.listed = r.pass
		}
	}
	kept := r.ranks[:0]
	for _, k := range r.ranks {
		switch {
		case k.w.listed != r.pass: // gone
		case k.cores != k.w.CoresFree() || k.memory != k.w.MemoryFree():
			k.w.listed = -r.pass
			r.moved = append(r.moved, k.w)
		default:
			k.w.listed = 0
			kept = append(kept, k)
		}
	}
	for _, w := range workers {
		if w.listed == r.pass { // new
			r.moved = append(r.moved, w)
		}
	}
	r.merge(kept)
	return r.ranks
}

// mend puts Workers that were changed behind a decision, and are ALIVE, at their new places. Among the first of the order,
// where decisions fall, it finds them at once.
func (r *ranking) mend(changed []*workerInfo) {
	r.pass++
	for _, w := range changed {
		w.listed = r.pass
	}
	r.moved = append(r.moved[:0], changed...)
	kept := r.ranks[:0]
	left := len(changed)
	for i, k := range r.ranks {
		if left == 0 { // all were found: the rest stays as it is
			kept = append(kept, r.ranks[i:]...)
			break
		}
		if k.w.listed == r.pass {
			left--
			continue
		}
		kept = append(kept, k)
	}
	r.merge(kept)
}

// merge puts the moved Workers between the kept ranks, which are the beginning of r.ranks: from the end on, so that no other
// slice is needed.
func (r *ranking) merge(kept []rank) {
	old := len(r.ranks)
	slices.SortFunc(r.moved, r.by)
	n, at := len(kept), len(kept)+len(r.moved)
	out := slices.Grow(kept, len(r.moved))[:at]
	for _, w := range slices.Backward(r.moved) {
		i, _ := slices.BinarySearchFunc(out[:n], w, func(k rank, w *workerInfo) int { return r.by(k.w, w) })
		at -= n - i
		copy(out[at:], out[i:n])
		n = i
		at--
		out[at] = rank{w, w.CoresFree(), w.MemoryFree()}
	}
	if len(out) < old { // else the array would keep Workers that are gone from the garbage collector
		clear(out[len(out):old])
	}
	r.ranks = out
}

// exhausted reports whether w and all behind it in the order have too little for an executor of p. Only a descending order can
// say so.
func (r *ranking) exhausted(w *workerInfo, p resourceProfile) bool {
	switch r.name {
	case "CORES_FREE_DESC":
		return w.CoresFree() < p.Step()
	case "MEMORY_FREE_DESC":
		return w.MemoryFree() < p.Memory
	}
	return false
}
