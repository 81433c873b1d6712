package tasks

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// idsFrom has the ids from one to another, upwards or downwards.
func idsFrom(from, to int64) []int64 {
	ids := []int64{from}
	for id := from; id != to; {
		id += int64(cmp.Compare(to, from))
		ids = append(ids, id)
	}
	return ids
}

// Ids and texts come in the order in which Scala's mutable.HashMap and HashSet walk over them. A table has 16 places and doubles for
// its 12th entry.
func TestIDsComeInTheOrderOfAHashTable(t *testing.T) {
	for _, k := range []struct {
		ids, want []int64
	}{
		{[]int64{18, 17, 16, 15, 14}, []int64{16, 17, 18, 14, 15}},
		{[]int64{16, 10, 11, 12, 13, 14, 15, 17, 18, 19, 20}, []int64{16, 17, 18, 19, 20, 10, 11, 12, 13, 14, 15}},
		{[]int64{16, 10, 11, 12, 13, 14, 15, 17, 18, 19, 20, 32}, []int64{32, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20}},
		{idsFrom(40, 18), append(idsFrom(32, 40), idsFrom(18, 31)...)},
		{idsFrom(41, 18), idsFrom(18, 41)}, // it doubles again for its 24th
		// Of one place the smaller hash comes first; the upper bits count, too: 65,536 goes to place 1, 4,294,967,296 as well.
		{[]int64{17, 1 << 16, 2, 1, 1<<32 + 2, 0}, []int64{0, 1, 17, 1 << 16, 2, 1<<32 + 2}},
		{[]int64{1 << 32, 2, 0}, []int64{0, 1 << 32, 2}},
	} {
		var table hashTable
		var attempts []*attempt
		for n, id := range k.ids {
			table.grow(n)
			attempts = append(attempts, &attempt{id: id})
		}
		table.sortAttempts(attempts)
		var got []int64
		for _, a := range attempts {
			got = append(got, a.id)
		}
		if !slices.Equal(got, k.want) {
			t.Errorf("%v: got %v, want %v", k.ids, got, k.want)
		}
	}
}

func TestTextsComeInTheOrderOfAHashTable(t *testing.T) {
	for _, k := range []struct{ add, remove, want string }{
		{"10 11 9 8 7 6 5 4 3 2 0", "", "0 11 2 3 4 5 6 7 8 9 10"},
		{"0 1 2 3 4 5 6 7 8 9 11 10", "", "11 0 1 2 3 4 5 6 7 8 9 10"},
		{"0 1 2 3 4 5 6 7 8 9 11 10", "5 11", "0 1 2 3 4 6 7 8 9 10"},
		{"host-2 host-1 a hdfs", "", "a host-1 host-2 hdfs"},
		// The first one's hash is negative and of place 0, as that of "0" is; the last two have the same.
		{"0 polygenelubricants", "", "polygenelubricants 0"},
		{"BB Aa", "", "Aa BB"},
	} {
		var s stacks
		for i, key := range strings.Fields(k.add) {
			s.push(key, int32(i))
			s.push(key, int32(i))
		}
		for key := range strings.FieldsSeq(k.remove) {
			s.remove(key)
		}
		if got := strings.Join(s.keys, " "); got != k.want {
			t.Errorf("%s without %q: got %s, want %s", k.add, k.remove, got, k.want)
		}
		if len(s.of) != len(s.keys) {
			t.Errorf("%s without %q: %d stacks", k.add, k.remove, len(s.of))
		}
	}
}

// later is a set of ten tasks whose attempts have the ids 10 to 19, all on executor a.
func later() *kit {
	p := pool(newMapSet(0, 0, 0, 10))
	all := at{{"a", "h", 10}}
	p.Offers(all, inOrder)
	for id := range int64(10) {
		p.finish(id)
	}
	p.Submit(newMapSet(1, 0, 0, 10))
	p.Offers(all, inOrder)
	return p
}

func TestAttemptsAreKilledInTheOrderOfAHashTable(t *testing.T) {
	var got []string
	for _, k := range later().Cancel(1, "") {
		got = append(got, strconv.FormatInt(k.TaskID, 10))
	}
	want(t, got, "16", "17", "18", "19", "10", "11", "12", "13", "14", "15")
	p, got := pool(newSet(0, 0, 0, 20)), nil
	p.Offers(at{{"a", "h", 20}}, inOrder)
	for id := range int64(14) {
		p.finish(id)
	}
	for _, k := range p.Cancel(0, "") {
		got = append(got, strconv.FormatInt(k.TaskID, 10))
	}
	want(t, got, "14", "15", "16", "17", "18", "19") // its table grew, and stays
}

func TestAttemptsOfALostExecutorEndInTheOrderOfAHashTable(t *testing.T) {
	p := later()
	for _, id := range []int64{14, 15, 16, 17} {
		p.finish(id)
	}
	want(t, texts(p.ExecutorLost("a", Loss{})), "Resubmitted 6.0 of 1.0", "Resubmitted 7.0 of 1.0", "Resubmitted 4.0 of 1.0",
		"Resubmitted 5.0 of 1.0", "ExecutorLostFailure 8.0 of 1.0", "ExecutorLostFailure 9.0 of 1.0", "ExecutorLostFailure 0.0 of 1.0",
		"ExecutorLostFailure 1.0 of 1.0", "ExecutorLostFailure 2.0 of 1.0", "ExecutorLostFailure 3.0 of 1.0")
}
