package rpcenv

// ordered is a list in the order of entry. Its members know their places, so that taking one out costs the same in a list of any
// length: with a search, the ends of n members cost n².
type ordered[T member] struct {
	list  []T // with a hole, which is a zero T, for each member that was taken out
	holes int
}

// member is a pointer to something that has room for its place in one list.
type member interface {
	comparable
	place() *int32
}

// add enters x as the last one.
func (o *ordered[T]) add(x T) {
	*x.place() = int32(len(o.list))
	o.list = append(o.list, x)
}

// remove takes x out. It does nothing when x is not in the list, or no longer.
func (o *ordered[T]) remove(x T) {
	at := int(*x.place())
	if at >= len(o.list) || o.list[at] != x {
		return
	}
	var hole T
	o.list[at] = hole
	// Only when half of the list is holes: so a removal moves one member at most, on average.
	if o.holes++; 2*o.holes >= len(o.list) {
		o.closeUp()
	}
}

// closeUp moves the members together.
func (o *ordered[T]) closeUp() {
	var hole T
	n := 0
	for _, x := range o.list {
		if x != hole {
			*x.place() = int32(n)
			o.list[n] = x
			n++
		}
	}
	clear(o.list[n:]) // so that nothing is kept alive
	o.list, o.holes = o.list[:n], 0
}

func (o *ordered[T]) len() int { return len(o.list) - o.holes }

// all are the members, in a list of their own.
func (o *ordered[T]) all() []T {
	var hole T
	out := make([]T, 0, o.len())
	for _, x := range o.list {
		if x != hole {
			out = append(out, x)
		}
	}
	return out
}
