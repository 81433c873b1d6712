//coherer:pure

package fair

import (
	"math"
	"math/bits"
)

// times is r taken n times; it saturates.
func (r Resource) times(n int64) Resource {
	return Resource{times(r.Memory, n), times(r.VCores, n)}
}

func times(a, b int64) int64 {
	hi, lo := bits.Mul64(abs(a), abs(b))
	switch negative := (a < 0) != (b < 0); {
	case (hi != 0 || lo > math.MaxInt64) && negative:
		return math.MinInt64
	case hi != 0 || lo > math.MaxInt64:
		return math.MaxInt64
	case negative:
		return -int64(lo)
	default:
		return int64(lo)
	}
}

func abs(a int64) uint64 {
	if a < 0 {
		return -uint64(a)
	}
	return uint64(a)
}

// scaled is r multiplied by a factor, truncated; scaledUp rounds up.
func (r Resource) scaled(by float64) Resource {
	return Resource{truncated(float64(r.Memory) * by), truncated(float64(r.VCores) * by)}
}

func (r Resource) scaledUp(by float64) Resource {
	return Resource{truncated(math.Ceil(float64(r.Memory) * by)), truncated(math.Ceil(float64(r.VCores) * by))}
}

// lessNotBelowZero is r minus o, with 0 for negative amounts.
func (r Resource) lessNotBelowZero(o Resource) Resource { return r.Minus(o).Max(Resource{}) }
