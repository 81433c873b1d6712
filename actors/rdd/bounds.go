package rdd

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
)

// Sorting sorts the pairs of jobs by their keys: a job in a package variable, see DefineSort.
type Sorting[K cmp.Ordered, V any] struct {
	job Job[SortArgs[K, V], Pair[K, V]]
}

// SortArgs is the argument of the job of a Sorting.
type SortArgs[K cmp.Ordered, V any] struct {
	Of     Bound[Pair[K, V]]
	Bounds Bounds[K]
}

// DefineSort defines a job that sorts the pairs of other jobs by SortByKey.
func DefineSort[K cmp.Ordered, V any](name string) Sorting[K, V] {
	return Sorting[K, V]{Define(name, func(a SortArgs[K, V]) Dataset[Pair[K, V]] { return SortByKey(From(a.Of), a.Bounds) })}
}

// Of samples the keys of a job, by a job or two as in Spark, and returns the job that sorts it into at most so many partitions.
func (s Sorting[K, V]) Of(ctx context.Context, r Runner, b Bound[Pair[K, V]], partitions int) (Bound[Pair[K, V]], error) {
	return s.of(ctx, r, b, partitions, false)
}

// DescendingOf is Of with the greatest keys first.
func (s Sorting[K, V]) DescendingOf(ctx context.Context, r Runner, b Bound[Pair[K, V]], partitions int) (Bound[Pair[K, V]], error) {
	return s.of(ctx, r, b, partitions, true)
}

func (s Sorting[K, V]) of(ctx context.Context, r Runner, b Bound[Pair[K, V]], partitions int, descending bool) (Bound[Pair[K, V]], error) {
	bounds, err := SampleBounds(ctx, r, b, partitions)
	if err != nil {
		return Bound[Pair[K, V]]{}, err
	}
	bounds.Descending = descending
	return s.job.With(SortArgs[K, V]{b, bounds}), nil
}

// The sizes of the sample, as in Spark's RangePartitioner.
const (
	samplePerPartition = 20
	mostSampled        = 1e6
)

// SampleBounds samples the keys of a bound job and returns the bounds of at most so many ranges of nearly equal numbers of records;
// fewer when there are fewer different keys in the sample. A second job samples again the partitions that are much larger than others. The
// sample is the same in every run. It is an action, and mirrors org.apache.spark.RangePartitioner.
func SampleBounds[K cmp.Ordered, V any](ctx context.Context, r Runner, b Bound[Pair[K, V]], partitions int) (Bounds[K], error) {
	if partitions < 1 || partitions > maxPartitions {
		return Bounds[K]{}, fmt.Errorf("%w: job %s is to be sorted into %d partitions; give 1 to %d", ErrBadJob, b.name, partitions, maxPartitions)
	}
	job, err := b.Invocation()
	if err != nil || partitions == 1 {
		return Bounds[K]{}, err
	}
	from, err := r.Partitions(ctx, job)
	if err != nil || from == 0 {
		return Bounds[K]{}, err
	}
	size := min(samplePerPartition*float64(partitions), mostSampled)
	each := int(math.Ceil(3 * size / float64(from))) // more than its share: partitions differ
	results, err := runInvocation(ctx, r, job, actionSketch+Action(" "+strconv.Itoa(each)))
	if err != nil {
		return Bounds[K]{}, err
	}
	sketches, total, err := readSketches[K](results, b.name, nil)
	if err != nil || total == 0 {
		return Bounds[K]{}, err
	}
	fraction := min(size/float64(total), 1)
	var sample []weighed[K]
	job.Partitions = nil
	for i, s := range sketches {
		if fraction*float64(s.records) > float64(each) {
			job.Partitions = append(job.Partitions, int32(i))
			continue
		}
		for _, k := range s.keys {
			sample = append(sample, weighed[K]{k, float64(s.records) / float64(len(s.keys))})
		}
	}
	if job.Partitions != nil {
		if results, err = runInvocation(ctx, r, job, actionSift+Action(" "+strconv.FormatFloat(fraction, 'g', -1, 64))); err != nil {
			return Bounds[K]{}, err
		}
		if sketches, _, err = readSketches[K](results, b.name, job.Partitions); err != nil {
			return Bounds[K]{}, err
		}
		for _, s := range sketches {
			for _, k := range s.keys {
				sample = append(sample, weighed[K]{k, 1 / fraction})
			}
		}
	}
	return Bounds[K]{Upper: determineBounds(sample, min(partitions, len(sample)))}, nil
}

// sketch is what the sample has of one partition.
type sketch[K any] struct {
	records int64
	keys    []K
}

// weighed is a key of the sample, which stands for so many records.
type weighed[K any] struct {
	key    K
	weight float64
}

// determineBounds are the bounds of so many ranges of nearly equal weight (RangePartitioner.determineBounds).
func determineBounds[K cmp.Ordered](sample []weighed[K], partitions int) (bounds []K) {
	slices.SortStableFunc(sample, func(a, b weighed[K]) int { return cmp.Compare(a.key, b.key) })
	sum := 0.0
	for _, s := range sample {
		sum += s.weight
	}
	step := sum / float64(partitions)
	reached, target := 0.0, step
	for _, s := range sample {
		if len(bounds) == partitions-1 {
			break
		}
		reached += s.weight
		// Keys that are equal stay together.
		if reached >= target && (len(bounds) == 0 || cmp.Compare(s.key, bounds[len(bounds)-1]) > 0) {
			bounds = append(bounds, s.key)
			target += step
		}
	}
	return bounds
}

// readSketches reads what sketching and sifting have brought. It comes from executors.
func readSketches[K any](results []Result, job string, partitions []int32) (out []sketch[K], total int64, err error) {
	keys, err := codecOf[K]()
	if err != nil {
		return nil, 0, err
	}
	for i, res := range results {
		if partitions != nil {
			i = int(partitions[i])
		}
		n, rest, err := decodeUvarint(res.Records)
		if err != nil || n > math.MaxInt64/2 {
			return nil, 0, fmt.Errorf("sample of partition %d of job %s: %w", i, job, corrupt("it has no number of records"))
		}
		s := sketch[K]{records: int64(n)}
		if s.keys, err = decodeResult(s.keys, Result{Count: res.Count, Records: rest}, keys, job, i); err != nil {
			return nil, 0, err
		}
		out = append(out, s)
		total += s.records
	}
	return out, total, nil
}

// sketching keeps n of a partition's encoded keys, each with the same probability, and counts all (SamplingUtils.reservoirSampleAndCount).
func sketching[T any](key func(dst []byte, v T) []byte, n int) step[T] {
	return func(r *run, in iter.Seq[T]) Result {
		chance := rand.New(rand.NewPCG(sketchSeed, uint64(r.task.Partition)))
		var kept [][]byte
		seen := uint64(0)
		for v := range in {
			r.at = outside
			seen++
			if len(kept) < n {
				kept = append(kept, key(nil, v))
			} else if at := chance.Uint64N(seen); at < uint64(n) {
				kept[at] = key(kept[at][:0], v)
			}
		}
		return sampleResult(seen, kept)
	}
}

// sifting keeps each of a partition's encoded keys with a probability.
func sifting[T any](key func(dst []byte, v T) []byte, fraction float64) step[T] {
	return func(r *run, in iter.Seq[T]) Result {
		chance := rand.New(rand.NewPCG(sketchSeed+1, uint64(r.task.Partition)))
		var kept [][]byte
		seen := uint64(0)
		for v := range in {
			r.at = outside
			seen++
			if chance.Float64() < fraction {
				kept = append(kept, key(nil, v))
			}
		}
		return sampleResult(seen, kept)
	}
}

// sketchSeed gives the same sample in every run.
const sketchSeed = 0x5eed

// sampleResult has the number of all records in front of the keys.
func sampleResult(seen uint64, kept [][]byte) Result {
	return Result{Count: int64(len(kept)), Records: append(binary.AppendUvarint(nil, seen), bytes.Join(kept, nil)...)}
}
