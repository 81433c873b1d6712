// Package jobs has jobs that give other records in an executor than their driver means.
package jobs

import (
	"flag"
	"math/rand/v2"
	"os"
	"time"

	"example.org/actors/rdd"
)

var (
	factor  = int64(1)
	scale   = flag.Int64("scale", 1, "")
	home    = os.Getenv("HOME")
	table   = map[int64]int64{}
	weight  int64
	offset  = func() int64 { factor++; return 0 }()
	initial int64
)

func init() {
	flag.Int64Var(&weight, "weight", 1, "")
	initial = 7
}

func run() {
	factor = 100
	table[1] = 100
	small := int64(len(os.Args))
	rdd.Define("captures", func(n int64) rdd.Dataset[int64] {
		return rdd.Map(rdd.Range(0, n, 1), func(x int64) int64 { return x * small }) // want `captures small`
	})
}

var globals = rdd.Define("globals", func(n int64) rdd.Dataset[int64] {
	n += int64(len(home)) // want `reads home, which has its value from os.Getenv`
	return rdd.Map(rdd.Range(0, n, 1), func(x int64) int64 {
		x *= factor                                       // want `reads factor, which is assigned`
		x *= *scale                                       // want `reads scale, which has its value from flag.Int64`
		x *= weight                                       // want `reads weight, which has its address taken`
		return x*table[x] + indirect() + initial + offset // want `reads table, which is assigned`
	})
})

func indirect() int64 {
	return time.Now().Unix() + // want `uses time.Now`
		rand.Int64() // want `uses rand.Int64`
}

type scaler struct{ by int64 }

func (s scaler) job(n int64) rdd.Dataset[int64] {
	return rdd.Map(rdd.Range(0, n, 1), func(x int64) int64 { return x * s.by })
}

var bound = rdd.Define("bound", scaler{2}.job) // want `captured values`

func made(by int64) func(int64) rdd.Dataset[int64] { return scaler{by}.job }

var returned = rdd.Define("returned", made(3)) // want `captured values`
