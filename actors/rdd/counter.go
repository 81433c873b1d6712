package rdd

import "sync/atomic"

// Counter counts what a task has read. Others may look while the task runs. The zero Counter is at 0.
type Counter struct{ n atomic.Int64 }

// Records that were read so far; while the task runs, the last few may be missing.
func (c *Counter) Records() int64 { return c.n.Load() }
