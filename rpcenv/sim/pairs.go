package sim

import "slices"

// pairs are values between Hosts, by their names; `*` is any Host. There are few, and each packet asks: a list is quicker than a map.
type pairs[T any] []pair[T]

type pair[T any] struct {
	from, to string
	value    T
}

// set gives two names a value, in place of the one that they had.
func (p *pairs[T]) set(from, to string, value T) {
	p.drop(from, to)
	*p = append(*p, pair[T]{from, to, value})
}

// drop takes the value of two names away.
func (p *pairs[T]) drop(from, to string) {
	*p = slices.DeleteFunc(*p, func(x pair[T]) bool { return x.from == from && x.to == to })
}

// of calls each with the values that hold from one Host to another.
func (p pairs[T]) of(from, to *Host, each func(T)) {
	for i := range p {
		if x := &p[i]; (x.from == from.name || x.from == "*") && (x.to == to.name || x.to == "*") {
			each(x.value)
		}
	}
}
