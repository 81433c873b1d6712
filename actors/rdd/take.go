package rdd

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
)

// Rounds are the settings of Take, of a Runner that has some.
type Rounds interface {
	// TakeRounds is how many partitions the first job of a Take computes, and by how many times a later one may compute more than those
	// before it (spark.rdd.limit.initialNumPartitions and spark.rdd.limit.scaleUpFactor).
	TakeRounds() (first, scaleUp int)
}

// Take is the first n records of a bound job, in the order of its partitions. It runs a job over the first partition, and further ones
// over as many as seem to be needed for the rest, so that most partitions are not computed. It is an action (RDD.take).
func Take[T any](ctx context.Context, r Runner, b Bound[T], n int) ([]T, error) {
	if n < 0 {
		return nil, fmt.Errorf("%w: %d records of job %s are wanted; give 0 or more", ErrBadJob, n, b.name)
	}
	job, err := b.Invocation()
	if err != nil || n == 0 {
		return nil, err
	}
	records, err := codecOf[T]()
	if err != nil {
		return nil, err
	}
	total, err := r.Partitions(ctx, job)
	if err != nil {
		return nil, err
	}
	var out []T
	for scanned := 0; len(out) < n && scanned < total; {
		left := n - len(out)
		job.Partitions = nil
		end := min(total, scanned+nextRound(r, n, len(out), scanned))
		for p := scanned; p < end; p++ {
			job.Partitions = append(job.Partitions, int32(p))
		}
		results, err := runInvocation(ctx, r, job, actionTake+Action(" "+strconv.Itoa(left)))
		if err != nil {
			return nil, err
		}
		for i, res := range results {
			if out, err = decodeResult(out, res, records, b.name, scanned+i); err != nil {
				return nil, err
			}
		}
		scanned = end
	}
	return slices.Clip(out[:min(n, len(out))]), nil
}

// nextRound is how many partitions the next job of a Take computes, which has found so many records in those scanned.
func nextRound(r Runner, wanted, found, scanned int) int {
	first, scaleUp := 1, 4
	if of, ok := r.(Rounds); ok {
		first, scaleUp = of.TakeRounds()
	}
	if scanned == 0 {
		return max(first, 1)
	}
	// As Spark: half more than would do if the others had as many records each.
	most := float64(scanned) * float64(max(scaleUp, 2))
	if found > 0 {
		most = min(most, math.Ceil(1.5*float64(wanted-found)*float64(scanned)/float64(found)))
	}
	return int(min(most, maxPartitions))
}

// First is the first record of a bound job; ErrEmpty without records (RDD.first).
func First[T any](ctx context.Context, r Runner, b Bound[T]) (T, error) {
	return only(Take(ctx, r, b, 1))(b.name)
}

// IsEmpty reports whether a bound job has no record (RDD.isEmpty).
func IsEmpty[T any](ctx context.Context, r Runner, b Bound[T]) (bool, error) {
	found, err := Take(ctx, r, b, 1)
	return len(found) == 0 && err == nil, err
}

// NumPartitions is the number of partitions of a bound job (RDD.getNumPartitions). No task runs.
func NumPartitions[T any](ctx context.Context, r Runner, b Bound[T]) (int, error) {
	job, err := b.Invocation()
	if err != nil {
		return 0, err
	}
	return r.Partitions(ctx, job)
}

// CountPartitions is the number of records of each partition of a bound job. It is an action; ZipWithIndex needs what it gives.
func CountPartitions[T any](ctx context.Context, r Runner, b Bound[T]) ([]int64, error) {
	results, err := runJob(ctx, r, b, ActionCount)
	var counts []int64
	for _, res := range results {
		counts = append(counts, res.Count)
	}
	return counts, err
}

// CountByValue is how often each record of a bound job comes. All different records must fit the driver's memory. It is an action
// (RDD.countByValue). Tasks count those of their partitions; there is no shuffle.
func CountByValue[T comparable](ctx context.Context, r Runner, b Bound[T]) (map[T]int64, error) {
	return countBy[T](ctx, r, b, actionCountByValue)
}

// CountByKey is how many records of a bound job each key has (PairRDDFunctions.countByKey); see CountByValue.
func CountByKey[K comparable, V any](ctx context.Context, r Runner, b Bound[Pair[K, V]]) (map[K]int64, error) {
	return countBy[K](ctx, r, b, actionCountByKey)
}

func countBy[K comparable, T any](ctx context.Context, r Runner, b Bound[T], action Action) (map[K]int64, error) {
	counts, err := codecOf[Pair[K, int64]]()
	if err != nil {
		return nil, err
	}
	results, err := runJob(ctx, r, b, action)
	if err != nil {
		return nil, err
	}
	out := map[K]int64{}
	for partition, res := range results {
		found, err := decodeResult(nil, res, counts, b.name, partition)
		if err != nil {
			return nil, err
		}
		for _, p := range found {
			out[p.Key] += p.Value
		}
	}
	return out, nil
}

// CollectAsMap is Collect of pairs as a map; of a key that comes several times the last value stays (PairRDDFunctions.collectAsMap).
func CollectAsMap[K comparable, V any](ctx context.Context, r Runner, b Bound[Pair[K, V]]) (map[K]V, error) {
	pairs, err := Collect(ctx, r, b)
	if err != nil {
		return nil, err
	}
	out := make(map[K]V, len(pairs))
	for _, p := range pairs {
		out[p.Key] = p.Value
	}
	return out, nil
}
