// Package rdd stands for the package of the same name.
package rdd

type Job[A, T any] struct{}

type Dataset[T any] struct{}

func Define[A, T any](string, func(A) Dataset[T]) Job[A, T] { return Job[A, T]{} }

func Range(from, to int64, partitions int) Dataset[int64] { return Dataset[int64]{} }

func Map[T, U any](Dataset[T], func(T) U) Dataset[U] { return Dataset[U]{} }
