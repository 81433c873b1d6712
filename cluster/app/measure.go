package app

import (
	"runtime/debug"
	"runtime/metrics"

	appmsg "github.com/coherer/coherer/messages/app"
)

// measureProcess measures this process, as executor.IO and bus.Process want it. It takes microseconds.
func measureProcess() *appmsg.ExecutorMetrics {
	samples := []metrics.Sample{
		{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"},
	}
	metrics.Read(samples)
	heap := int64(samples[0].Value.Uint64())
	m := &appmsg.ExecutorMetrics{Heap: heap, OffHeap: int64(samples[1].Value.Uint64()-samples[2].Value.Uint64()) - heap}
	var gc debug.GCStats
	debug.ReadGCStats(&gc)
	m.GcCount, m.GcMs = gc.NumGC, gc.PauseTotal.Milliseconds()
	return m
}
