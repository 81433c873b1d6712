package rdd

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

type factors struct {
	By    Broadcast[map[string]int64]
	More  []Broadcast[int64]
	Names []string
}

var (
	shared = Define("shared", func(a factors) Dataset[int64] {
		return Map(Range(0, 4, 2), func(x int64) int64 {
			x *= a.By.Value()["factor"]
			for _, m := range a.More {
				x += m.Value()
			}
			return x
		})
	})
	// onShared takes up a job whose argument has broadcasts, and has the first of them itself.
	onShared = Define("on shared", func(a struct {
		Of Bound[int64]
		By Broadcast[map[string]int64]
	},
	) Dataset[int64] {
		return Map(From(a.Of), func(x int64) int64 { return x * a.By.Value()["factor"] })
	})
	// readsTooEarly reads in the function of the job.
	readsTooEarly = Define("reads too early", func(b Broadcast[int64]) Dataset[int64] { return Range(0, b.Value(), 1) })
)

func made[T any](t *testing.T, r Runner, value T) Broadcast[T] {
	t.Helper()
	b, err := NewBroadcast(t.Context(), r, value)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestTasksReadABroadcast(t *testing.T) {
	r := Local(nil)
	by, one, two := made(t, r, map[string]int64{"factor": 10}), made(t, r, int64(1)), made(t, r, int64(2))
	if by.ID() != 0 || two.String() != "Broadcast(2)" || one.Value() != 1 {
		t.Error(by, two, one.Value())
	}
	job := shared.With(factors{by, []Broadcast[int64]{two, one}, []string{"x"}})
	got, err := Collect(t.Context(), r, job)
	if want := []int64{3, 13, 23, 33}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
	got, err = Collect(t.Context(), r, onShared.With(struct {
		Of Bound[int64]
		By Broadcast[map[string]int64]
	}{job, by}))
	if want := []int64{30, 130, 230, 330}; err != nil || !slices.Equal(got, want) {
		t.Errorf("taken up: %v, %v, want %v", got, err, want)
	}
}

// A lineage knows the Broadcasts of its own argument and of the jobs that it takes up.
func TestALineageHasItsBroadcasts(t *testing.T) {
	r := Local(nil)
	by, one := made(t, r, map[string]int64{}), made(t, r, int64(1))
	job, err := onShared.With(struct {
		Of Bound[int64]
		By Broadcast[map[string]int64]
	}{shared.With(factors{By: by, More: []Broadcast[int64]{one}}), by}).Invocation()
	if err != nil {
		t.Fatal(err)
	}
	var ids []int64
	for _, v := range job.Lineage.Broadcasts() {
		ids = append(ids, v.Info().ID)
	}
	if !slices.Equal(ids, []int64{0, 1, 0}) {
		t.Errorf("broadcasts %v", ids)
	}
}

func TestADestroyedBroadcastIsRefused(t *testing.T) {
	r := Local(nil)
	b := made(t, r, map[string]int64{"factor": 1})
	before := shared.With(factors{By: b})
	if _, err := Count(t.Context(), r, before); err != nil {
		t.Fatal(err)
	}
	if err := b.Unpersist(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := Count(t.Context(), r, before); err != nil {
		t.Errorf("after Unpersist: %v", err)
	}
	if err := b.Destroy(t.Context()); err != nil {
		t.Fatal(err)
	}
	const words = "Attempted to use Broadcast(0) after it was destroyed (Destroy at broadcast_test.go:"
	for name, use := range map[string]func() error{
		"a job bound before": func() error { _, err := Count(t.Context(), r, before); return err },
		"a job bound after":  func() error { _, err := Count(t.Context(), r, shared.With(factors{By: b})); return err },
		"Unpersist":          func() error { return b.Unpersist(t.Context()) },
		"Destroy":            func() error { return b.Destroy(t.Context()) },
		"Value":              func() error { return panicOf(func() { b.Value() }) },
	} {
		err := use()
		if _, destroyed := errors.AsType[*DestroyedError](err); !destroyed || !strings.Contains(err.Error(), words) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func panicOf(f func()) (err error) {
	defer func() { err, _ = recover().(error) }()
	f()
	return nil
}

// bare is a Runner without broadcasts.
type bare struct{ Runner }

func TestMisusesOfBroadcasts(t *testing.T) {
	r := Local(nil)
	one := made(t, r, int64(1))
	var zero Broadcast[int64]
	for name, c := range map[string]struct {
		use  func() error
		want string
	}{
		"zero value": {func() error { return panicOf(func() { zero.Value() }) }, "zero Broadcast"},
		"zero in a job": {func() error {
			_, err := Count(t.Context(), r, readsTooEarly.With(zero))
			return err
		}, "zero Broadcast"},
		"zero destroy": {func() error { return zero.Destroy(t.Context()) }, "zero Broadcast"},
		"too early":    {func() error { _, err := Count(t.Context(), r, readsTooEarly.With(one)); return err }, "not in the function of the job itself"},
		"another runner": {func() error {
			_, err := Count(t.Context(), Local(nil), shared.With(factors{By: made(t, r, map[string]int64{})}))
			return err
		}, "another runner made it"},
		"no broadcasts":  {func() error { _, err := NewBroadcast(t.Context(), bare{r}, 1); return err }, "has no broadcasts"},
		"no encoding":    {func() error { _, err := NewBroadcast(t.Context(), r, func() {}); return err }, "cannot travel"},
		"a hidden field": {func() error { _, err := NewBroadcast(t.Context(), r, struct{ a int }{1}); return err }, "not exported"},
		"a task ends it": {func() error {
			var got Broadcast[int64]
			data, err := one.GobEncode()
			return errors.Join(err, got.GobDecode(data), got.Destroy(t.Context()))
		}, "only the program that made it"},
		"another type": {func() error {
			data, err := one.GobEncode()
			var as Broadcast[string]
			return errors.Join(err, as.GobDecode(data), as.of.Set(new(int64)))
		}, "is *int64, not *string"},
		"damage": {func() error { _, err := one.of.Decode([]byte{1, 2, 3}); return err }, "damaged records"},
		"more than a value": {func() error {
			two := []byte{3, 4, 0, 4, 3, 4, 0, 4}
			_, err := one.of.Decode(two)
			return err
		}, "more behind it"},
	} {
		if err := c.use(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

func TestABadInfoIsRefused(t *testing.T) {
	for _, bad := range []BroadcastInfo{
		{ID: -1, Pieces: 1}, {Size: -1, Pieces: 1}, {Pieces: 0}, {Pieces: -3}, {Pieces: 3, Size: 1000}, {Pieces: 2, Checksums: []uint32{1}},
	} {
		of := &broadcast[int64]{info: bad}
		data, err := Broadcast[int64]{of}.GobEncode()
		if err != nil {
			t.Fatal(err)
		}
		var got Broadcast[int64]
		if err := got.GobDecode(data); !errors.Is(err, ErrBadArguments) {
			t.Errorf("%+v: %v", bad, err)
		}
	}
}

type nested struct {
	Deep map[string]*[]any
	Loop *nested
	At   [2]Broadcast[int64]
}

func TestBroadcastsAreFoundWhereverGobPutsThem(t *testing.T) {
	b := func(id int64) Broadcast[int64] {
		return Broadcast[int64]{&broadcast[int64]{info: BroadcastInfo{ID: id, Pieces: 1}}}
	}
	n := &node{}
	in := []any{b(5), "x", nil}
	arg := &nested{
		Deep: map[string]*[]any{"a": &in, "b": nil}, At: [2]Broadcast[int64]{b(3), {}},
		Loop: &nested{At: [2]Broadcast[int64]{b(1), b(2)}},
	}
	if err := addBroadcasts(n, arg); err != nil {
		t.Fatal(err)
	}
	var ids []int64
	for _, v := range *n.broadcasts.Load() {
		ids = append(ids, v.Info().ID)
	}
	if fmt.Sprint(ids) != "[1 2 3 5]" {
		t.Errorf("found %v", ids)
	}
	long := &nested{}
	for range deepest + 1 {
		long = &nested{Loop: long}
	}
	if err := addBroadcasts(n, long); !errors.Is(err, ErrBadArguments) {
		t.Errorf("a deep argument: %v", err)
	}
}
