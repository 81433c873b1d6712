package top

import (
	"cmp"
	"slices"
	"time"

	"github.com/coherer/coherer/rpcenv/metrics"
	"github.com/coherer/coherer/rpcenv/metrics/reader"
)

// Row is one endpoint between two samples.
type Row struct {
	Process  string `json:"process"`
	Address  string `json:"address,omitempty"`
	Endpoint string `json:"endpoint"`
	// Depth is how many items wait or are in hand now.
	Depth uint64 `json:"depth"`
	// Measured is how many were handled and measured between the samples; the times are theirs, 0 without any.
	Measured    uint64        `json:"measured"`
	WaitP50     time.Duration `json:"waitP50Ns"`
	WaitP99     time.Duration `json:"waitP99Ns"`
	HandlingP50 time.Duration `json:"handlingP50Ns"`
	HandlingP99 time.Duration `json:"handlingP99Ns"`
	// Rate is how many were handled a second.
	Rate float64 `json:"rate"`
	// Handled and Failures count since the start of the process.
	Handled  uint64 `json:"handled"`
	Failures uint64 `json:"failures"`
}

// Rows compares two samples: those with most waiting come first, then those that waited longest, then the busiest. A process
// that is new counts from its start. Endpoints that were stopped and have done nothing since are left out, and
// Metrics, which is busy only because it is asked.
func Rows(before, now Sample) []Row {
	old := map[process]*metrics.Snapshot{}
	for i := range before.Processes {
		old[processOf(&before.Processes[i])] = &before.Processes[i]
	}
	var rows []Row
	for i := range now.Processes {
		p := &now.Processes[i]
		was := old[processOf(p)]
		for j := range p.Endpoints {
			e := &p.Endpoints[j]
			if e.Name == reader.Name {
				continue
			}
			if r := row(p, e, was); e.Running || r.Rate > 0 || r.Depth > 0 {
				rows = append(rows, r)
			}
		}
	}
	// The names last, so that idle rows keep their places from page to page.
	slices.SortFunc(rows, func(a, b Row) int {
		return cmp.Or(
			cmp.Compare(b.Depth, a.Depth), cmp.Compare(b.WaitP99, a.WaitP99), cmp.Compare(b.Rate, a.Rate),
			cmp.Compare(a.Process, b.Process), cmp.Compare(a.Address, b.Address), cmp.Compare(a.Endpoint, b.Endpoint),
		)
	})
	return rows
}

func row(p *metrics.Snapshot, e *metrics.EndpointRow, was *metrics.Snapshot) Row {
	total := e.Total()
	r := Row{
		Process: p.Env, Address: p.Address, Endpoint: e.Name,
		Depth: total.Depth(), Handled: total.Handled, Failures: total.Failures,
	}
	if was == nil { // new: without an earlier sample it has times, and no rate
		r.times(total.Wait, total.Handling)
		return r
	}
	var then metrics.SeriesRow
	for i := range was.Endpoints {
		if was.Endpoints[i].Name == e.Name {
			then = was.Endpoints[i].Total()
		}
	}
	r.times(total.Wait.Since(then.Wait), total.Handling.Since(then.Handling))
	if d := p.Time.Sub(was.Time); d > 0 {
		// An endpoint that was registered anew counts from 0 again.
		r.Rate = float64(total.Handled-min(then.Handled, total.Handled)) / d.Seconds()
	}
	return r
}

func (r *Row) times(wait, handling metrics.Times) {
	r.Measured = wait.Count()
	r.WaitP50, r.WaitP99 = wait.Quantile(0.5), wait.Quantile(0.99)
	r.HandlingP50, r.HandlingP99 = handling.Quantile(0.5), handling.Quantile(0.99)
}
