// Package rdd describes computations on large collections as lineages, in the manner of Spark's RDDs, and computes
// single partitions of them. It knows no cluster: a scheduler plans with a Lineage, executors run Tasks of it, Local
// does both in one goroutine. The package starts no goroutine, reads no clock, opens no file but through FS, and gives the
// same bytes in every run.
//
// # Jobs
//
// A job is a pure function from one argument to a Dataset, in a package variable:
//
//	type Args struct {
//		Path   string
//		Splits int
//	}
//
//	var Counts = rdd.Define("counts", func(a Args) rdd.Dataset[rdd.Pair[string, int64]] {
//		words := rdd.FlatMap(rdd.TextFile(a.Path, a.Splits), strings.FieldsSeq)
//		ones := rdd.Map(words, func(w string) rdd.Pair[string, int64] { return rdd.PairOf(w, int64(1)) })
//		return rdd.ReduceByKey(ones, func(a, b int64) int64 { return a + b }, 2)
//	})
//
// It contains no action. Actions, such as Collect and Count, stand in the driver's ordinary code:
//
//	counts, err := rdd.Collect(ctx, app, Counts.With(Args{Path: "README.md", Splits: 4}))
//
// SaveAsTextFile writes the records of each partition to a file of its own instead.
//
// What one action learnt goes into the next job as an argument. A bound job may itself be (part of) an argument, where
// From takes up its Dataset again; so iterative programs are built.
//
// A second action of the same bound job, such as Count after Collect, reads the shuffles that the first one has made, as long as the
// files that the job reads have not changed: only the last stage runs again.
//
// The end of ctx cancels the job: its tasks are killed, each after at most 16 further records, and the action fails with the cause of
// ctx. WithJobGroup and WithJobTag give the jobs of a context names by which an application cancels them (package app),
// WithPool says in which pool they share cores.
//
// # Operations and actions
//
// Operations have Spark's names, and are functions since Go's methods have no type parameters of their own. Of one Dataset: Map, Filter,
// FlatMap, MapPartitions, Distinct, Sample, Coalesce, Repartition, SortBy, ZipWithIndex. Of pairs: MapValues, FlatMapValues, Keys, Values,
// KeyBy, ReduceByKey, CombineByKey, AggregateByKey, FoldByKey, GroupByKey, SortByKey, PartitionBy. Of two: Union, Zip, Cartesian,
// CoGroup, Join and the outer joins, SubtractByKey, Subtract, Intersection. An operation by key shuffles
// a Dataset only if its keys are not in their partitions already. Each takes the number of partitions of its result: there is no default.
//
// Actions: Collect, Count, Take, First, IsEmpty, TakeOrdered, Top, Min, Max, CountByKey, CountByValue, CollectAsMap, and with functions
// of the user Aggregate and Foreach. The functions run in executors, so they have names, too, in package variables:
//
//	var total = rdd.DefineReduce("total", func(a, b int64) int64 { return a + b })
//
//	sum, err := rdd.Aggregate(ctx, app, Numbers.With(args), total)
//
// Beside its result a job can add to accumulators, which the program reads when the action has returned:
//
//	var bad = rdd.DefineCounter("bad lines")
//
//	lines = rdd.Accumulate(lines, bad, func(l string) int64 { return isBad(l) }) // in a job
//
//	var totals rdd.Totals
//	n, err := rdd.Count(rdd.WithTotals(ctx, &totals), app, Lines.With(args))
//	skipped, err := bad.Total(&totals)
//
// A sort needs to know its keys before it begins. Spark samples them by a job of its own, and so does a Sorting:
//
//	var byWord = rdd.DefineSort[string, int64]("byWord")
//
//	sorted, err := byWord.Of(ctx, app, Counts.With(args), 8) // at most 8 partitions
//	counts, err := rdd.Collect(ctx, app, sorted)
//
// # What must hold of a job
//
// No code travels, only the name of a job and its argument, encoded by encoding/gob. The executor calls the same
// function with the same argument and must get the same lineage. So the function of a job must not read a clock, a file,
// the environment or a variable that changes, and driver and executor must be one binary. The same is true of the
// functions given to Map, Filter and the others: a task may run twice, on two machines, and must give the same records
// in the same order each time; Indeterminate marks a dataset for which this is not so. They may run in several tasks
// at once and must not share what they change. A map in an argument is encoded in Go's random order: use a slice where
// encoded arguments shall be equal.
//
// Driver and executor compare Lineage.Digest. A difference (Lineage.Check, ErrLineageDiffers) fails the job with the
// lines of both sides instead of giving a wrong result. The lines name each operation, type, function and parameter;
// they cannot see the values that a function captured or reads from a package variable, which therefore must come from the
// argument. A job that main or a later function defines, where there is something to capture, is an error (ErrBadJob). A
// package variable that the driver changes is not seen at run time: the value of an executor is the first one. Nor may a function
// change what is declared outside of it: n++ in Map counts in the executors, each for itself, and the driver's n stays 0; Aggregate
// brings such a number. Nothing at run time can see either. The command endpointrule finds both, as a tool of go vet.
//
// # What is guaranteed
//
//   - A line of a text file is in exactly one split, whole, whatever its length and bytes. A line longer than the read
//     buffer of 1 MiB costs its own length.
//   - Values of a key are merged in the order of the records, then of the map tasks. Blocks, results and their order
//     are functions of the input: a task that spills merges the same values in the same order, one by one, so that
//     sums of floating-point numbers do not depend on memory either.
//   - A key goes to the same partition in every process: its encoded bytes are hashed by the package's own hash.
//   - Faults of a definition (a name used twice, a type that cannot travel) are errors of whatever uses the job; they
//     never stop the program.
//   - A panic of a user's function is a *UserError of that task. One in a goroutine that the function started is not
//     recovered. Errors of Task.Fetch, Task.Done and Task.Sleep are returned as they are.
//   - Decoders are bounded: damaged bytes give ErrCorrupt and never a panic or a large allocation.
//
// # Broadcasts
//
// A large value that all tasks read, such as a table, is better not a part of the argument, which travels with every task. A Broadcast of it
// is: the executors fetch the value once, and most of it from each other:
//
//	type Args struct{ Table rdd.Broadcast[map[string]int64] }
//
//	table, err := rdd.NewBroadcast(ctx, app, prices)
//	sums, err := rdd.Collect(ctx, app, Sums.With(Args{table}))
//
// In the functions of the job a.Table.Value() is the value, which nobody may change. Unpersist makes the executors give it up, Destroy ends
// it.
//
// # What is kept
//
// Persist keeps the partitions of a Dataset where they were computed first, in memory, on disk or both; Cache is Persist in memory.
// Later jobs read them there, and compute nothing that lies behind:
//
//	var Lines = rdd.Define("lines", func(path string) rdd.Dataset[Line] {
//		return rdd.Cache(rdd.Map(rdd.TextFile(path, 4), parse))
//	})
//
// A second action of Lines.With(path) reads them, and so does another job that takes it up by From. Memory has the records as they are, for
// all readers, which must not change what they hold; at the levels whose names end in Ser, and on disk, it has their encoding, so that a
// reader gets records of its own. What memory has no room for, and what was lost with its executor, is computed again. Unpersist gives the
// partitions up; those of a file that has changed go at the next job.
//
// Checkpoint keeps the partitions in files, below spark.checkpoint.dir: a second job writes them when the first one has ended well. Later
// jobs read them, also when all executors are lost, and never compute what lies behind again. Persist above spares the second job the
// computation. LocalCheckpoint keeps them where Persist does, and never computes them again either: a job that misses one fails.
//
// # Where tasks run
//
// Prefer says on which hosts the partitions of a Dataset lie. A driver starts tasks there if a core gets free soon enough. Tasks behind a
// shuffle prefer the hosts that have much of what they fetch; a job need not say so.
//
// # Limits
//
// A task with more keys than memory (Task.Memory) puts those that came last on disk (Task.Spill). The values of one key, merged, must
// fit in memory. Records are made of booleans, numbers, strings, slices, arrays, maps and structs of exported fields; types that
// contain themselves, pointers and interfaces have no encoding.
package rdd
