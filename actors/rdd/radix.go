package rdd

// radixSort sorts by prefix and keeps the order of equal ones. It goes byte by byte from the lowest, and leaves out the bytes that are the
// same in all items. The result is items or scratch, which are equally long.
func radixSort(items, scratch []item) []item {
	if len(items) < 64 {
		insertionSort(items)
		return items
	}
	var counts [8][256]uint32
	for i := range items {
		p := items[i].prefix
		for b := range 8 {
			counts[b][byte(p)]++
			p >>= 8
		}
	}
	for b := range 8 {
		n := &counts[b]
		if n[byte(items[0].prefix>>(8*b))] == uint32(len(items)) {
			continue
		}
		at := uint32(0)
		for d := range n { // from numbers to places
			n[d], at = at, at+n[d]
		}
		for i := range items {
			d := byte(items[i].prefix >> (8 * b))
			scratch[n[d]] = items[i]
			n[d]++
		}
		items, scratch = scratch, items
	}
	return items
}

func insertionSort(items []item) {
	for i := 1; i < len(items); i++ {
		v := items[i]
		j := i
		for ; j > 0 && items[j-1].prefix > v.prefix; j-- {
			items[j] = items[j-1]
		}
		items[j] = v
	}
}
