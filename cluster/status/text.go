package status

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/coherer/coherer/actors/master"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/rpcenv/oneline"
)

// The most lines of each kind: all shall fit on a screen.
const (
	mostWorkers  = 10
	mostApps     = 8
	mostDemands  = 4
	mostFailures = 6
)

// Text is the screen. Times in the past count back from the leading Master's now.
func Text(all []Master) string {
	var b strings.Builder
	for _, m := range all {
		if m.State == nil {
			fmt.Fprintf(&b, "Master %s does not answer: %s\n", m.Address.SparkURL(), oneline.Text(m.Err.Error()))
			continue
		}
		fmt.Fprintf(&b, "Master %s is %s%s\n", m.Address.SparkURL(), oneline.Text(m.State.GetStatus()), pagesAt(m.State.GetWebUiUrl()))
	}
	s := Leader(all)
	if s == nil {
		b.WriteString("No Master leads, so nothing else is known.\n")
		return b.String()
	}
	use(&b, s)
	workers(&b, s)
	apps(&b, s)
	drivers(&b, s)
	demands(&b, s)
	failures(&b, s)
	return b.String()
}

func pagesAt(url string) string {
	if url == "" {
		return ""
	}
	return ", its pages are at " + oneline.Text(url)
}

// use is the used part of the Workers that are ALIVE.
func use(b *strings.Builder, s *deploy.MasterStateResponse) {
	var alive, cores, coresUsed, memory, memoryUsed int
	for _, w := range s.GetWorkers() {
		if w.GetState() == master.WorkerAlive.String() {
			alive++
			cores, coresUsed = cores+int(w.GetCores()), coresUsed+int(w.GetCoresUsed())
			memory, memoryUsed = memory+int(w.GetMemory()), memoryUsed+int(w.GetMemoryUsed())
		}
	}
	fmt.Fprintf(b, "%d of %d Workers alive; cores %d of %d used; memory %s of %s used; applications: %d active, %d completed; drivers: %d active, %d completed\n",
		alive, len(s.GetWorkers()), coresUsed, cores, size(memoryUsed), size(memory),
		len(s.GetActiveApps()), len(s.GetCompletedApps()), len(s.GetActiveDrivers()), len(s.GetCompletedDrivers()))
}

// workers lists those first that are not well.
func workers(b *strings.Builder, s *deploy.MasterStateResponse) {
	// Only the first rows are shown: a dead Worker must be among them.
	list := slices.Clone(s.GetWorkers())
	slices.SortStableFunc(list, func(a, b *deploy.WorkerInfo) int {
		well := func(w *deploy.WorkerInfo) int {
			if w.GetState() == master.WorkerAlive.String() {
				return 1
			}
			return 0
		}
		return cmp.Compare(well(a), well(b))
	})
	table(b, "WORKER\tSTATE\tCORES\tMEMORY\tHEARD OF", len(list), mostWorkers, func(i int) string {
		w := list[i]
		return fmt.Sprintf("%s\t%s\t%d of %d\t%s of %s\t%s", w.GetId(), w.GetState(), w.GetCoresUsed(), w.GetCores(),
			size(int(w.GetMemoryUsed())), size(int(w.GetMemory())), ago(s, w.GetLastHeartbeatMs()))
	})
}

func apps(b *strings.Builder, s *deploy.MasterStateResponse) {
	list := s.GetActiveApps()
	table(b, "APPLICATION\tNAME\tSTATE\tCORES\tEXECUTORS\tSUBMITTED", len(list), mostApps, func(i int) string {
		a := list[i]
		return fmt.Sprintf("%s\t%s\t%s\t%d\t%d\t%s", a.GetId(), a.GetName(), a.GetState(), a.GetCoresGranted(), len(a.GetExecutors()), ago(s, a.GetStartMs()))
	})
}

func drivers(b *strings.Builder, s *deploy.MasterStateResponse) {
	list := s.GetActiveDrivers()
	table(b, "DRIVER\tCLASS\tSTATE\tWORKER\tSUBMITTED", len(list), mostApps, func(i int) string {
		d := list[i]
		return fmt.Sprintf("%s\t%s\t%s\t%s\t%s", d.GetId(), d.GetMainClass(), d.GetState(), cmp.Or(d.GetWorkerId(), "-"), ago(s, d.GetStartMs()))
	})
}

// table writes a head and at most so many rows.
func table(b *strings.Builder, head string, rows, most int, row func(int) string) {
	if rows == 0 {
		return
	}
	fmt.Fprintln(b)
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, head)
	for i := range min(rows, most) {
		cells := strings.Split(row(i), "\t")
		for j, c := range cells {
			cells[j] = oneline.Text(c)
		}
		fmt.Fprintln(w, strings.Join(cells, "\t"))
	}
	_ = w.Flush() // into a Builder
	more(b, rows-most)
}

func more(b *strings.Builder, n int) {
	if n > 0 {
		fmt.Fprintf(b, "and %d more\n", n)
	}
}

// demands are the waiting applications and drivers, each with the reasons.
func demands(b *strings.Builder, s *deploy.MasterStateResponse) {
	list := s.GetDemands()
	if len(list) == 0 {
		return
	}
	b.WriteString("\nWAITS\n")
	for _, d := range list[:min(len(list), mostDemands)] {
		owner := "driver " + d.GetDriverId()
		if d.GetDriverId() == "" {
			owner = strings.TrimSpace(d.GetAppId() + " " + d.GetName())
		}
		fmt.Fprintf(b, "%s, for %s and %s:\n", oneline.Text(owner), master.Cores(int(d.GetCores())), size(int(d.GetMemory())))
		for _, x := range d.GetBlockers() {
			line := x.GetReason()
			if x.GetWorkers() > 0 {
				line = fmt.Sprintf("%d Workers refuse, as %s: %s", x.GetWorkers(), x.GetWorkerId(), x.GetReason())
			}
			if x.GetHelp() != "" {
				line += "; would help: " + x.GetHelp()
			}
			fmt.Fprintf(b, "  %s\n", oneline.Text(line))
		}
	}
	more(b, max(len(list)-mostDemands, 0)+int(s.GetDemandsMore())) // and those that the Master left out of its answer
}

// failures are the last ones, the youngest first.
func failures(b *strings.Builder, s *deploy.MasterStateResponse) {
	list := slices.Clone(s.GetFailures())
	slices.Reverse(list)
	if len(list) == 0 {
		return
	}
	b.WriteString("\nFAILED\n")
	for _, f := range list[:min(len(list), mostFailures)] {
		what, where := strings.TrimSpace(f.GetKind()+" "+f.GetId()), "" // a record may have no id: its reason names the file
		if f.GetWorkerId() != "" && f.GetWorkerId() != f.GetId() {
			where = " at " + f.GetWorkerId()
		}
		fmt.Fprintf(b, "%s: %s\n", ago(s, f.GetTimeMs()), oneline.Text(fmt.Sprintf("%s%s: %s, %s", what, where, f.GetState(), f.GetReason())))
	}
	more(b, len(list)-mostFailures)
}

func ago(s *deploy.MasterStateResponse, ms int64) string { return since(s.GetTimeMs(), ms) }

// since is how long before now something was; both are in ms.
func since(now, ms int64) string {
	d := time.Duration(max(now-ms, 0)) * time.Millisecond
	return d.Truncate(time.Second).String() + " ago"
}

func size(mb int) string {
	if mb < 2048 {
		return fmt.Sprintf("%d MiB", mb)
	}
	return fmt.Sprintf("%.1f GiB", float64(mb)/1024)
}
