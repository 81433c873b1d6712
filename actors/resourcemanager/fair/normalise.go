//coherer:pure

package fair

import (
	"fmt"
	"math"
)

// normalise is the size that replaces an asked one: at least Minimum, rounded up to a multiple of Increment, at most most.
// It mirrors SchedulerUtils.getNormalizedResource.
func (c *Config) normalise(asked, most Resource) Resource {
	return Resource{
		normalised(asked.Memory, c.Minimum.Memory, c.Increment.Memory, most.Memory),
		normalised(asked.VCores, c.Minimum.VCores, c.Increment.VCores, most.VCores),
	}
}

func normalised(asked, least, step, most int64) int64 {
	return min(roundUp(max(asked, least), step), most)
}

func roundUp(x, step int64) int64 {
	if rest := x % step; rest != 0 {
		if x > math.MaxInt64-step { // would overflow; the maximum cuts it anyway
			return math.MaxInt64
		}
		return x + step - rest
	}
	return x
}

// invalidRequestError is an ask that can never be met: Hadoop's InvalidResourceRequestException.
type invalidRequestError struct{ Reason string }

func (e *invalidRequestError) Error() string { return "Invalid resource request! " + e.Reason }

// CheckAsk refuses an ask beyond most and a negative one, as Hadoop's ApplicationMasterService does before the scheduler sees it.
// The number of containers does not matter. most is MaximumAllocation of the application's queue, configured that of the
// settings. The words are those of SchedulerUtils.
func CheckAsk(asked, most, configured Resource) error {
	const cannot = "Cannot allocate containers as requested resource is "
	kind := "memory-mb"
	if asked.Memory < 0 || asked.VCores < 0 {
		if asked.Memory >= 0 {
			kind = "vcores"
		}
		return &invalidRequestError{fmt.Sprintf(cannot+"less than 0! Requested resource type=[%s], Requested resource=%s", kind, asked)}
	}
	if !asked.Fits(most) {
		if asked.Memory <= most.Memory {
			kind = "vcores"
		}
		return &invalidRequestError{fmt.Sprintf(cannot+"greater than maximum allowed allocation. Requested resource type=[%s], "+
			"Requested resource=%s, maximum allowed allocation=%s, please note that maximum allowed allocation is calculated by scheduler based "+
			"on maximum resource of registered NodeManagers, which might be less than configured maximum allocation=%s", kind, asked, most, configured)}
	}
	return nil
}

// ZeroShareError is an ask for a type of which the queue's maximum is 0: Hadoop's SchedulerInvalidResoureRequestException.
type ZeroShareError struct {
	Queue    string
	MaxShare Resource
	Asked    Resource
}

func (e *ZeroShareError) Error() string {
	return fmt.Sprintf("Resource request is invalid: %s asked of queue %s, which has 0 amount of resource for a resource type (maxResources is %s): raise maxResources of the queue", e.Asked, e.Queue, e.MaxShare)
}

// hasNothingOf reports whether asked wants a type of which most has nothing.
func hasNothingOf(most, asked Resource) bool {
	return asked.Memory > 0 && most.Memory <= 0 || asked.VCores > 0 && most.VCores <= 0
}
