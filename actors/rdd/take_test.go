package rdd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

type listArgs struct {
	Items      []int64
	Partitions int
}

type celsius float32

var (
	list = Define("list", func(a listArgs) Dataset[int64] { return Parallelize(a.Items, a.Partitions) })

	listPairs = Define("listPairs", func(a listArgs) Dataset[Pair[string, int64]] {
		return Map(Parallelize(a.Items, a.Partitions), func(x int64) Pair[string, int64] { return PairOf(fmt.Sprint("k", x%3), x) })
	})

	degrees = Define("degrees", func(a listArgs) Dataset[celsius] {
		return Map(Parallelize(a.Items, a.Partitions), func(x int64) celsius { return celsius(x) / 2 })
	})

	total      = DefineReduce("total", func(a, b int64) int64 { return a + b })
	difference = DefineReduce("difference", func(a, b int64) int64 { return a - b }) // shows the order
	product2   = DefineFold("product2", 2, func(a, b int64) int64 { return a * b % 1_000_003 })
	appended   = DefineAggregate("appended", []string{"zero"},
		func(all []string, x int64) []string { return append(all, fmt.Sprint(x)) },
		func(a, b []string) []string { return append(append(a, "|"), b...) })
	byLastDigit = DefineOrder("byLastDigit", func(a, b int64) int { return cmp.Compare(a%10, b%10) })
	broken      = DefineReduce("broken", func(_, _ int64) int64 { panic(errBroken) })
	wrong       = DefineReduce("wrong", func(a, b string) string { return a + b })

	sameName1 = DefineReduce("sameName", func(a, b int64) int64 { return a + b })
	sameName2 = DefineOrder("sameName", func(a, b int64) int { return cmp.Compare(a, b) })
	nilReduce = DefineReduce[int64]("nilReduce", nil)
	nilOrder  = DefineOrder[int64]("nilOrder", nil)
	nilEffect = DefineEffect[int64]("nilEffect", nil)
	noResult  = DefineAggregate[int64, any]("noResult", nil, func(any, int64) any { return nil }, func(any, any) any { return nil })

	noticed []int64 // by the effects below, of tests that do not run at once
	notice  = DefineEffect("notice", func(x int64) { noticed = append(noticed, x) })
	lengths = DefinePartitionEffect("lengths", func(in iter.Seq[int64]) { noticed = append(noticed, int64(len(slices.Collect(in)))) })
	failing = DefineEffect("failing", func(int64) { panic(errBroken) })
)

// parts cuts a slice as Parallelize does.
func parts(items []int64, n int) (out [][]int64) {
	for i := range n {
		from, to := portion(uint64(len(items)), i, n)
		out = append(out, items[from:to])
	}
	return out
}

func drawList(t *rapid.T) listArgs {
	return listArgs{
		Items:      rapid.SliceOf(rapid.Int64Range(-50, 50)).Draw(t, "items"),
		Partitions: rapid.IntRange(1, 7).Draw(t, "partitions"),
	}
}

// Each action gives what the plainest Go gives on the same records.
func TestActionsAreThoseOfPlainGo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := drawList(t)
		n := rapid.IntRange(0, 20).Draw(t, "n")
		ctx, app, job := context.Background(), Local(nil), list.With(a)
		sorted := slices.Sorted(slices.Values(a.Items))
		reversed := slices.Clone(sorted)
		slices.Reverse(reversed)
		digits := slices.Clone(a.Items)
		slices.SortStableFunc(digits, func(a, b int64) int { return cmp.Compare(a%10, b%10) })
		same := func(name string, got []int64, err error, want []int64) {
			if err != nil || !slices.Equal(got, want) {
				t.Fatalf("%s: %v, %v; want %v", name, got, err, want)
			}
		}
		got, err := Take(ctx, app, job, n)
		same("Take", got, err, a.Items[:min(n, len(a.Items))])
		got, err = TakeOrdered(ctx, app, job, n, Natural[int64]())
		same("TakeOrdered", got, err, sorted[:min(n, len(sorted))])
		got, err = Top(ctx, app, job, n, Natural[int64]())
		same("Top", got, err, reversed[:min(n, len(sorted))])
		got, err = TakeOrdered(ctx, app, job, n, byLastDigit)
		same("TakeOrdered by an order", got, err, digits[:min(n, len(digits))])

		product := int64(2)
		strs := []string{"zero"}
		for _, part := range parts(a.Items, a.Partitions) {
			of := int64(2)
			strs = append(strs, "|", "zero")
			for _, x := range part {
				of = of * x % 1_000_003
				strs = append(strs, fmt.Sprint(x))
			}
			product = product * of % 1_000_003
		}
		if got, err := Aggregate(ctx, app, job, product2); err != nil || got != product {
			t.Fatalf("fold: %v, %v; want %d", got, err, product)
		}
		if got, err := Aggregate(ctx, app, job, appended); err != nil || !slices.Equal(got, strs) {
			t.Fatalf("aggregate: %q, %v; want %q", got, err, strs)
		}
		byKey, byValue := map[string]int64{}, map[int64]int64{}
		for _, x := range a.Items {
			byKey[fmt.Sprint("k", x%3)]++
			byValue[x]++
		}
		keys, err := CountByKey(ctx, app, listPairs.With(a))
		if fmt.Sprint(keys) != fmt.Sprint(byKey) || err != nil {
			t.Fatalf("CountByKey: %v, %v; want %v", keys, err, byKey)
		}
		values, err := CountByValue(ctx, app, job)
		if fmt.Sprint(values) != fmt.Sprint(byValue) || err != nil {
			t.Fatalf("CountByValue: %v, %v; want %v", values, err, byValue)
		}
		latest := map[string]int64{}
		for _, x := range a.Items {
			latest[fmt.Sprint("k", x%3)] = x
		}
		if got, err := CollectAsMap(ctx, app, listPairs.With(a)); fmt.Sprint(got) != fmt.Sprint(latest) || err != nil {
			t.Fatalf("CollectAsMap: %v, %v; want %v", got, err, latest)
		}
		empty, err := IsEmpty(ctx, app, job)
		if err != nil || empty != (len(a.Items) == 0) {
			t.Fatalf("IsEmpty: %v, %v", empty, err)
		}
		first, errFirst := First(ctx, app, job)
		least, errLeast := Min(ctx, app, degrees.With(a), Natural[celsius]())
		most, errMost := Max(ctx, app, job, Natural[int64]())
		sum, errSum := Aggregate(ctx, app, job, total)
		if len(a.Items) == 0 {
			for _, err := range []error{errFirst, errLeast, errMost, errSum} {
				if !errors.Is(err, ErrEmpty) {
					t.Fatalf("of nothing: %v", err)
				}
			}
			return
		}
		want := int64(0)
		for _, x := range a.Items {
			want += x
		}
		if err := errors.Join(errFirst, errLeast, errMost, errSum); err != nil {
			t.Fatal(err)
		}
		if first != a.Items[0] || least != celsius(sorted[0])/2 || most != reversed[0] || sum != want {
			t.Fatalf("first %d, least %v, most %d, sum %d of %v", first, least, most, sum, a.Items)
		}
	})
}

// A reduce merges within each partition, then the partitions in their order.
func TestReduceMergesInOrder(t *testing.T) {
	a := listArgs{[]int64{100, 1, 2, 50, 3, 20, 7}, 3} // 100-1, 2-50, 3-20-7
	got, err := Aggregate(t.Context(), Local(nil), list.With(a), difference)
	if want := int64(99 - -48 - -24); err != nil || got != want {
		t.Errorf("%d, %v; want %d", got, err, want)
	}
}

// rounds notes which partitions the jobs of an action compute.
type rounds struct {
	Runner
	first, scaleUp int
	jobs           []string
}

func (r *rounds) RunJob(ctx context.Context, job Invocation, action Action) ([]Result, error) {
	what := " of all"
	switch {
	case strings.HasPrefix(string(action), "take"):
		what = fmt.Sprint(" of ", len(job.Partitions), " from ", job.Partitions[0])
	case job.Partitions != nil:
		what = fmt.Sprint(" of ", job.Partitions)
	}
	r.jobs = append(r.jobs, string(action)+what)
	return r.Runner.RunJob(ctx, job, action)
}

func (r *rounds) TakeRounds() (first, scaleUp int) { return r.first, r.scaleUp }

// The rounds are those of RDD.take in Spark 4.1.
func TestTakeComputesNoMorePartitionsThanSparks(t *testing.T) {
	ones := make([]int64, 100) // one record in each of the partitions
	for _, k := range []struct {
		items          []int64
		first, scaleUp int
		n              int
		want           []string
	}{
		{ones, 1, 4, 1, []string{"take 1 of 1 from 0"}},
		// One of ten found in one partition: 1.5 * 9 are wanted, 4 times as many as before are the most.
		{ones, 1, 4, 10, []string{"take 10 of 1 from 0", "take 9 of 4 from 1", "take 5 of 8 from 5"}},
		{ones, 20, 4, 10, []string{"take 10 of 20 from 0"}},
		{ones, 1, 1, 4, []string{"take 4 of 1 from 0", "take 3 of 2 from 1", "take 1 of 2 from 3"}},
		// Without a record in sight, 4 times as many each time, up to the end.
		{nil, 1, 4, 1, []string{"take 1 of 1 from 0", "take 1 of 4 from 1", "take 1 of 20 from 5", "take 1 of 75 from 25"}},
		{ones, 1, 4, 0, nil},
	} {
		r := &rounds{Runner: Local(nil), first: k.first, scaleUp: k.scaleUp}
		got, err := Take(t.Context(), r, list.With(listArgs{k.items, 100}), k.n)
		if err != nil || len(got) != min(k.n, len(k.items)) || !slices.Equal(r.jobs, k.want) {
			t.Errorf("take %d of %d: %d records by %q, %v; want %q", k.n, len(k.items), len(got), r.jobs, err, k.want)
		}
	}
	if n, err := NumPartitions(t.Context(), Local(nil), list.With(listArgs{nil, 100})); n != 100 || err != nil {
		t.Error(n, err)
	}
}

func TestForeachRunsForEachRecord(t *testing.T) {
	noticed = nil
	a := listArgs{[]int64{3, 1, 4, 1, 5}, 2}
	if err := Foreach(t.Context(), Local(nil), list.With(a), notice); err != nil || !slices.Equal(noticed, a.Items) {
		t.Errorf("%v, %v", noticed, err)
	}
	noticed = nil
	if err := Foreach(t.Context(), Local(nil), list.With(a), lengths); err != nil || !slices.Equal(noticed, []int64{2, 3}) {
		t.Errorf("%v, %v", noticed, err)
	}
}

func TestFaultsOfActions(t *testing.T) {
	ctx, app, job := t.Context(), Local(nil), list.With(listArgs{[]int64{1, 2, 3}, 1})
	reduce := func(a Aggregation[int64, int64]) error { _, err := Aggregate(ctx, app, job, a); return err }
	order := func(o Order[int64]) error { _, err := Top(ctx, app, job, 1, o); return err }
	_, negative := Take(ctx, app, job, -1)
	_, negativeTop := Top(ctx, app, job, -1, Natural[int64]())
	_, noCodec := Aggregate(ctx, app, job, noResult)
	for name, k := range map[string]struct {
		err  error
		is   error
		want string
	}{
		"name twice, first":  {reduce(sameName1), ErrBadJob, "rename one"},
		"name twice, second": {order(sameName2), ErrBadJob, "rename one"},
		"nil function":       {reduce(nilReduce), ErrBadJob, `aggregation "nilReduce" has a nil function`},
		"nil order":          {order(nilOrder), ErrBadJob, "nil function"},
		"nil effect":         {Foreach(ctx, app, job, nilEffect), ErrBadJob, "nil function"},
		"zero aggregation":   {reduce(Aggregation[int64, int64]{}), ErrBadJob, "zero Aggregation"},
		"zero order":         {order(Order[int64]{}), ErrBadJob, "zero Order"},
		"zero effect":        {Foreach(ctx, app, job, Effect[int64]{}), ErrBadJob, "zero Effect"},
		"late":               {reduce(DefineReduce("late", func(a, b int64) int64 { return a * b })), ErrBadJob, "TestFaultsOfActions"},
		"negative":           {negative, ErrBadJob, "-1"},
		"negative top":       {negativeTop, ErrBadJob, "-1"},
		"no codec":           {noCodec, ErrNoCodec, "noResult"},
		"panic":              {reduce(broken), errBroken, `(aggregation broken) panicked`},
		"panic of an effect": {Foreach(ctx, app, job, failing), errBroken, `(effect failing) panicked`},
	} {
		if !errors.Is(k.err, k.is) || !strings.Contains(k.err.Error(), k.want) {
			t.Errorf("%s: %v, want %v with %q", name, k.err, k.is, k.want)
		}
	}
}

// The text of an action comes from a driver: what does not fit the records is an error of the task.
func TestActionsThatDoNotFit(t *testing.T) {
	l := lineageOf(t, list.With(listArgs{[]int64{1}, 1}))
	for _, action := range []Action{
		"", "take", "take x", "take 0", "take -1", "least", "least 0", "least 1 nobody", "least 9999999999999", "greatest 1 total", "countByKey",
		"aggregate", "aggregate nobody", "aggregate wrong", "aggregate byLastDigit", "aggregate nilReduce", "save me",
	} {
		if _, err := l.RunResult(Task{Node: l.Last()}, action); !errors.Is(err, ErrBadTask) && !errors.Is(err, ErrBadJob) && !errors.Is(err, ErrUnknownJob) {
			t.Errorf("%q: %v", action, err)
		}
	}
	_ = wrong // defined to be found by its name
	if _, err := lineageOf(t, listPairs.With(listArgs{nil, 1})).RunResult(Task{Node: 1}, "least 1"); !errors.Is(err, ErrBadTask) {
		t.Error(err)
	}
}

// A task brings no more records than the action can use.
func TestATaskBringsAtMostWhatIsWanted(t *testing.T) {
	l := lineageOf(t, list.With(listArgs{[]int64{5, 1, 4, 2, 3}, 1}))
	for action, want := range map[Action]string{
		"take 2": "[5 1]", "take 9": "[5 1 4 2 3]", "least 2": "[1 2]", "greatest 3": "[5 4 3]", "aggregate total": "[15]", "count": "[]",
	} {
		res, err := l.RunResult(Task{Node: l.Last()}, action)
		if err != nil {
			t.Fatal(err)
		}
		if action == ActionCount {
			res.Count = 0
		}
		got, err := decodeResult(nil, res, mustCodec[int64](t), "list", 0)
		if err != nil || fmt.Sprint(got) != want {
			t.Errorf("%s brings %v, %v; want %s", action, got, err, want)
		}
	}
}
