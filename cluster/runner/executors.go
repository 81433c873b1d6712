package runner

import (
	"fmt"
	"strconv"
	"time"

	"github.com/coherer/coherer/rpcenv/oneline"
	"github.com/coherer/coherer/rpcenv/trace"
	"github.com/coherer/coherer/rpcenv/trace/show"
)

// executorsText is how many executors an application wanted and had over time: a head, and a line for each change, as the driver's
// ExecutorAllocationManager and CoarseGrainedScheduler recorded them. It is empty for a run without dynamic allocation. Of
// several drivers, as an application has when its first attempt failed, each change says whose it is.
func executorsText(entries []trace.Entry) string {
	drivers := map[string]*driverOverTime{}
	var changes []executorsChange
	dynamic := 0
	for _, e := range entries {
		if e.K != trace.KindState {
			continue
		}
		d := drivers[trace.Peer(e.At)]
		if d == nil {
			d = &driverOverTime{name: oneline.Text(trace.Peer(e.At)), wanted: "0"}
			drivers[trace.Peer(e.At)] = d
		}
		was := d.dynamic
		// Also before the driver's first allocation: its executors may have registered before it, and the sums need them.
		if what := d.take(e); what != "" {
			changes = append(changes, executorsChange{d, time.Duration(e.Sent), d.wanted, d.registered, what})
		}
		if d.dynamic && !was {
			dynamic++
		}
	}
	if dynamic == 0 {
		return ""
	}
	lines := [][]string{{"SECONDS", "WANTED", "REGISTERED", "CHANGE"}}
	for _, x := range changes {
		if !x.driver.dynamic {
			continue
		}
		if dynamic > 1 {
			x.what = x.driver.name + ": " + x.what
		}
		lines = append(lines, []string{fmt.Sprintf("%.1f", x.at.Seconds()), x.wanted, strconv.Itoa(x.registered), x.what})
	}
	return show.Columns(lines, len(lines[0]))
}

// driverOverTime is a driver at some time.
type driverOverTime struct {
	name, wanted string
	registered   int
	dynamic      bool // its number of executors follows the work
}

// executorsChange is what changed then, and what holds since.
type executorsChange struct {
	driver     *driverOverTime
	at         time.Duration
	wanted     string
	registered int
	what       string
}

// take is what a state of one of its endpoints changes, in words; "": nothing. The states that Masters, Workers and the
// like record of executors do not count.
func (d *driverOverTime) take(e trace.Entry) string {
	switch {
	case e.Name == "allocation" && trace.EndpointOf(e.At) == "ExecutorAllocationManager":
		d.dynamic, d.wanted = true, oneline.Text(e.Is)
		return "for " + oneline.Text(e.Why)
	case e.Name != "executor" || trace.EndpointOf(e.At) != "CoarseGrainedScheduler":
		return ""
	case e.Is == "REGISTERED":
		d.registered++
		return "executor " + oneline.Text(e.Subject) + " registered"
	case e.Is == "LOST":
		d.registered--
		return "executor " + oneline.Text(e.Subject) + " is gone: " + oneline.Text(e.Why)
	}
	return ""
}
