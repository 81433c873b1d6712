package builtin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/coherer/coherer/actors/rdd"
)

// words counts words: two map tasks, a shuffle, two reduce tasks.
var words = rdd.Define("words", func(text []string) rdd.Dataset[rdd.Pair[string, int64]] {
	ones := rdd.Map(rdd.Parallelize(text, 2), func(w string) rdd.Pair[string, int64] { return rdd.PairOf(w, int64(1)) })
	return rdd.ReduceByKey(ones, func(a, b int64) int64 { return a + b }, 2)
})

// Words counts the words that it is given: the example wordcount without a file, for Worlds. It is not among Programs.
func Words(ctx context.Context, a rdd.Runner, args []string, out io.Writer) error {
	if len(args) == 0 {
		return errors.New("words wants words to count: words WORD...")
	}
	counts, err := rdd.Collect(ctx, a, words.With(args))
	if err != nil {
		return err
	}
	slices.SortFunc(counts, func(a, b rdd.Pair[string, int64]) int { return strings.Compare(a.Key, b.Key) })
	for _, c := range counts {
		if _, err := fmt.Fprintf(out, "%s %d\n", c.Key, c.Value); err != nil {
			return err
		}
	}
	return nil
}
