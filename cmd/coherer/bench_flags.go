package main

import (
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/coherer/coherer/bench"
	"github.com/coherer/coherer/bench/measure"
)

// benchFlags are the flags of the commands that measure.
type benchFlags struct {
	spec       measure.Spec
	sizes      list[int]
	pairs      list[int]
	trials     int
	contenders list[string]
	rivals     string
	connect    string
	set        *pflag.FlagSet
	benchOutput
}

func (o *benchFlags) flags(f *pflag.FlagSet) {
	o.set = f
	o.benchOutput.flags(f)
	o.sizes = list[int]{of: []int{76}, parse: measure.ParseSize, print: measure.FormatSize}
	o.pairs = list[int]{parse: parseWhole}
	o.contenders = list[string]{parse: func(name string) (string, error) { return name, nil }}
	f.Var(&o.sizes, "size", "bytes of a message's encoding, a `LIST` such as 76B,1KiB,64KiB")
	f.Var(&o.pairs, "pairs", "how many pairs of a sender and a receiver there are, or peers of a role, a `LIST`; not given: 1, or 100 peers")
	f.Var((*rateFlag)(&o.spec.Rate), "rate", "messages, asks or operations a second of an open loop, whose latency counts from the intended start, a `NUMBER` such as 500, 20k or 1.5M; 0: a closed loop")
	f.DurationVar(&o.spec.Duration, "duration", 5*time.Second, "how long a trial sends, after a fifth of it to warm up")
	f.IntVar(&o.trials, "trials", 3, "trials of each")
	f.Var(&o.contenders, "contenders", "contenders to measure beside coherer, a `LIST` of names; not given: all")
	f.StringVar(&o.rivals, "rivals", "", "the program of bench/rivals, a `FILE`, or none to leave it out; Go channel and raw TCP stay; not given: build it from the source tree")
	f.StringVar(&o.connect, "connect", "", "`HOST:PORT` of coherer bench serve at another machine, which has the receiving sides then")
	f.StringVar(&o.spec.Record, "record", measure.RecordRing, "ring: Coherer keeps the latest records, as its daemons always do; on: it records all to a file besides; off")
}

// options are those of a run of the grid.
func (o *benchFlags) options(s streams, grid bench.Grid) (b bench.Options, err error) {
	grid.Sizes, grid.Pairs = o.sizes.of, o.pairs.of
	b = bench.Options{Cells: grid.Cells(o.spec), Trials: o.trials, Contenders: o.contenders.of, Rivals: o.rivals, Connect: o.connect, Progress: s.err}
	if b.Unused, err = grid.Unused(o.set.Changed("size"), o.set.Changed("in-flight")); err != nil {
		return b, usage(err)
	}
	if o.connect != "" {
		if _, _, err := net.SplitHostPort(o.connect); err != nil {
			return b, usage(fmt.Errorf("--connect: %w: want HOST:PORT", err))
		}
	}
	b.Program, b.Args, err = contenderProgram()
	return b, err
}

// benchOutput is the flags -o and --out.
type benchOutput struct{ form, out string }

func (o *benchOutput) flags(f *pflag.FlagSet) {
	o.form = bench.Formats[0]
	f.VarP(o, "output", "o", strings.Join(bench.Formats, ", "))
	f.StringVar(&o.out, "out", "", "also write the report, in the form of -o, to `FILE`; stdout then has the text")
}

// String, Set and Type make it a pflag.Value.
func (o *benchOutput) String() string { return o.form }

func (o *benchOutput) Set(form string) error {
	if !slices.Contains(bench.Formats, form) {
		return fmt.Errorf("want %s", strings.Join(bench.Formats, ", "))
	}
	o.form = form
	return nil
}

func (*benchOutput) Type() string { return "string" }

// reportOut is where a report goes.
type reportOut struct {
	form string
	file *bench.File
}

// open opens the file before anything is measured: a folder that is not there must not cost the figures.
func (o *benchOutput) open() (*reportOut, error) {
	out := &reportOut{form: o.form}
	if o.out == "" {
		return out, nil
	}
	var err error
	if out.file, err = bench.NewFile(o.out); err != nil {
		return nil, usage(fmt.Errorf("--out: %w", err))
	}
	return out, nil
}

// end writes the report of a run that ended with err, if there is one.
func (o *reportOut) end(s streams, r *bench.Report, err error) error {
	if wrong, ok := errors.AsType[bench.UsageError](err); ok {
		return usage(wrong.Unwrap())
	}
	// An interrupted run has a report of its complete rounds beside its error: print both.
	if r == nil {
		return err
	}
	return errors.Join(err, o.write(s, r))
}

func (o *reportOut) write(s streams, r *bench.Report) error {
	if o.file == nil {
		return r.Write(s.out, o.form)
	}
	// The text last: when stdout is closed, the file is written all the same.
	return errors.Join(o.file.Commit(func(w io.Writer) error { return r.Write(w, o.form) }), r.Write(s.out, "text"))
}

func (o *reportOut) abandon() {
	if o.file != nil {
		o.file.Abandon()
	}
}

// list is a flag of values with commas between them. It is given once: a second list takes the place of the first.
type list[T any] struct {
	of    []T
	parse func(string) (T, error)
	print func(T) string // nil: as fmt has it
}

func (l *list[T]) String() string {
	texts := make([]string, len(l.of))
	for i, v := range l.of {
		if l.print != nil {
			texts[i] = l.print(v)
		} else {
			texts[i] = fmt.Sprint(v)
		}
	}
	return strings.Join(texts, ",")
}

// Set and Type make it a pflag.Value.
func (l *list[T]) Set(text string) error {
	var of []T
	for part := range strings.SplitSeq(text, ",") {
		if part == "" {
			return errors.New("a value is missing between two commas or at an end")
		}
		v, err := l.parse(part)
		if err != nil {
			return err
		}
		of = append(of, v)
	}
	l.of = of
	return nil
}

func (*list[T]) Type() string { return "list" }

// rateFlag is a number a second.
type rateFlag float64

// String, Set and Type make it a pflag.Value.
func (r *rateFlag) String() string { return strconv.FormatFloat(float64(*r), 'g', -1, 64) }

func (r *rateFlag) Set(text string) (err error) {
	*(*float64)(r), err = measure.ParseRate(text)
	return err
}

func (*rateFlag) Type() string { return "rate" }

func parseWhole(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0, fmt.Errorf("%q is no whole number", text)
	}
	return n, nil
}
