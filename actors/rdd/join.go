package rdd

import (
	"iter"
	"slices"
)

// Grouped is what CoGroup has of one key: its values in both Datasets, in their orders.
type Grouped[V, W any] struct {
	Left  []V
	Right []W
}

// Both is a record of each side of a join.
type Both[A, B any] struct {
	Left  A
	Right B
}

// Option is a value that may be missing, as one side of an outer join.
type Option[T any] struct {
	Value   T
	Present bool
}

// Some is the Option that has v.
func Some[T any](v T) Option[T] { return Option[T]{v, true} }

// CoGroup is the Dataset of one Grouped for each key of a or b. Those of a come first, in order of first appearance. A side whose keys
// are in the partitions of a HashPartitioner of so many already needs no shuffle. All values of one key must fit the memory of a task.
// It mirrors PairRDDFunctions.cogroup.
func CoGroup[K comparable, V, W any](a Dataset[Pair[K, V]], b Dataset[Pair[K, W]], partitions int) Dataset[Pair[K, Grouped[V, W]]] {
	type one = side[V, W]
	left, right := PartitionBy(a, HashPartitioner[K](partitions)), PartitionBy(b, HashPartitioner[K](partitions))
	n := deriveAll("CoGroup", sideBySide{}, left.node, right.node)
	n.keepPartitioner()
	codecs := codecsOf[K, one, Grouped[V, W]](n)
	add := func(g Grouped[V, W], v one) Grouped[V, W] {
		if v.IsRight {
			g.Right = append(g.Right, v.Right)
		} else {
			g.Left = append(g.Left, v.Left)
		}
		return g
	}
	group := aggregator[one, Grouped[V, W]]{func(v one) Grouped[V, W] { return add(Grouped[V, W]{}, v) }, add}
	both := Dataset[Pair[K, one]]{node: n, iterate: func(r *run, partition int) iter.Seq[Pair[K, one]] {
		return func(yield func(Pair[K, one]) bool) {
			more := true
			left.iterate(r, partition)(func(p Pair[K, V]) bool {
				more = yield(Pair[K, one]{p.Key, one{Left: p.Value}})
				return more
			})
			if !more {
				return
			}
			right.iterate(r, partition)(func(p Pair[K, W]) bool { return yield(Pair[K, one]{p.Key, one{Right: p.Value, IsRight: true}}) })
		}
	}}
	return gathered(both, n, group, codecs)
}

// side is a value of one of two Datasets.
type side[V, W any] struct {
	IsRight bool
	Left    V
	Right   W
}

// Join is the Dataset of each pair of a value of a and one of b that have the same key (PairRDDFunctions.join). Partitions and memory are
// those of CoGroup.
func Join[K comparable, V, W any](a Dataset[Pair[K, V]], b Dataset[Pair[K, W]], partitions int) Dataset[Pair[K, Both[V, W]]] {
	return FlatMapValues(CoGroup(a, b, partitions), func(g Grouped[V, W]) iter.Seq[Both[V, W]] { return pairsOf(g.Left, g.Right) })
}

// LeftOuterJoin is Join with the values of a whose keys b lacks, too.
func LeftOuterJoin[K comparable, V, W any](a Dataset[Pair[K, V]], b Dataset[Pair[K, W]], partitions int) Dataset[Pair[K, Both[V, Option[W]]]] {
	return FlatMapValues(CoGroup(a, b, partitions), func(g Grouped[V, W]) iter.Seq[Both[V, Option[W]]] {
		return pairsOf(g.Left, options(g.Right))
	})
}

// RightOuterJoin is Join with the values of b whose keys a lacks, too.
func RightOuterJoin[K comparable, V, W any](a Dataset[Pair[K, V]], b Dataset[Pair[K, W]], partitions int) Dataset[Pair[K, Both[Option[V], W]]] {
	return FlatMapValues(CoGroup(a, b, partitions), func(g Grouped[V, W]) iter.Seq[Both[Option[V], W]] {
		return pairsOf(options(g.Left), g.Right)
	})
}

// FullOuterJoin is Join with the values of both sides whose keys the other one lacks, too.
func FullOuterJoin[K comparable, V, W any](a Dataset[Pair[K, V]], b Dataset[Pair[K, W]],
	partitions int,
) Dataset[Pair[K, Both[Option[V], Option[W]]]] {
	return FlatMapValues(CoGroup(a, b, partitions), func(g Grouped[V, W]) iter.Seq[Both[Option[V], Option[W]]] {
		return pairsOf(options(g.Left), options(g.Right))
	})
}

// SubtractByKey is the Dataset of the pairs of a whose keys b lacks (PairRDDFunctions.subtractByKey). Partitions and memory are those of
// CoGroup.
func SubtractByKey[K comparable, V, W any](a Dataset[Pair[K, V]], b Dataset[Pair[K, W]], partitions int) Dataset[Pair[K, V]] {
	return FlatMapValues(CoGroup(a, b, partitions), func(g Grouped[V, W]) iter.Seq[V] {
		if len(g.Right) > 0 {
			return nil
		}
		return slices.Values(g.Left)
	})
}

// Subtract is the Dataset of the records of a that b lacks, each as often as a has it (RDD.subtract).
func Subtract[T comparable](a, b Dataset[T], partitions int) Dataset[T] {
	return Keys(SubtractByKey(Map(a, alone[T]), Map(b, alone[T]), partitions))
}

// Intersection is the Dataset of the records that a and b both have, each once (RDD.intersection).
func Intersection[T comparable](a, b Dataset[T], partitions int) Dataset[T] {
	groups := CoGroup(Map(a, alone[T]), Map(b, alone[T]), partitions)
	return Keys(Filter(groups, func(p Pair[T, Grouped[struct{}, struct{}]]) bool {
		return len(p.Value.Left) > 0 && len(p.Value.Right) > 0
	}))
}

// pairsOf is each pair of two lists.
func pairsOf[A, B any](as []A, bs []B) iter.Seq[Both[A, B]] {
	return func(yield func(Both[A, B]) bool) {
		for _, a := range as {
			for _, b := range bs {
				if !yield(Both[A, B]{a, b}) {
					return
				}
			}
		}
	}
}

// options are the values, or the one that is missing.
func options[T any](values []T) []Option[T] {
	if len(values) == 0 {
		return []Option[T]{{}}
	}
	out := make([]Option[T], len(values))
	for i, v := range values {
		out[i] = Some(v)
	}
	return out
}
