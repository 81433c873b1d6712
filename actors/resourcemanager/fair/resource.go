//coherer:pure

package fair

import (
	"fmt"
	"math"
)

// The amounts that stand for no limit, as in Hadoop's Resources.unbounded.
const (
	unboundedMemory = math.MaxInt64
	unboundedVCores = math.MaxInt32
)

// unbounded is more than any cluster has.
var unbounded = Resource{Memory: unboundedMemory, VCores: unboundedVCores}

// Resource is an amount of memory and cores, such as that of a node or a container. The zero value is nothing. Sums and
// differences saturate: they never wrap around. It mirrors org.apache.hadoop.yarn.api.records.Resource with its two standard
// types.
type Resource struct {
	Memory int64 // MiB
	VCores int64
}

// String is Hadoop's text of it, "<memory:1024, vCores:1>".
func (r Resource) String() string { return fmt.Sprintf("<memory:%d, vCores:%d>", r.Memory, r.VCores) }

// IsZero reports whether both amounts are 0.
func (r Resource) IsZero() bool { return r == Resource{} }

// Plus is the sum.
func (r Resource) Plus(o Resource) Resource {
	return Resource{plus(r.Memory, o.Memory), plus(r.VCores, o.VCores)}
}

// Minus is the difference, which may be negative.
func (r Resource) Minus(o Resource) Resource {
	return Resource{minus(r.Memory, o.Memory), minus(r.VCores, o.VCores)}
}

// Min is the smaller amount of each type.
func (r Resource) Min(o Resource) Resource {
	return Resource{min(r.Memory, o.Memory), min(r.VCores, o.VCores)}
}

// Max is the larger amount of each type.
func (r Resource) Max(o Resource) Resource {
	return Resource{max(r.Memory, o.Memory), max(r.VCores, o.VCores)}
}

// Fits reports whether neither type exceeds room.
func (r Resource) Fits(room Resource) bool { return r.Memory <= room.Memory && r.VCores <= room.VCores }

func plus(a, b int64) int64 {
	switch sum := a + b; {
	case a > 0 && b > 0 && sum < 0:
		return math.MaxInt64
	case a < 0 && b < 0 && sum >= 0:
		return math.MinInt64
	default:
		return sum
	}
}

func minus(a, b int64) int64 {
	switch d := a - b; {
	case a >= 0 && b < 0 && d < 0:
		return math.MaxInt64
	case a < 0 && b > 0 && d >= 0:
		return math.MinInt64
	default:
		return d
	}
}

// truncated is x without its fraction, saturating as Java's cast does: NaN is 0.
func truncated(x float64) int64 {
	switch {
	case x != x:
		return 0
	case x >= math.MaxInt64:
		return math.MaxInt64
	case x <= math.MinInt64:
		return math.MinInt64
	}
	return int64(x)
}
