// Package goodjobs has jobs whose records depend on their arguments only.
package goodjobs

import (
	"math/rand/v2"
	"strings"
	"time"

	"example.org/actors/rdd"
)

type args struct {
	Factor int64
	Wait   time.Duration
}

var (
	factors = []int64{1, 2, 3}
	words   = strings.Fields("a b")
	started = 0
)

// Limit is read by no job.
var Limit = 1

func init() { factors = append(factors, 4) } // the same in every process

// What a job's function declares, its argument too, may be captured by the functions within it.
var scaled = rdd.Define("scaled", func(a args) rdd.Dataset[int64] {
	factor, n := a.Factor, int64(len(words))
	return rdd.Map(rdd.Range(0, n, 1), func(x int64) int64 { return x * factor * factors[1] * int64(a.Wait) })
})

// A helper's parameters come from the job that calls it.
func times(d rdd.Dataset[int64], factor int64) rdd.Dataset[int64] {
	return rdd.Map(d, func(x int64) int64 { return x * factor })
}

var helped = rdd.Define("helped", declared)

func declared(a args) rdd.Dataset[int64] { return times(rdd.Range(0, 9, 1), a.Factor) }

var random = rdd.Define("random", func(seed uint64) rdd.Dataset[int64] {
	return rdd.Map(rdd.Range(0, 9, 1), func(x int64) int64 { return rand.New(rand.NewPCG(seed, uint64(x))).Int64() })
})

func drive() {
	started++ // no job reads it
	_ = time.Now()
}

// What a function declares it may change; so may what it returns, as an iterator.
var within = rdd.Define("within", func(n int64) rdd.Dataset[int64] {
	last := n
	last++ // before the tasks run, and in each process alike
	return rdd.Map(rdd.Range(0, n, 1), func(x int64) int64 {
		sum, of := int64(0), []int64{x, last}
		for i := range of {
			sum += of[i]
			of[i] = 0
		}
		add := func() { sum++ }
		add()
		return counted(sum)
	})
})

func counted(n int64) (sum int64) {
	for ; n > 0; n-- {
		sum += n
	}
	return sum
}

var total = rdd.DefineReduce("total", func(a, b int64) int64 { a += b; return a })
