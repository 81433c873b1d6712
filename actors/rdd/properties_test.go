package rdd

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// propertyRunner runs no job: it notes the properties.
type propertyRunner struct{ got map[string]string }

func (r *propertyRunner) RunJob(_ context.Context, inv Invocation, _ Action) ([]Result, error) {
	r.got = inv.Properties
	return nil, nil
}

func (r *propertyRunner) Partitions(context.Context, Invocation) (int, error) { return 0, nil }

// An action's job has the properties of its context; a context that was derived changes none of those before it.
func TestAJobHasThePropertiesOfItsContext(t *testing.T) {
	group := WithJobGroup(t.Context(), "g", "counts")
	tagged := WithJobTag(WithJobTag(WithJobTag(group, "a"), "b"), "a")
	for _, k := range []struct {
		ctx  context.Context //nolint:containedctx // a case of the table
		want string
	}{
		{t.Context(), "map[]"},
		{group, "map[spark.job.description:counts spark.jobGroup.id:g]"},
		{tagged, "map[spark.job.description:counts spark.job.tags:a,b spark.jobGroup.id:g]"},
		{WithPool(t.Context(), "p"), "map[spark.scheduler.pool:p]"},
		{WithPool(WithPool(t.Context(), "p"), ""), "map[]"},
		{WithProperty(WithJobGroup(tagged, "", ""), "k", "v"), "map[k:v spark.job.tags:a,b]"},
	} {
		var r propertyRunner
		if _, err := Count(k.ctx, &r, endless.With(0)); err != nil || fmt.Sprint(r.got) != k.want {
			t.Errorf("%v, %v; want %s", r.got, err, k.want)
		}
	}
}

func TestATagThatNoJobCanHaveFailsTheJob(t *testing.T) {
	for _, tag := range []string{"", "a,b"} {
		if _, err := Count(WithJobGroup(WithJobTag(t.Context(), tag), "g", ""), &propertyRunner{}, endless.With(0)); !errors.Is(err, ErrBadJob) {
			t.Errorf("tag %q: %v", tag, err)
		}
	}
}

// A Runner computes the partitions that an action wants, and brings their results in its order.
func TestLocalComputesTheWantedPartitions(t *testing.T) {
	inv, err := indexed.With(3).Invocation()
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range []struct {
		wanted []int32
		want   string
		err    error
	}{{nil, "[2 2 3]", nil}, {[]int32{2, 0}, "[3 2]", nil}, {[]int32{}, "[]", nil}, {[]int32{3}, "[]", ErrBadJob}, {[]int32{0, 0}, "[]", ErrBadJob}} {
		inv.Partitions = k.wanted
		results, err := Local(nil).RunJob(t.Context(), inv, ActionCollect)
		var got []int
		for _, r := range results {
			got = append(got, strings.Count(string(r.Records), " ")) // between the numbers of its one record, and before them
		}
		if fmt.Sprint(got) != k.want || !errors.Is(err, k.err) {
			t.Errorf("%v: %v, %v", k.wanted, got, err)
		}
	}
}
