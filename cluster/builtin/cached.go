package builtin

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/coherer/coherer/actors/rdd"
)

// keptWords counts words and keeps the counts, behind the shuffle.
var keptWords = rdd.Define("kept words", func(text []string) rdd.Dataset[rdd.Pair[string, int64]] {
	ones := rdd.Map(rdd.Parallelize(text, 2), func(w string) rdd.Pair[string, int64] { return rdd.PairOf(w, int64(1)) })
	return rdd.Persist(rdd.ReduceByKey(ones, func(a, b int64) int64 { return a + b }, 2), rdd.MemoryAndDisk)
})

// manyWords takes the kept counts up: those of the words that occur more than once.
var manyWords = rdd.Define("many words", func(of rdd.Bound[rdd.Pair[string, int64]]) rdd.Dataset[rdd.Pair[string, int64]] {
	return rdd.Filter(rdd.From(of), func(p rdd.Pair[string, int64]) bool { return p.Value > 1 })
})

// Cached counts the words that it is given, keeps the counts, asks three times about them, and gives them up: it is for Worlds, and not
// among Programs.
func Cached(ctx context.Context, a rdd.Runner, args []string, out io.Writer) error {
	if len(args) == 0 {
		return errors.New("cached wants words to count: cached WORD...")
	}
	kept := keptWords.With(args)
	words, err := rdd.Count(ctx, a, kept)
	if err != nil {
		return err
	}
	many, err := rdd.Count(ctx, a, manyWords.With(kept))
	if err != nil {
		return err
	}
	if err := rdd.Unpersist(ctx, a, kept); err != nil {
		return err
	}
	again, err := rdd.Count(ctx, a, kept)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%d words, %d of them more than once, %d again\n", words, many, again)
	return err
}
