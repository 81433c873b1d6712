package rdd

import (
	"fmt"
	"iter"
	"strconv"
	"strings"
)

// step is what an action does with the records of one partition, in the task.
type step[T any] func(r *run, in iter.Seq[T]) Result

// stepOf makes the step of an action, whose text comes from a driver and need not fit the job.
func stepOf[T any](action Action, c codec[T]) (step[T], error) {
	verb, of, _ := strings.Cut(string(action), " ")
	switch Action(verb) {
	case ActionCollect:
		return collecting(c), nil
	case ActionCount:
		return counting[T], nil
	case ActionSave:
		return save[T], nil
	case actionTake:
		n, err := strconv.Atoi(of)
		if err == nil && n > 0 {
			return taking(c, n), nil
		}
	case actionLeast, actionGreatest:
		return orderedStep(Action(verb), of, c)
	case actionCountByValue:
		return countingBy(c.append), nil
	case actionCountByKey:
		if key, err := keyAppender[T](); err == nil {
			return countingBy(key), nil
		}
	case actionSketch:
		n, err := strconv.Atoi(of)
		if key, errKey := keyAppender[T](); err == nil && errKey == nil && n > 0 && n <= 4*mostSampled {
			return sketching(key, n), nil
		}
	case actionSift:
		fraction, err := strconv.ParseFloat(of, 64)
		if key, errKey := keyAppender[T](); err == nil && errKey == nil && fraction >= 0 && fraction <= 1 {
			return sifting(key, fraction), nil
		}
	case actionAggregate:
		return namedStep[T](of)
	}
	return nil, fmt.Errorf("%w: unknown action %q of records of type %T", ErrBadTask, action, *new(T))
}

func collecting[T any](c codec[T]) step[T] {
	return func(r *run, in iter.Seq[T]) (res Result) {
		for v := range in {
			r.at = outside
			res.Count++
			res.Records = c.append(res.Records, v)
		}
		return res
	}
}

func counting[T any](r *run, in iter.Seq[T]) (res Result) {
	for range in {
		r.at = outside
		res.Count++
	}
	return res
}

func taking[T any](c codec[T], n int) step[T] {
	return func(r *run, in iter.Seq[T]) (res Result) {
		for v := range in {
			r.at = outside
			res.Count++
			res.Records = c.append(res.Records, v)
			if res.Count == int64(n) {
				break
			}
		}
		return res
	}
}

// encode is the Result that has these records.
func encode[T any](c codec[T], records ...T) (res Result) {
	res.Count = int64(len(records))
	for _, v := range records {
		res.Records = c.append(res.Records, v)
	}
	return res
}

// decodeResult appends the records of a partition's Result.
func decodeResult[T any](out []T, res Result, c codec[T], job string, partition int) ([]T, error) {
	count := int64(0)
	for rest := res.Records; len(rest) > 0; count++ {
		var v T
		var err error
		if v, rest, err = c.decode(rest); err != nil {
			return nil, fmt.Errorf("result of partition %d of job %s: %w", partition, job, err)
		}
		out = append(out, v)
	}
	// Records that were cut between two of them would decode without an error.
	if count != res.Count {
		return nil, fmt.Errorf("result of partition %d of job %s: %w: %d records, %d announced", partition, job, ErrCorrupt, count, res.Count)
	}
	return out, nil
}

// countingBy counts records by what key appends of them: pairs of that and a number, in order of first appearance.
func countingBy[T any](key func(dst []byte, v T) []byte) step[T] {
	return func(r *run, in iter.Seq[T]) (res Result) {
		type count struct {
			key string
			n   int64
		}
		var counts []count
		index := map[string]int{}
		var buf []byte
		for v := range in {
			r.at = outside
			buf = key(buf[:0], v)
			at, known := index[string(buf)]
			if !known {
				at = len(counts)
				counts = append(counts, count{key: string(buf)})
				index[counts[at].key] = at
			}
			counts[at].n++
		}
		numbers := signed[int64]()
		for _, c := range counts {
			res.Records = numbers.append(append(res.Records, c.key...), c.n)
		}
		res.Count = int64(len(counts))
		return res
	}
}

// keyAppender appends the encoded keys of records that are pairs.
func keyAppender[T any]() (func(dst []byte, v T) []byte, error) {
	if pair, ok := any(*new(T)).(interface{ newKeyAppender() (any, error) }); ok {
		made, err := pair.newKeyAppender()
		if err != nil {
			return nil, err
		}
		if of, ok := made.(func([]byte, T) []byte); ok {
			return of, nil
		}
	}
	return nil, fmt.Errorf("%w: %T is no Pair", ErrNoCodec, *new(T))
}

func (Pair[K, V]) newKeyAppender() (any, error) {
	keys, err := codecOf[K]()
	return func(dst []byte, p Pair[K, V]) []byte { return keys.append(dst, p.Key) }, err
}
