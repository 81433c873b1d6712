package fair

import (
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestFilesAsPeopleHaveThem compares with what Hadoop 3.4.1 makes of the files in testdata/public.txt.
func TestFilesAsPeopleHaveThem(t *testing.T) {
	text, err := os.ReadFile("testdata/public.txt")
	if err != nil {
		t.Fatal(err)
	}
	_, files, _ := strings.Cut(string(text), "\n== ")
	for part := range strings.SplitSeq(files, "\n== ") {
		name, rest, _ := strings.Cut(part, "\n")
		file, want, ok := strings.Cut(rest, "\n--\n")
		if !ok {
			t.Fatalf("%s: no -- before what Hadoop makes of it", name)
		}
		for _, faults := range []Faults{{}, Upstream()} {
			if got := madeOf(file, faults); got != strings.TrimSpace(want) {
				t.Errorf("%s, %v:\n%s\nwant\n%s", name, faults, got, want)
			}
		}
	}
}

// madeOf is what a file says, a queue a line.
func madeOf(file string, faults Faults) string {
	a, err := parseAllocations([]byte(file), Options{Faults: faults, AllowUndeclared: true, UserAsDefaultQueue: true})
	if bad, ok := errors.AsType[*fileError](err); ok {
		return "error " + string(bad.Class)
	}
	if err != nil {
		return err.Error()
	}
	var out []string
	for _, s := range a.Queues() {
		q := goldenQueueOf(a, s, Resource{}, nil)
		child := "none"
		if q.MaxChildShare != nil {
			child = amount(q.MaxChildShare.resource())
		}
		out = append(out, fmt.Sprintf("%s leaf=%v %s w=%v min=%s max=%s apps=%s am=%v minTO=%s fairTO=%s thr=%v pre=%v child=%s",
			s.Name, q.Leaf, q.Policy, q.Weight, amount(q.MinShare.resource()), amount(q.MaxShare.resource()), orAll(int64(q.MaxRunningApps)),
			q.MaxAMShare, orNever(q.MinSharePreemptionTimeoutMs), orNever(q.FairSharePreemptionTimeoutMs), q.FairSharePreemptionThreshold, q.Preemptable, child))
	}
	slices.Sort(out)
	var users []string
	for _, u := range []string{"u", "h", "root"} {
		users = append(users, u+"="+orAll(int64(a.UserMaxApps(u))))
	}
	return strings.Join(append(out, "users "+strings.Join(users, " ")+" any="+orAll(int64(a.UserMaxApps("zz")))), "\n")
}

func amount(r Resource) string { return orAll(r.Memory) + "/" + orAll(r.VCores) }

// orAll is a number, or "all" for no limit.
func orAll(n int64) string {
	if n == math.MaxInt64 || n == math.MaxInt32 {
		return "all"
	}
	return fmt.Sprint(n)
}

// orNever is a time in ms, or that it never comes.
func orNever(ms int64) string {
	if ms == math.MaxInt64 {
		return "never"
	}
	return fmt.Sprint(ms)
}
