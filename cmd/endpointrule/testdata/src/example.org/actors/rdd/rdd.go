// Package rdd stands for the package of the same name.
package rdd

type Job[A, T any] struct{}

type Dataset[T any] struct{}

func Define[A, T any](string, func(A) Dataset[T]) Job[A, T] { return Job[A, T]{} }

func Range(from, to int64, partitions int) Dataset[int64] { return Dataset[int64]{} }

func Map[T, U any](Dataset[T], func(T) U) Dataset[U] { return Dataset[U]{} }

func Filter[T any](d Dataset[T], keep func(T) bool) Dataset[T] { return d }

type Aggregation[T, R any] struct{}

func DefineReduce[T any](string, func(a, b T) T) Aggregation[T, T] { return Aggregation[T, T]{} }

type Effect[T any] struct{}

func DefineEffect[T any](string, func(T)) Effect[T] { return Effect[T]{} }

func Run(f func()) { f() }
