package rdd

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
)

type numbersArgs struct {
	From, To   int64
	Partitions int
}

var (
	numbers = Define("numbers", func(a numbersArgs) Dataset[int64] { return Range(a.From, a.To, a.Partitions) })

	squares = Define("squares", func(of Bound[int64]) Dataset[int64] {
		return Map(From(of), func(x int64) int64 { return x * x })
	})

	// sumOfBoth takes up two bound jobs; one holds a bound job itself.
	scaled = Define("scaled", func(a struct {
		Of     Bound[int64]
		Factor int64
	},
	) Dataset[int64] {
		factor := a.Factor
		return Map(From(a.Of), func(x int64) int64 { return x * factor })
	})

	noArgs  = Define("noArgs", func(struct{}) Dataset[string] { return Parallelize([]string{"a", "b"}, 2) })
	twice1  = Define("twice", func(int) Dataset[int64] { return Range(0, 1, 1) })
	twice2  = Define("twice", func(string) Dataset[int64] { return Range(0, 2, 1) })
	unnamed = Define("", func(int) Dataset[int64] { return Range(0, 1, 1) })
	nilJob  = Define[int, int64]("nilJob", nil)
	channel = Define("channel", func(int) Dataset[withChannel] { return Dataset[withChannel]{} })
	funcArg = Define("funcArg", func(struct{ Callback func() }) Dataset[int] { return Dataset[int]{} })
	hideArg = Define("hideArg", func(hidden) Dataset[int] { return Dataset[int]{} })
	zero    = Define("zero", func(int) Dataset[int] { return Dataset[int]{} })
	ofZero  = Define("ofZero", func(int) Dataset[int] {
		return Map(Dataset[int]{}, func(int) int { return 0 })
	})
	nilMap  = Define("nilMap", func(int) Dataset[int] { return Map(Parallelize([]int{1}, 1), (func(int) int)(nil)) })
	badPart = Define("badPart", func(n int) Dataset[int64] { return Range(0, 1, n) })
	floats  = Define("floats", func(int) Dataset[Pair[float64, int]] {
		return ReduceByKey(Parallelize([]Pair[float64, int]{{1, 1}}, 1), func(a, b int) int { return a + b }, 1)
	})
	noKey = Define("noKey", func(int) Dataset[int] {
		pairs := Map(Range(0, 1, 1), func(int64) Pair[any, int] { return Pair[any, int]{} })
		return Map(ReduceByKey(pairs, func(a, b int) int { return a + b }, 1), func(Pair[any, int]) int { return 0 })
	})
	fromZero  = Define("fromZero", func(int) Dataset[int64] { return From(Bound[int64]{}) })
	panicking = Define("panicking", func(n []int) Dataset[int64] { return Range(0, int64(n[0]), 1) })
)

func TestCollectAndCount(t *testing.T) {
	app := Local(MemFS{})
	of := numbers.With(numbersArgs{-2, 5, 3})
	for _, tc := range []struct {
		name string
		job  Bound[int64]
		want []int64
	}{
		{"range", of, []int64{-2, -1, 0, 1, 2, 3, 4}},
		{"empty range", numbers.With(numbersArgs{5, -2, 2}), nil},
		{"more partitions than numbers", numbers.With(numbersArgs{0, 2, 9}), []int64{0, 1}},
		{"a bound job as argument", squares.With(of), []int64{4, 1, 0, 1, 4, 9, 16}},
		{"within an argument, twice", scaled.With(struct {
			Of     Bound[int64]
			Factor int64
		}{squares.With(numbers.With(numbersArgs{1, 4, 1})), 10}), []int64{10, 40, 90}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := Collect(t.Context(), app, tc.job)
			if err != nil || !slices.Equal(got, tc.want) {
				t.Errorf("got %v, want %v (error %v)", got, tc.want, err)
			}
			n, err := Count(t.Context(), app, tc.job)
			if err != nil || n != int64(len(tc.want)) {
				t.Errorf("count %d, want %d (error %v)", n, len(tc.want), err)
			}
		})
	}
	got, err := Collect(t.Context(), app, noArgs.With(struct{}{}))
	if err != nil || !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("without arguments: %q, error %v", got, err)
	}
}

func TestFaultsOfDefinitionAreErrorsOfUse(t *testing.T) {
	for _, tc := range []struct {
		name string
		err  error
		is   error
		want []string
	}{
		{"name used twice, first", collectErr(twice1.With(1)), ErrBadJob, []string{`"twice"`, "init.func", "and"}},
		{"name used twice, second", collectErr(twice2.With("")), ErrBadJob, []string{`"twice"`}},
		{"no name", collectErr(unnamed.With(1)), ErrBadJob, []string{"no name"}},
		{"nil function", collectErr(nilJob.With(1)), ErrBadJob, []string{`"nilJob"`}},
		{"record", collectErr(channel.With(1)), ErrNoCodec, []string{`"channel"`, "withChannel.Inner.Done: chan int"}},
		{"argument", collectErr(funcArg.With(struct{ Callback func() }{})), ErrNoCodec, []string{"Callback: func()"}},
		{"hidden field", collectErr(hideArg.With(hidden{})), ErrNoCodec, []string{"rdd.hidden.count"}},
		{"zero Job", collectErr(Job[int, int]{}.With(1)), ErrBadJob, []string{"zero Job"}},
		{"zero Bound", collectErr(Bound[int]{}), ErrBadJob, []string{"zero Bound"}},
		{"zero Dataset", collectErr(zero.With(1)), ErrBadJob, []string{"zero Dataset"}},
		{"of a zero Dataset", collectErr(ofZero.With(1)), ErrBadJob, []string{"Map of a zero Dataset"}},
		{"nil operation", collectErr(nilMap.With(1)), ErrBadJob, []string{"Map with a nil function"}},
		{"no partitions", collectErr(badPart.With(0)), ErrBadJob, []string{"Range with 0 partitions"}},
		{"too many partitions", collectErr(badPart.With(1 << 30)), ErrBadJob, []string{"Range with 1073741824"}},
		{"inexact key", collectErr(floats.With(1)), ErrNoCodec, []string{"float64"}},
		{"key without codec", collectErr(noKey.With(1)), ErrNoCodec, []string{"Pair[interface {},int].Key"}},
		{"from a zero Bound", collectErr(fromZero.With(1)), ErrBadJob, []string{"fromZero", "zero Bound"}},
		{"bound to a faulty one", collectErr(squares.With(badPart.With(0))), ErrBadJob, []string{"squares", "0 partitions"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if !errors.Is(tc.err, tc.is) {
				t.Fatalf("error %v, want %v", tc.err, tc.is)
			}
			for _, w := range tc.want {
				if !strings.Contains(tc.err.Error(), w) {
					t.Errorf("error %q does not say %q", tc.err, w)
				}
			}
		})
	}
}

// initial is defined by a function that the initialization of the package calls.
var initial Job[int, int64]

func init() { initial = definedBy("initial", 1) } //nolint:gochecknoinits // Define within a function init is what is tested

func definedBy(name string, factor int64) Job[int, int64] {
	return Define(name, func(to int) Dataset[int64] {
		return Map(Range(0, int64(to), 2), func(x int64) int64 { return x * factor })
	})
}

// An executor's main sets its variables anew, from its own arguments: a function that captured them there gives other
// records, and nothing else would show it.
func TestAJobThatTheRunningProgramDefinesIsAnError(t *testing.T) {
	if got, err := Collect(t.Context(), Local(MemFS{}), initial.With(3)); err != nil || !slices.Equal(got, []int64{0, 1, 2}) {
		t.Errorf("a job of a function init: %v, error %v", got, err)
	}
	inGoroutine := make(chan Job[int, int64])
	go func() { inGoroutine <- definedBy("late in a goroutine", 100) }()
	for _, job := range []Job[int, int64]{definedBy("late", 100), <-inGoroutine} {
		err := collectErr(job.With(4))
		if !errors.Is(err, ErrBadJob) {
			t.Fatalf("error %v, want %v", err, ErrBadJob)
		}
		for _, want := range []string{`"late`, "is defined by ", "rdd.definedBy,", "package variable", "argument"} {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("error %q does not say %q", err, want)
			}
		}
	}
	if _, err := Lookup("late", nil); !errors.Is(err, ErrUnknownJob) {
		t.Errorf("the registry has the job: error %v", err)
	}
}

func TestInitializersAreKnownByTheirNames(t *testing.T) {
	for name, want := range map[string]bool{
		"main.init": true, "example.org/a.b/pkg.init": true, "example.org/v2%2ex.init.0": true, "pkg.init.12": true,
		"main.main": false, "main.init.func1": false, "main.init.0.func1": false, "main.T.init": false, "main.(*T).init": false,
		"main.initial": false, "": false, "init": false,
	} {
		if got := isInitializer(name); got != want {
			t.Errorf("%q: %v", name, got)
		}
	}
}

func collectErr[T any](b Bound[T]) error {
	_, err := Collect(context.Background(), Local(MemFS{}), b)
	return err
}

func TestJobFunctionThatPanics(t *testing.T) {
	var user *UserError
	err := collectErr(panicking.With(nil))
	if !errors.As(err, &user) || user.Node != -1 || !strings.Contains(err.Error(), "index out of range") {
		t.Errorf("error %v", err)
	}
}

func TestLookup(t *testing.T) {
	job, err := squares.With(numbers.With(numbersArgs{0, 9, 2})).Invocation()
	if err != nil {
		t.Fatal(err)
	}
	l, err := Lookup(job.Name, job.Args)
	if err != nil || l.Digest() != job.Lineage.Digest() || l == job.Lineage {
		t.Errorf("lineage %v, error %v", l, err)
	}
	if _, err := Lookup("nobody", nil); !errors.Is(err, ErrUnknownJob) || !strings.Contains(err.Error(), "squares") {
		t.Errorf("unknown job: error %v", err)
	}
	if _, err := Lookup(job.Name, append(bytes.Clone(job.Args), 1)); !errors.Is(err, ErrBadArguments) {
		t.Errorf("bytes behind the argument: error %v", err)
	}
	other, err := noArgs.With(struct{}{}).Invocation()
	if err != nil {
		t.Fatal(err)
	}
	// A bound job of another record type than the argument's.
	forged, err := encodeArgs("squares", Bound[int64]{name: other.Name, args: other.Args})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Lookup("squares", forged); !errors.Is(err, ErrBadArguments) {
		t.Errorf("another type: error %v", err)
	}
}

func FuzzLookup(f *testing.F) {
	for _, b := range []interface{ Invocation() (Invocation, error) }{
		wordCount.With(countArgs{"text", 1, 2}), squares.With(numbers.With(numbersArgs{0, 9, 2})),
	} {
		job, err := b.Invocation()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(job.Name, job.Args)
	}
	f.Add("wordCount", []byte{1, 2, 3})
	f.Fuzz(func(t *testing.T, name string, args []byte) {
		if l, err := Lookup(name, args); err == nil && len(l.Lines()) == 0 {
			t.Error("neither lineage nor error")
		}
	})
}
