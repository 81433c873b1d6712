// Command sumtwice sums numbers up by key, waits until somebody writes into a FIFO, and sums them up again: the second job needs the map
// outputs of the first. Each map task leaves a byte in a file. Its arguments are this file and the FIFO.
package main

import (
	"context"
	"fmt"
	"iter"
	"os"

	"github.com/coherer/coherer/actors/rdd"
	"github.com/coherer/coherer/cluster/app"
)

var sums = rdd.Define("sums", func(marks string) rdd.Dataset[rdd.Pair[int64, int64]] {
	pairs := rdd.Map(rdd.Range(0, 1000, 4), func(i int64) rdd.Pair[int64, int64] { return rdd.PairOf(i%3, i) })
	marked := rdd.MapPartitions(pairs, func(in iter.Seq[rdd.Pair[int64, int64]]) iter.Seq[rdd.Pair[int64, int64]] {
		f, err := os.OpenFile(marks, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			panic(err)
		}
		_, _ = f.WriteString("x")
		_ = f.Close()
		return in
	})
	return rdd.ReduceByKey(marked, func(a, b int64) int64 { return a + b }, 2)
})

func main() {
	app.Main(func(ctx context.Context, a *app.App, args []string) error {
		for i := range 2 {
			all, err := rdd.Collect(ctx, a, sums.With(args[0]))
			if err != nil {
				return err
			}
			total := int64(0)
			for _, p := range all {
				total += p.Value
			}
			fmt.Println(len(all), "keys,", total)
			if i == 0 {
				if _, err := os.ReadFile(args[1]); err != nil {
					return err
				}
			}
		}
		return nil
	})
}
