package transport

import (
	"sync/atomic"
	"time"
)

// rereadEvery is how long one reading of the wall clock serves: if somebody sets the clock, Now follows that much later.
const rereadEvery = 100 * time.Millisecond

// clock is the wall clock. It adds the time that has passed by the monotonic clock to what the wall clock said some time ago: to read one
// clock takes half as long as to read both. The zero value is ready.
type clock struct{ read atomic.Pointer[time.Time] }

func (c *clock) now() time.Time {
	if at := c.read.Load(); at != nil {
		if d := time.Since(*at); d < rereadEvery {
			return at.Add(d)
		}
	}
	return c.reread()
}

func (c *clock) reread() time.Time {
	now := time.Now()
	c.read.Store(&now)
	return now
}
