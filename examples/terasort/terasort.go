package main

import (
	"context"
	"errors"
	"fmt"
	"hash/crc64"
	"io"
	"iter"
	"path/filepath"
	"strconv"

	"github.com/coherer/coherer/actors/rdd"
)

// A record is a line of 99 bytes and its end: a key of 10 letters, the record's number, and filler.
const (
	recordSize = 100
	keySize    = 10
)

// GenArgs are what the generated records depend on.
type GenArgs struct {
	Records    int64
	Partitions int
}

// Generated is the job that makes records. The n-th is the same in every run.
var Generated = rdd.Define("terasort: generate", func(a GenArgs) rdd.Dataset[string] {
	return rdd.Map(rdd.Range(0, a.Records, a.Partitions), record)
})

// record is the n-th record, without its end.
func record(n int64) string {
	b := make([]byte, 0, recordSize)
	x := mix(uint64(n))
	for range keySize {
		b = append(b, ' '+1+byte(x%94)) // a printable letter, no blank
		x = mix(x)
	}
	b = fmt.Appendf(b, " %016x ", n)
	for len(b) < recordSize-1 {
		b = append(b, 'A'+byte(n%26))
	}
	return string(b)
}

// mix is a step of SplitMix64: numbers that follow each other give results without a pattern.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// ReadArgs are a folder of records and in how many partitions they are read, at least.
type ReadArgs struct {
	Path       string
	Partitions int
}

// Records is the job that reads records, each with its key in front.
var Records = rdd.Define("terasort: records", func(a ReadArgs) rdd.Dataset[rdd.Pair[string, string]] {
	return rdd.Map(rdd.TextFile(a.Path, a.Partitions), func(line string) rdd.Pair[string, string] {
		at := min(keySize, len(line))
		return rdd.PairOf(line[:at], line[at:])
	})
})

// SortArgs are records, and where to cut them: what sampling them found.
type SortArgs struct {
	Of     rdd.Bound[rdd.Pair[string, string]]
	Bounds rdd.Bounds[string]
}

// Sorted is the job that sorts.
var Sorted = rdd.Define("terasort: sort", func(a SortArgs) rdd.Dataset[string] {
	return rdd.Map(rdd.SortByKey(rdd.From(a.Of), a.Bounds), func(p rdd.Pair[string, string]) string { return p.Key + p.Value })
})

// Part is what there is to know of a partition.
type Part struct {
	Number      int
	Records     int64
	First, Last string
	// Sum of the records' checksums: the same for the same records in any order.
	Sum uint64
	// Wrong is the first record that is less than the one before it; "": none is.
	Wrong string
}

// Parts is the job that looks at each partition of records.
var Parts = rdd.Define("terasort: validate", func(a ReadArgs) rdd.Dataset[Part] {
	return rdd.MapPartitionsWithIndex(rdd.TextFile(a.Path, a.Partitions), func(number int, lines iter.Seq[string]) iter.Seq[Part] {
		return func(yield func(Part) bool) { yield(partOf(number, lines)) }
	})
})

var table = crc64.MakeTable(crc64.ECMA)

func partOf(number int, lines iter.Seq[string]) Part {
	p := Part{Number: number}
	for line := range lines {
		switch {
		case p.Records == 0:
			p.First = line
		case p.Wrong == "" && key(line) < key(p.Last):
			p.Wrong = line
		}
		p.Last = line
		p.Records++
		p.Sum += crc64.Checksum([]byte(line), table)
	}
	return p
}

func key(line string) string { return line[:min(keySize, len(line))] }

// Validate says whether the records at sorted are those at input, in order.
func Validate(ctx context.Context, r rdd.Runner, input, sorted string, partitions int) error {
	in, err := rdd.Collect(ctx, r, Parts.With(ReadArgs{input, partitions}))
	if err != nil {
		return err
	}
	out, err := rdd.Collect(ctx, r, Parts.With(ReadArgs{sorted, partitions}))
	if err != nil {
		return err
	}
	var problems []error
	last := ""
	for _, p := range out {
		if p.Records == 0 {
			continue
		}
		if p.Wrong != "" {
			problems = append(problems, fmt.Errorf("partition %d is not in order: %q", p.Number, p.Wrong))
		}
		if key(p.First) < last {
			problems = append(problems, fmt.Errorf("partition %d begins with %q, less than %q before it", p.Number, key(p.First), last))
		}
		last = key(p.Last)
	}
	want, got := total(in), total(out)
	if want.Records != got.Records || want.Sum != got.Sum {
		problems = append(problems, fmt.Errorf("%d records of checksum %x went in, %d of %x came out", want.Records, want.Sum, got.Records, got.Sum))
	}
	return errors.Join(problems...)
}

func total(parts []Part) (all Part) {
	for _, p := range parts {
		all.Records += p.Records
		all.Sum += p.Sum
	}
	return all
}

// Run is the program: args are generate RECORDS FOLDER [PARTITIONS], sort FOLDER SORTED [PARTITIONS] or validate FOLDER SORTED [PARTITIONS].
func Run(ctx context.Context, r rdd.Runner, args []string, out io.Writer) error {
	if len(args) != 3 && len(args) != 4 {
		return fmt.Errorf("want generate RECORDS FOLDER, sort FOLDER SORTED or validate FOLDER SORTED, and perhaps PARTITIONS, not %q", args)
	}
	partitions := 4
	if len(args) == 4 {
		var err error
		if partitions, err = strconv.Atoi(args[3]); err != nil || partitions < 1 {
			return fmt.Errorf("PARTITIONS %q: want a number of at least 1", args[3])
		}
	}
	from, to := args[1], args[2]
	switch args[0] {
	case "generate":
		n, err := strconv.ParseInt(from, 10, 64)
		if err != nil || n < 0 {
			return fmt.Errorf("RECORDS %q: want a number", from)
		}
		return rdd.SaveAsTextFile(ctx, r, Generated.With(GenArgs{n, partitions}), to)
	case "sort":
		records := Records.With(ReadArgs{from, partitions})
		bounds, err := rdd.SampleBounds(ctx, r, records, partitions)
		if err != nil {
			return err
		}
		return rdd.SaveAsTextFile(ctx, r, Sorted.With(SortArgs{records, bounds}), to)
	case "validate":
		if err := Validate(ctx, r, from, to, partitions); err != nil {
			return err
		}
		_, err := fmt.Fprintf(out, "%s has the records of %s in order\n", filepath.Base(to), filepath.Base(from))
		return err
	}
	return fmt.Errorf("%q: want generate, sort or validate", args[0])
}
