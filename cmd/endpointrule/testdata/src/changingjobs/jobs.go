// Package changingjobs has jobs whose functions change what is declared outside of them.
package changingjobs

import (
	"os"
	"strings"
	"sync"
	"sync/atomic"

	"example.org/actors/rdd"
)

var (
	hits   int64
	byName = map[string]int64{}
	once   sync.Once
)

type stats struct{ lines, words int64 }

var captured = rdd.Define("captured", func(n int64) rdd.Dataset[int64] {
	count, seen, of := 0, map[int64]bool{}, stats{}
	var exact atomic.Int64
	var text strings.Builder
	passed := make(chan int64, 1)
	list := make([]int64, n)
	d := rdd.Map(rdd.Range(0, n, 1), func(x int64) int64 {
		count++              // want `changes count, which is declared outside`
		seen[x] = true       // want `changes seen`
		of.lines += x        // want `changes of`
		exact.Add(1)         // want `calls Add of exact`
		text.Reset()         // want `calls Reset of text`
		passed <- x          // want `sends to passed`
		delete(seen, x)      // want `changes seen`
		copy(list[1:], list) // want `changes list`
		p := &of             // want `takes the address of of`
		p.words++
		return x
	})
	keep := func(x int64) bool {
		count += int(x) // want `changes count`
		return true
	}
	return rdd.Filter(rdd.Filter(d, keep), everyOther())
})

// everyOther keeps every other record of a task, whatever the task.
func everyOther() func(int64) bool {
	n := 0
	return func(int64) bool {
		n++ // want `changes n`
		return n%2 == 0
	}
}

var globals = rdd.Define("globals", func(n int64) rdd.Dataset[int64] {
	return rdd.Map(rdd.Map(rdd.Range(0, n, 1), counted), func(x int64) int64 {
		once.Do(func() {}) // each process has its own, on purpose
		byName["x"] = x    // want `changes byName`
		return x
	})
})

func counted(x int64) int64 {
	hits++ // want `changes hits`
	note(x)
	return x
}

func note(x int64) {
	hits = x // want `changes hits`
}

var printed = rdd.DefineEffect("printed", func(x int64) {
	hits += x // want `changes hits`
})

func run(by int64) {
	rdd.DefineReduce("scaled", func(a, b int64) int64 { return a*by + b }) // want `captures by`
}

// Named is called by jobs of other packages.
func Named(d rdd.Dataset[int64]) rdd.Dataset[int64] {
	length := int64(len(os.Getenv("HOME"))) // want `uses os.Getenv`
	return rdd.Map(d, func(x int64) int64 { return x + length })
}
