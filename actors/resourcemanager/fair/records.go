//coherer:pure

package fair

import (
	"math"

	"github.com/coherer/coherer/messages/yarn"
)

// ResourceFrom reads an amount of a message; of nil it is 0.
func ResourceFrom(m *yarn.Resource) Resource {
	return Resource{Memory: m.GetMemory(), VCores: int64(m.GetVirtualCores())}
}

// Proto is the amount as messages carry it, whose cores have 32 bits.
func (r Resource) Proto() *yarn.Resource {
	return &yarn.Resource{Memory: r.Memory, VirtualCores: int32(min(max(r.VCores, math.MinInt32), math.MaxInt32))}
}
