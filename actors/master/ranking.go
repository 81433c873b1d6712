package master

import (
	"cmp"
	"slices"
)

// policy is an order of Workers.
type policy func(a, b *WorkerInfo) int

// policyOf is the order of a spark.deploy.workerSelectionPolicy: total, ties by id. A descending policy is the ascending
// one reversed, so that its ties go by descending id, as in Spark.
func policyOf(name string) policy {
	id := func(a, b *WorkerInfo) int { return cmp.Compare(a.ID, b.ID) }
	cores := func(a, b *WorkerInfo) int { return cmp.Or(cmp.Compare(a.CoresFree(), b.CoresFree()), id(a, b)) }
	memory := func(a, b *WorkerInfo) int { return cmp.Or(cmp.Compare(a.MemoryFree(), b.MemoryFree()), id(a, b)) }
	switch name {
	case "CORES_FREE_ASC":
		return cores
	case "MEMORY_FREE_ASC":
		return memory
	case "MEMORY_FREE_DESC":
		return func(a, b *WorkerInfo) int { return memory(b, a) }
	case "WORKER_ID":
		return id
	}
	return func(a, b *WorkerInfo) int { return cores(b, a) } // CORES_FREE_DESC
}

// Order sorts workers by a policy of spark.deploy.workerSelectionPolicy.
func Order(workers []*WorkerInfo, policy string) { slices.SortFunc(workers, policyOf(policy)) }

// ranking keeps the Workers that are ALIVE in the order of a policy from one decision to the next. Of 5,000 Workers a
// decision changes a few; only those are sorted again.
type ranking struct {
	name  string
	by    policy
	ranks []rank
	moved []*WorkerInfo
	pass  int
}

// rank is a Worker's place, with what it had free when it got it.
type rank struct {
	w             *WorkerInfo
	cores, memory int
}

// order puts the Workers that are ALIVE in order. Nobody need tell it what has changed: it looks.
func (r *ranking) order(workers []*WorkerInfo, policy string) []rank {
	if r.by == nil || r.name != policy {
		*r = ranking{name: policy, by: policyOf(policy), pass: r.pass}
	}
	r.pass++
	r.moved = r.moved[:0]
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
	clear(r.ranks[len(kept):])
	r.ranks = r.merge(kept)
	return r.ranks
}

// merge puts the moved Workers between the kept ones, from the end on, so that it needs no other slice.
func (r *ranking) merge(kept []rank) []rank {
	slices.SortFunc(r.moved, r.by)
	n, at := len(kept), len(kept)+len(r.moved)
	out := slices.Grow(kept, len(r.moved))[:at]
	for i := len(r.moved) - 1; i >= 0; i-- {
		w := r.moved[i]
		for n > 0 && r.by(w, out[n-1].w) < 0 {
			at--
			n--
			out[at] = out[n]
		}
		at--
		out[at] = rank{w, w.CoresFree(), w.MemoryFree()}
	}
	return out
}

// exhausted reports whether w and all behind it in the order have too little for an executor of p.
func (r *ranking) exhausted(w *WorkerInfo, p Profile) bool {
	switch r.name {
	case "CORES_FREE_DESC":
		return w.CoresFree() < p.Step()
	case "MEMORY_FREE_DESC":
		return w.MemoryFree() < p.Memory
	}
	return false
}
