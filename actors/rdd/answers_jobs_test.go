package rdd

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"iter"
	"path"
	"slices"
	"testing"
)

var (
	intAnswers    = Define("rdd test: answers of ints", answerOf[int64])
	stringAnswers = Define("rdd test: answers of strings", answerOf[string])
)

func datasetAnswer(t *testing.T, a answer) (any, error) {
	t.Helper()
	if a.Kind == "string" {
		return partitionsOf(t, Local(nil), stringAnswers.With(a.args()))
	}
	return partitionsOf(t, Local(nil), intAnswers.With(a.args()))
}

// answerOf is the Dataset of an operation, without a function or with the one that bench/answers gives it.
func answerOf[K cmp.Ordered](a answerArgs) Dataset[string] {
	left, pairs, n := func() Dataset[K] { return given[K](a.Left) }, func() Dataset[Pair[K, int64]] { return givenPairs[K](a.Left) }, a.N
	right, others := func() Dataset[K] { return given[K](a.Right) }, func() Dataset[Pair[K, int64]] { return givenPairs[K](a.Right) }
	switch a.Op {
	case "Parallelize":
		var items [][]K
		if err := json.Unmarshal([]byte(a.Left), &items); err != nil {
			panic(err)
		}
		return glom(Parallelize(items[0], n))
	case "Range":
		var ends [][]int64
		if err := json.Unmarshal([]byte(a.Left), &ends); err != nil {
			panic(err)
		}
		return glom(Range(ends[0][0], ends[0][1], n))
	case "Map":
		return glom(Map(left(), twice[K]))
	case "Filter":
		return glom(Filter(left(), func(v K) bool { return textLength(v)%2 == 0 }))
	case "FlatMap":
		return glom(FlatMap(left(), func(v K) iter.Seq[K] { return slices.Values(slices.Repeat([]K{v}, int(textLength(v)%3))) }))
	case "MapPartitions":
		return glom(MapPartitions(left(), func(in iter.Seq[K]) iter.Seq[int64] {
			return slices.Values([]int64{int64(len(slices.Collect(in)))})
		}))
	case "MapPartitionsWithIndex":
		return glom(MapPartitionsWithIndex(left(), func(i int, in iter.Seq[K]) iter.Seq[Pair[int, K]] {
			return func(yield func(Pair[int, K]) bool) { in(func(v K) bool { return yield(PairOf(i, v)) }) }
		}))
	case "KeyBy":
		return glom(KeyBy(left(), textLength[K]))
	case "ZipWithIndex":
		return glom(ZipWithIndex(left(), lengthsOf[K](a.Left)))
	case "Coalesce":
		return glom(Coalesce(left(), n))
	case "Union":
		return glom(Union(left(), right()))
	case "Cartesian":
		return glom(Cartesian(left(), right()))
	case "Zip":
		return glom(Zip(left(), right()))
	case "Repartition":
		return glom(Repartition(left(), n))
	case "Distinct":
		return glom(Distinct(left(), n))
	case "Intersection":
		return glom(Intersection(left(), right(), n))
	case "Subtract":
		return glom(Subtract(left(), right(), n))
	case "Join":
		return glom(Join(pairs(), others(), n))
	case "LeftOuterJoin":
		return glom(LeftOuterJoin(pairs(), others(), n))
	case "RightOuterJoin":
		return glom(RightOuterJoin(pairs(), others(), n))
	case "FullOuterJoin":
		return glom(FullOuterJoin(pairs(), others(), n))
	case "CoGroup":
		return glom(CoGroup(pairs(), others(), n))
	case "SubtractByKey":
		return glom(SubtractByKey(pairs(), others(), n))
	}
	return answerByKey(a, pairs())
}

// answerByKey is answerOf for what takes one Dataset of pairs.
func answerByKey[K comparable](a answerArgs, pairs Dataset[Pair[K, int64]]) Dataset[string] {
	sum := func(a, b int64) int64 { return a + b }
	switch a.Op {
	case "Keys":
		return glom(Keys(pairs))
	case "Values":
		return glom(Values(pairs))
	case "MapValues":
		return glom(MapValues(pairs, func(v int64) int64 { return v - 1 }))
	case "FlatMapValues":
		return glom(FlatMapValues(pairs, func(v int64) iter.Seq[int64] {
			return func(yield func(int64) bool) {
				for i := range (v%3 + 3) % 3 {
					if !yield(i) {
						return
					}
				}
			}
		}))
	case "GroupByKey":
		return glom(GroupByKey(pairs, a.N))
	case "ReduceByKey":
		return glom(ReduceByKey(pairs, sum, a.N))
	case "FoldByKey":
		return glom(FoldByKey(pairs, 10, sum, a.N))
	case "AggregateByKey":
		return glom(AggregateByKey(pairs, 100, func(c, v int64) int64 { return max(c-1, v) }, sum, a.N))
	case "CombineByKey":
		one := func(int64) int64 { return 1 }
		return glom(CombineByKey(pairs, one, func(c, _ int64) int64 { return c + 1 }, sum, a.N))
	}
	panic("no operation " + a.Op)
}

func twice[K any](v K) K {
	switch p := any(&v).(type) {
	case *int64:
		*p *= 2
	case *string:
		*p += *p
	}
	return v
}

// textLength is how many characters the text of a value has.
func textLength[K any](v K) int64 { return int64(len([]rune(fmt.Sprint(v)))) }

func lengthsOf[T any](text string) (counts []int64) {
	var parts [][]T
	if err := json.Unmarshal([]byte(text), &parts); err != nil {
		panic(err)
	}
	for _, p := range parts {
		counts = append(counts, int64(len(p)))
	}
	return counts
}

var (
	intPairs    = Define("rdd test: answers: pairs of ints", givenPairs[int64])
	stringPairs = Define("rdd test: answers: pairs of strings", givenPairs[string])
	intRecords  = Define("rdd test: answers: ints", given[int64])
	textRecords = Define("rdd test: answers: strings", given[string])

	sortInts    = DefineSort[int64, int64]("rdd test: answers: by int")
	sortStrings = DefineSort[string, int64]("rdd test: answers: by string")

	gloms = Define("rdd test: answers: sorted ints", func(b Bound[Pair[int64, int64]]) Dataset[string] { return glom(From(b)) })
	glomt = Define("rdd test: answers: sorted strings", func(b Bound[Pair[string, int64]]) Dataset[string] { return glom(From(b)) })
)

func sortAnswer(t *testing.T, a answer) (any, error) {
	t.Helper()
	if a.Kind == "string" {
		return sortedBy(t, a, stringPairs, sortStrings, glomt)
	}
	return sortedBy(t, a, intPairs, sortInts, gloms)
}

func sortedBy[K cmp.Ordered](t *testing.T, a answer, pairs Job[string, Pair[K, int64]], by Sorting[K, int64], shown Job[Bound[Pair[K, int64]], string]) (any, error) {
	t.Helper()
	of := by.Of
	if a.Op == "SortByKeyDescending" {
		of = by.DescendingOf
	}
	r := Local(nil)
	sorted, err := of(t.Context(), r, pairs.With(string(a.Left)), a.N)
	if err != nil {
		return nil, err
	}
	return partitionsOf(t, r, shown.With(sorted))
}

// sameSort compares sorted records, and where they are cut unless chance decided it: Spark draws a sample of a partition that has more than
// three times its share of 20 records for each partition of the result.
func sameSort(a answer, got, want any) bool {
	sizes := lengthsOf[json.RawMessage](string(a.Left))
	if share := (3*20*a.N + len(sizes) - 1) / len(sizes); slices.Max(sizes) > int64(share) {
		return exactly(a, flat(got), flat(want))
	}
	return exactly(a, got, want)
}

func flat(parts any) (out []any) {
	for _, p := range parts.([]any) {
		out = append(out, p.([]any)...)
	}
	return out
}

// sameFiles compares what is read without the order of the files: Spark has that of the folder, which is any.
func sameFiles(a answer, got, want any) bool {
	if a.Op != "TextFile" {
		return exactly(a, got, want)
	}
	texts := func(parts any) (out []string) {
		for _, p := range parts.([]any) {
			out = append(out, fmt.Sprint(p))
		}
		slices.Sort(out)
		return out
	}
	return slices.Equal(texts(got), texts(want))
}

var answerLines = Define("rdd test: answers: lines", func(a textArgs) Dataset[string] { return glom(TextFile(a.Path, a.Splits)) })

func fileAnswer(t *testing.T, a answer) (any, error) {
	t.Helper()
	disk := &MemDisk{}
	r := Local(disk)
	var err error
	switch a.Op + " " + a.Kind {
	case "SaveAsTextFile int":
		err = SaveAsTextFile(t.Context(), r, intRecords.With(string(a.Left)), "/out")
	case "SaveAsTextFile string":
		err = SaveAsTextFile(t.Context(), r, textRecords.With(string(a.Left)), "/out")
	case "SavePairsAsTextFile int":
		err = SaveAsTextFile(t.Context(), r, intPairs.With(string(a.Left)), "/out")
	case "SavePairsAsTextFile string":
		err = SaveAsTextFile(t.Context(), r, stringPairs.With(string(a.Left)), "/out")
	default:
		var files [][]string
		if err := json.Unmarshal(a.Left, &files); err != nil {
			t.Fatal(err)
		}
		all := map[string]string{}
		for i, text := range files[0] {
			all[fmt.Sprintf("/d/f%d", i)] = text
		}
		return partitionsOf(t, Local(written(t, all)), answerLines.With(textArgs{"/d", a.N}))
	}
	if err != nil {
		return nil, err
	}
	names, err := disk.ReadDir("/out")
	if err != nil {
		return nil, err
	}
	out := [][2]string{}
	for _, name := range names {
		f, err := disk.Open(path.Join("/out", name))
		if err != nil {
			return nil, err
		}
		text := make([]byte, f.Size())
		if _, err := f.ReadAt(text, 0); err != nil && len(text) > 0 {
			return nil, err
		}
		out = append(out, [2]string{name, string(text)})
	}
	return out, nil
}

// sameCompressed compares the partitions; of a .bz2, which Hadoop cuts, only the lines.
func sameCompressed(a answer, got, want any) bool {
	if bytes.Contains(a.Left, []byte(".bz2")) {
		return len(got.([]any)) == 1 && exactly(a, flat(got), flat(want))
	}
	return exactly(a, got, want)
}

func compressedAnswer(t *testing.T, a answer) (any, error) {
	t.Helper()
	var files [][2]string // name, and the contents in base64
	if err := json.Unmarshal(a.Left, &files); err != nil {
		t.Fatal(err)
	}
	data, err := base64.StdEncoding.DecodeString(files[0][1])
	if err != nil {
		t.Fatal(err)
	}
	return partitionsOf(t, Local(written(t, map[string]string{"/d/" + files[0][0]: string(data)})), answerLines.With(textArgs{"/d", a.N}))
}
