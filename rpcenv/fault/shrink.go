package fault

import "time"

// Shrink finds a Plan with fewer faults for which fails still holds, by delta debugging: it leaves out halves, quarters and
// so on until no single fault can be left out; then it rounds their times. fails must hold for p. It is called at most limit
// times.
func Shrink(p Plan, limit int, fails func(Plan) bool) Plan {
	s := shrinker{limit: limit, fails: fails}
	for size := (len(p.Faults) + 1) / 2; size > 0; {
		smaller := false
		for i := 0; i < len(p.Faults); {
			q := p.Without(i, min(i+size, len(p.Faults)))
			if s.try(q) { // what follows has moved to i
				p, smaller = q, true
				continue
			}
			i += size
		}
		if size > 1 || !smaller { // single faults are tried until none of them can be left out
			size /= 2
		}
	}
	// Times last: each try costs a run, and now there are few faults.
	for i := range p.Faults {
		p = s.simplify(p, i)
	}
	return p
}

type shrinker struct {
	limit int
	fails func(Plan) bool
}

// try reports whether q fails too; when the limit is used up, nothing does.
func (s *shrinker) try(q Plan) bool {
	if s.limit <= 0 {
		return false
	}
	s.limit--
	return s.fails(q)
}

// simplify rounds the time of a fault, which makes it easier to read.
func (s *shrinker) simplify(p Plan, i int) Plan {
	for _, unit := range []time.Duration{time.Second, 100 * time.Millisecond, time.Millisecond} {
		at := p.Faults[i].At.Truncate(unit)
		if at == p.Faults[i].At {
			break
		}
		q := p.Without(0, 0) // a copy
		q.Faults[i].At = at
		// A Plan is in the order of its times: rounding must not put this fault before the one that precedes it.
		if (i == 0 || q.Faults[i-1].At <= at) && s.try(q) {
			return q
		}
	}
	return p
}
