// Package job counts the words of a text file and prints the most frequent ones.
//
// A word is a run of bytes that are none of the six ASCII white-space bytes: space, \t, \n, \v, \f and \r. Any other bytes
// are part of a word, whether they are UTF-8 or not. A line costs a task its own length in memory, whatever the number of
// words in it; so does a single word, a few times over.
package job

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/coherer/coherer/actors/rdd"
)

const (
	// defaultN is how many words are printed unless the user says otherwise.
	defaultN = 10
	// partitions is the least number of map tasks and the number of reduce tasks (SparkContext.defaultMinPartitions).
	partitions = 2
)

// Count is a word with how often it stands in the file.
type Count = rdd.Pair[string, int64]

// Args are what Top depends on.
type Args struct {
	// Path is where driver and executors find the file.
	Path string
	// Splits is the least number of map tasks, and the number of reduce tasks.
	Splits int
	// N is how many words of each partition are kept.
	N int
}

// Top is a job: the N most frequent words of each partition, so that little goes to the driver. Each word is in one
// partition, so the N most frequent of the file are among them.
var Top = rdd.Define("wordcount", func(a Args) rdd.Dataset[Count] {
	words := rdd.FlatMap(rdd.TextFile(a.Path, a.Splits), split)
	ones := rdd.Map(words, func(w string) Count { return rdd.PairOf(w, int64(1)) })
	counts := rdd.ReduceByKey(ones, func(a, b int64) int64 { return a + b }, a.Splits)
	return rdd.MapPartitions(counts, func(in iter.Seq[Count]) iter.Seq[Count] { return slices.Values(best(in, a.N)) })
})

// Run is the program: args are FILE [N]. It prints the N most frequent words, ten by default, as `count<TAB>word`.
func Run(ctx context.Context, r rdd.Runner, args []string, out io.Writer) error {
	a, err := Parse(args)
	if err != nil {
		return err
	}
	// Checked in the driver: else the first sign of a wrong path would be tasks that fail in executors.
	if err := Readable(a.Path); errors.Is(err, fs.ErrNotExist) && !filepath.IsAbs(args[0]) {
		return fmt.Errorf("%w: name the file by its whole path: in a cluster the driver has a working directory of its own", err)
	} else if err != nil {
		return err
	}
	counts, err := MostFrequent(ctx, r, a)
	if err != nil {
		return fmt.Errorf("wordcount of %s: %w", a.Path, err)
	}
	var text strings.Builder
	for _, c := range counts {
		fmt.Fprintf(&text, "%d\t%s\n", c.Value, Printable(c.Key))
	}
	_, err = io.WriteString(out, text.String())
	return err
}

// MostFrequent are the a.N most frequent words, the most frequent first, those of one count by their bytes, ascending.
func MostFrequent(ctx context.Context, r rdd.Runner, a Args) ([]Count, error) {
	counts, err := rdd.Collect(ctx, r, Top.With(a))
	return best(slices.Values(counts), a.N), err
}

// Parse reads the arguments; Path is absolute then. It looks at no file.
func Parse(args []string) (Args, error) {
	if len(args) < 1 || len(args) > 2 {
		return Args{}, fmt.Errorf("wordcount: want the arguments FILE [N], got %d", len(args))
	}
	a := Args{Splits: partitions, N: defaultN}
	var err error
	if len(args) == 2 {
		if a.N, err = strconv.Atoi(args[1]); err != nil || a.N < 1 {
			return Args{}, fmt.Errorf("wordcount: N is %q: give the number of words to print, at least 1", args[1])
		}
	}
	// Executors have other working directories than the driver.
	if a.Path, err = filepath.Abs(args[0]); err != nil {
		return Args{}, fmt.Errorf("wordcount: %w", err)
	}
	return a, nil
}

// Readable is nil for a regular file that can be read.
func Readable(path string) error {
	info, err := os.Stat(path) // before Open, which waits on a pipe until another process writes to it
	if err != nil {
		return fmt.Errorf("wordcount: no file to count: %w", err)
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("wordcount: %s is no regular file: name a file, not a folder, pipe or device", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("wordcount: the file cannot be read: %w", err)
	}
	return f.Close()
}
