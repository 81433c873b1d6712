package rdd

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/coherer/coherer/rpcenv/rpctest/spec"
)

// answer is a case of testdata/pyspark: the input of an operation and what Spark gave. bench/answers writes them.
type answer struct {
	Op          string
	Kind        string          // of the records or keys: int or string
	Left, Right json.RawMessage // partitions of records
	N           int
	Answer      json.RawMessage // partitions of records, or the value of an action
	Fails       bool            // Spark threw an exception
}

func (a answer) String() string {
	return fmt.Sprintf("%s of %s %s %s n=%d", a.Op, a.Kind, a.Left, a.Right, a.N)
}

// args are the answer's input for a job.
func (a answer) args() answerArgs { return answerArgs{a.Op, string(a.Left), string(a.Right), a.N} }

type answerArgs struct {
	Op, Left, Right string
	N               int
}

// Every operation gives what Spark gave for the same input: the same partitions where those do not depend on a hash, else the same
// records in as many partitions.
func TestAnswersOfSpark(t *testing.T) {
	for _, group := range []struct {
		name  string
		least int // cases
		of    func(*testing.T, answer) (any, error)
		same  func(a answer, got, want any) bool
	}{
		{"sources", 20, datasetAnswer, exactly},
		{"narrow", 200, datasetAnswer, exactly},
		{"shuffled", 100, datasetAnswer, asBags},
		{"joined", 100, datasetAnswer, asBags},
		{"sorts", 80, sortAnswer, sameSort},
		{"actions", 200, actionAnswer, sameAction},
		{"files", 60, fileAnswer, sameFiles},
		{"compressed", 30, compressedAnswer, sameCompressed},
	} {
		t.Run(group.name, func(t *testing.T) {
			cases := answersOf(t, group.name)
			if len(cases) < group.least {
				t.Errorf("%d cases, want %d or more", len(cases), group.least)
			}
			for _, a := range cases {
				got, err := group.of(t, a)
				switch {
				case (err != nil) != a.Fails:
					t.Errorf("%v: error %v; Spark fails: %v", a, err, a.Fails)
				case err == nil && !group.same(a, normal(t, got), normal(t, a.Answer)):
					t.Errorf("%v:\n got %s\nwant %s", a, asJSON(t, got), a.Answer)
				}
			}
		})
	}
}

func answersOf(t *testing.T, group string) []answer {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "pyspark", group+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Cases []answer }
	if err := json.Unmarshal(b, &file); err != nil {
		t.Fatal(err)
	}
	return file.Cases
}

func exactly(_ answer, got, want any) bool { return reflect.DeepEqual(got, want) }

// asBags compares records without their order, and without that of a group's values. A key must be in one partition alone.
func asBags(a answer, got, want any) bool {
	gotParts, wantParts := got.([]any), want.([]any)
	if len(gotParts) != len(wantParts) {
		return false
	}
	where := map[string]int{}
	for i, p := range gotParts {
		for _, v := range p.([]any) {
			key := fmt.Sprint(v)
			if pair, ok := v.([]any); ok {
				key = fmt.Sprint(pair[0])
			}
			if at, seen := where[key]; seen && at != i && a.Op != "Repartition" {
				return false
			}
			where[key] = i
		}
	}
	return slices.Equal(bag(gotParts), bag(wantParts))
}

func bag(parts []any) (out []string) {
	for _, p := range parts {
		for _, v := range p.([]any) {
			out = append(out, fmt.Sprint(sortedLists(v, 0)))
		}
	}
	slices.Sort(out)
	return out
}

// sortedLists sorts the values within a group, which a record has at depth 1 (GroupByKey) and 2 (CoGroup); not the record itself.
func sortedLists(v any, depth int) any {
	list, ok := v.([]any)
	if !ok {
		return v
	}
	list = slices.Clone(list)
	for i := range list {
		list[i] = sortedLists(list[i], depth+1)
	}
	if depth == 2 || depth == 1 && !slices.ContainsFunc(list, func(v any) bool { _, nested := v.([]any); return nested || v == nil }) {
		slices.SortFunc(list, func(a, b any) int { return cmp.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	}
	return list
}

// normal is a value as JSON has it.
func normal(t *testing.T, v any) (out any) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(asJSON(t, v)))
	d.UseNumber()
	if err := d.Decode(&out); err != nil {
		t.Fatal(err)
	}
	return out
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(b.String())
}

// shown is a record as the answers have it: a list of its fields, an Option null or a list of one.
func shown(v reflect.Value) any {
	switch {
	case v.Kind() == reflect.Struct && strings.HasPrefix(v.Type().Name(), "Option["):
		if !v.FieldByName("Present").Bool() {
			return nil
		}
		return []any{shown(v.FieldByName("Value"))}
	case v.Kind() == reflect.Struct:
		fields := make([]any, v.NumField())
		for i := range fields {
			fields[i] = shown(v.Field(i))
		}
		return fields
	case v.Kind() == reflect.Slice:
		list := make([]any, v.Len())
		for i := range list {
			list[i] = shown(v.Index(i))
		}
		return list
	}
	return v.Interface()
}

// glom is a record for each partition: its records as JSON.
func glom[T any](d Dataset[T]) Dataset[string] {
	return MapPartitions(d, func(in iter.Seq[T]) iter.Seq[string] {
		list := []any{}
		for v := range in {
			list = append(list, shown(reflect.ValueOf(v)))
		}
		b, err := json.Marshal(list)
		if err != nil {
			panic(err)
		}
		return slices.Values([]string{string(b)})
	})
}

// partitionsOf are the partitions that a job of glom collects.
func partitionsOf(t *testing.T, r Runner, b Bound[string]) (any, error) {
	t.Helper()
	lists, err := Collect(t.Context(), r, b)
	out := make([]json.RawMessage, len(lists))
	for i, l := range lists {
		out[i] = json.RawMessage(l)
	}
	return out, err
}

// given is the Dataset of exactly these partitions.
func given[T any](text string) Dataset[T] {
	var parts [][]T
	if err := json.Unmarshal([]byte(text), &parts); err != nil {
		panic(err)
	}
	return FlatMap(Range(0, int64(len(parts)), len(parts)), func(i int64) iter.Seq[T] { return slices.Values(parts[i]) })
}

func givenPairs[K any](text string) Dataset[Pair[K, int64]] {
	return Map(given[[2]json.RawMessage](text), func(kv [2]json.RawMessage) (p Pair[K, int64]) {
		if err := json.Unmarshal(kv[0], &p.Key); err != nil {
			panic(err)
		}
		if err := json.Unmarshal(kv[1], &p.Value); err != nil {
			panic(err)
		}
		return p
	})
}

// Where this package differs from Spark, a test holds what it does.
func TestDifferencesAreHeld(t *testing.T) {
	if len(spec.Differences(t)) < 5 {
		t.Error("rows of testdata/differences.txt are missing")
	}
}
