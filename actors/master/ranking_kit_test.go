package master

import "fmt"

// Misplaced is a Worker whose place in the ranking is not that of what it has, although nobody noted that it changed; "": none is.
// The tests' Masters are asked after each message.
func (m *Master) Misplaced() string {
	if m.ranking.name == "" { // no decision yet
		return ""
	}
	for _, w := range m.workers.list {
		if !w.changed && (w.ranked != (w.State == WorkerAlive) || w.ranked && w.place != w.rank()) {
			return fmt.Sprintf("%s is %s, ranked %v at %v, and has %v", w.ID, w.State, w.ranked, w.place, w.rank())
		}
	}
	return ""
}

// rosterOf has these Workers.
func rosterOf(ws ...*workerInfo) *roster {
	r := newRoster()
	for _, w := range ws {
		r.add(w)
	}
	return &r
}

// ordered are the ids in the order of a policy, after an update.
func ordered(r *ranking, workers *roster, policy string) (ids string) {
	r.update(workers, policy)
	for _, w := range r.order {
		ids += w.ID
	}
	return ids
}
