//coherer:pure

package fair

// historicDemand is Hadoop's "who wants nothing loses": nothing is none of either type, something is memory. Who wants
// cores alone is neither, equal to both.
func historicDemand(a, b Resource) int {
	switch {
	case a.IsZero() && b.Memory > 0:
		return 1
	case b.IsZero() && a.Memory > 0:
		return -1
	}
	return 0
}
