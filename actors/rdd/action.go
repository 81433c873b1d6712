package rdd

import (
	"context"
	"fmt"
)

// Runner runs jobs: an application on a cluster, or Local.
type Runner interface {
	// RunJob computes the last node of the job's lineage and does the action with each partition that the job wants. The results
	// are in the order of Invocation.Partitions, else in that of the partitions.
	RunJob(ctx context.Context, job Invocation, action Action) ([]Result, error)
	// Partitions is the number of partitions of the last node of the job's lineage, as far as its files say now.
	Partitions(ctx context.Context, job Invocation) (int, error)
}

// Invocation is one bound job as it travels: an executor makes the same Lineage of Name and Args by Lookup.
type Invocation struct {
	Name    string
	Args    []byte
	Lineage *Lineage
	// Properties of the job by Spark's keys, from the context of its action: see WithProperty. They must not change.
	Properties map[string]string
	// Partitions are those whose results the action wants, each once, in any order; nil: all.
	Partitions []int32
	// Totals get what the tasks accumulate, by Totals.Add; nil: nothing does.
	Totals *Totals
	// Output is where ActionSave saves; a Runner runs that by RunSave.
	Output JobOutput
}

// CheckPartitions says what is wrong with the partitions that the action wants of so many.
func (inv Invocation) CheckPartitions(of int) error {
	seen := map[int32]bool{}
	for _, p := range inv.Partitions {
		switch {
		case p < 0 || int(p) >= of:
			return fmt.Errorf("%w: job %s wants partition %d. Total number of partitions: %d", ErrBadJob, inv.Name, p, of)
		case seen[p]:
			return fmt.Errorf("%w: job %s wants partition %d twice", ErrBadJob, inv.Name, p)
		}
		seen[p] = true
	}
	return nil
}

// Collect computes a bound job and brings all its records, in order of the partitions. It is an action: it is called by
// the driver's ordinary code, never within a job.
func Collect[T any](ctx context.Context, r Runner, b Bound[T]) ([]T, error) {
	results, err := runJob(ctx, r, b, ActionCollect)
	if err != nil {
		return nil, err
	}
	records, err := codecOf[T]()
	if err != nil {
		return nil, err
	}
	var out []T
	for partition, res := range results {
		if out, err = decodeResult(out, res, records, b.name, partition); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Count computes a bound job and brings the number of its records.
func Count[T any](ctx context.Context, r Runner, b Bound[T]) (int64, error) {
	results, err := runJob(ctx, r, b, ActionCount)
	if err != nil {
		return 0, err
	}
	var n int64
	for _, res := range results {
		n += res.Count
	}
	return n, nil
}

func runJob[T any](ctx context.Context, r Runner, b Bound[T], action Action) ([]Result, error) {
	job, err := b.Invocation()
	if err != nil {
		return nil, err
	}
	return runInvocation(ctx, r, job, action)
}

// runInvocation runs a job with the properties of its context.
func runInvocation(ctx context.Context, r Runner, job Invocation, action Action) ([]Result, error) {
	p := propertiesOf(ctx)
	if p.err != nil {
		return nil, fmt.Errorf("job %s: %w", job.Name, p.err)
	}
	job.Properties = p.values
	job.Totals, _ = ctx.Value(totalsKey{}).(*Totals)
	return r.RunJob(ctx, job, action)
}
