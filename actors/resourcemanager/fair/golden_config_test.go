package fair

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// configOf reads a Config from settings by Hadoop's names, as the cases have them; get gives a setting's text and whether it
// is set.
func configOf(get func(key string) (string, bool)) (Config, error) {
	c := DefaultConfig()
	r := reader{get: get}
	r.number("yarn.scheduler.minimum-allocation-mb", &c.Minimum.Memory)
	r.number("yarn.scheduler.minimum-allocation-vcores", &c.Minimum.VCores)
	r.number("yarn.scheduler.maximum-allocation-mb", &c.Maximum.Memory)
	r.number("yarn.scheduler.maximum-allocation-vcores", &c.Maximum.VCores)
	r.number("yarn.scheduler.increment-allocation-mb", &c.Increment.Memory)
	r.number("yarn.scheduler.increment-allocation-vcores", &c.Increment.VCores)
	r.number("yarn.resource-types.memory-mb.increment-allocation", &c.Increment.Memory)
	r.number("yarn.resource-types.vcores.increment-allocation", &c.Increment.VCores)
	r.boolean("yarn.scheduler.fair.assignmultiple", &c.AssignMultiple)
	r.boolean("yarn.scheduler.fair.dynamic.max.assign", &c.DynamicMaxAssign)
	most := int64(c.MaxAssign)
	r.number("yarn.scheduler.fair.max.assign", &most)
	c.MaxAssign = int(most)
	r.boolean("yarn.scheduler.fair.continuous-scheduling-enabled", &c.Continuous)
	r.milliseconds("yarn.scheduler.fair.continuous-scheduling-sleep-ms", &c.ContinuousSleep)
	r.float("yarn.scheduler.fair.locality.threshold.node", &c.NodeThreshold)
	r.float("yarn.scheduler.fair.locality.threshold.rack", &c.RackThreshold)
	r.milliseconds("yarn.scheduler.fair.locality-delay-node-ms", &c.NodeDelay)
	r.milliseconds("yarn.scheduler.fair.locality-delay-rack-ms", &c.RackDelay)
	r.boolean("yarn.scheduler.fair.sizebasedweight", &c.SizeBasedWeight)
	r.float("yarn.scheduler.reservation-threshold.increment-multiple", &c.ReservationMultiple)
	r.float("yarn.scheduler.fair.reservable-nodes", &c.ReservableNodes)
	r.boolean("yarn.scheduler.fair.preemption", &c.Preemption)
	r.float("yarn.scheduler.fair.preemption.cluster-utilization-threshold", &c.UtilizationThreshold)
	r.milliseconds("yarn.scheduler.fair.waitTimeBeforeKill", &c.WaitBeforeKill)
	r.milliseconds("yarn.scheduler.fair.waitTimeBeforeNextStarvationCheck", &c.WaitBeforeCheck)
	r.milliseconds("yarn.resourcemanager.nodemanagers.heartbeat-interval-ms", &c.NodeHeartbeat)
	r.milliseconds("yarn.scheduler.fair.update-interval-ms", &c.UpdateInterval)
	return c, errors.Join(append(r.problems, c.Validate())...)
}

// reader reads settings and keeps what is wrong with them.
type reader struct {
	get      func(key string) (string, bool)
	problems []error
}

func read[T any](r *reader, key, want string, parse func(string) (T, error), to *T) {
	text, set := r.get(key)
	if !set {
		return
	}
	v, err := parse(strings.TrimSpace(text))
	if err != nil {
		r.problems = append(r.problems, fmt.Errorf("%s is %q: want %s", key, text, want))
		return
	}
	*to = v
}

func (r *reader) number(key string, to *int64) {
	read(r, key, "a whole number", func(s string) (int64, error) { return strconv.ParseInt(s, 10, 64) }, to)
}

func (r *reader) boolean(key string, to *bool) {
	read(r, key, "true or false", func(s string) (bool, error) { return strconv.ParseBool(strings.ToLower(s)) }, to)
}

func (r *reader) float(key string, to *float64) {
	read(r, key, "a number", func(s string) (float64, error) { return strconv.ParseFloat(s, 32) }, to)
}

// milliseconds reads a number without a unit, and Go's durations, such as 5s, too.
func (r *reader) milliseconds(key string, to *time.Duration) {
	read(r, key, "milliseconds", func(s string) (time.Duration, error) {
		n, err := strconv.ParseInt(s, 10, 32)
		if err != nil {
			return time.ParseDuration(s)
		}
		return time.Duration(n) * time.Millisecond, nil
	}, to)
}
