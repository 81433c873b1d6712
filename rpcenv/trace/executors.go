package trace

import (
	"fmt"
	"strconv"
	"time"
)

// Executors is how many executors an application wanted and had over time: a head, and a line for each change, as
// ExecutorAllocationManager and CoarseGrainedScheduler recorded them. It is empty for a run without dynamic allocation.
func Executors(entries []Entry) string {
	lines := [][]string{{"SECONDS", "WANTED", "REGISTERED", "CHANGE"}}
	wanted, registered, dynamic := "0", 0, false
	for _, e := range entries {
		if e.K != KindState {
			continue
		}
		change := ""
		switch {
		case e.Name == "allocation":
			dynamic, wanted = true, printable(e.Is)
			change = "for " + printable(e.Why)
		case e.Name == "executor" && e.Is == "REGISTERED":
			registered++
			change = "executor " + printable(e.Subject) + " registered"
		case e.Name == "executor" && e.Is == "LOST":
			registered--
			change = "executor " + printable(e.Subject) + " is gone: " + printable(e.Why)
		default:
			continue
		}
		lines = append(lines, []string{fmt.Sprintf("%.1f", time.Duration(e.Sent).Seconds()), wanted, strconv.Itoa(registered), change})
	}
	if !dynamic {
		return ""
	}
	return columns(lines, len(lines[0]))
}
