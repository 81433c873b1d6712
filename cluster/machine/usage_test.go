package machine

import (
	"fmt"
	"testing"
)

func statLine(pid int, name string, parent, group int, virtual, pages int64) string {
	return fmt.Sprintf("%d (%s) S %d %d 1 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 99 %d %d 18446744073709551615 1 1\n", pid, name, parent, group, virtual, pages)
}

func TestTheMemoryOfATreeOfProcesses(t *testing.T) {
	var all []stat
	for _, line := range []string{
		statLine(12, "child) R 1 (", 11, 11, 300, 3), statLine(10, "leader", 1, 10, 100, 1), statLine(11, "a b", 10, 11, 200, 2),
		statLine(13, "orphan of the group", 1, 10, 400, 4), statLine(99, "other", 1, 99, 5000, 50),
	} {
		s, err := parseStat([]byte(line))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
	}
	if got, want := sum(all, 10, 4096), (Memory{Virtual: 1000, Resident: 10 * 4096}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := sum(all, 77, 4096); got != (Memory{}) {
		t.Errorf("%+v of a process that has ended", got)
	}
}

func FuzzParseStat(f *testing.F) {
	f.Add(statLine(12, "x", 11, 11, 300, 3))
	f.Add("1 (a")
	f.Add(")1(")
	f.Fuzz(func(t *testing.T, line string) {
		if s, err := parseStat([]byte(line)); err != nil && s != (stat{}) {
			t.Errorf("%+v beside %v", s, err)
		}
	})
}
