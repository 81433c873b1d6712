package show

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/coherer/coherer/rpcenv/trace"
)

// Stats are the figures of a trace.
type Stats struct {
	// Span is the time from the start of the trace to its end; rates count by it.
	Span time.Duration `json:"span_ns"`
	// Messages are the figures of each type of message, Endpoints of each endpoint, by what it was sent.
	Messages  []StatsRow `json:"messages"`
	Endpoints []StatsRow `json:"endpoints"`
	Total     StatsRow   `json:"total"`
}

// StatsRow are the figures of some messages. Latency is taken from asks that were answered, Wait and Handling from messages
// that were handled; without such messages they are zero.
type StatsRow struct {
	// Name is the type, with " reply" or " fail" behind it for answers; of an endpoint, PEER/ENDPOINT.
	Name  string `json:"name"`
	Count int    `json:"count"`
	Bytes uint64 `json:"bytes"`
	// Rate is messages a second.
	Rate float64 `json:"rate"`
	// Latency is from the sending of an ask to the arrival of its answer, or to its sending where nobody recorded the
	// arrival.
	Latency Quantiles `json:"latency"`
	// Wait is from the arrival in the inbox to the begin of the handling, Handling from there to its end.
	Wait     Quantiles `json:"wait"`
	Handling Quantiles `json:"handling"`
	// Drops are messages that were not delivered; Count does not include them.
	Drops int `json:"drops"`
}

// Quantiles are of a number of times, by the nearest rank: p50 is the least time that half of them do not exceed.
type Quantiles struct {
	N   int           `json:"n"`
	P50 time.Duration `json:"p50_ns"`
	P99 time.Duration `json:"p99_ns"`
	Max time.Duration `json:"max_ns"`
}

// NewStats counts the messages and drops of t that s takes. The rows of messages are in order of first occurrence, those of
// endpoints in order of their names.
func NewStats(t *trace.Trace, s trace.Selection) *Stats {
	c := statsCount{
		answers: map[string]*trace.Entry{}, rows: map[string]*statsRow{}, endpoints: map[string]*statsRow{},
		total: &statsRow{name: "total"},
	}
	// The answers and the end of the whole trace first: the latency of an ask needs its answer, also when s leaves that out.
	for i := range t.Entries {
		e := &t.Entries[i]
		c.end = max(c.end, e.Sent, e.End)
		if e.K == trace.KindMsg && e.IsAnswer() && c.answers[e.Cause] == nil {
			c.answers[e.Cause] = e
		}
	}
	for i := range t.Entries {
		if e := &t.Entries[i]; (e.K == trace.KindMsg || e.K == trace.KindDrop) && s.Match(e) {
			c.add(e)
		}
	}
	out := &Stats{Span: time.Duration(c.end), Messages: []StatsRow{}, Endpoints: []StatsRow{}, Total: c.total.figures(c.end)}
	for _, r := range c.order {
		out.Messages = append(out.Messages, r.figures(c.end))
	}
	for _, r := range c.endpoints {
		out.Endpoints = append(out.Endpoints, r.figures(c.end))
	}
	slices.SortFunc(out.Endpoints, func(a, b StatsRow) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// statsCount is Stats in the making.
type statsCount struct {
	answers   map[string]*trace.Entry // by the ask
	rows      map[string]*statsRow
	order     []*statsRow
	endpoints map[string]*statsRow
	total     *statsRow
	end       int64
}

type statsRow struct {
	name                    string
	count, drops            int
	bytes                   uint64
	latency, wait, handling []int64
}

func (c *statsCount) add(e *trace.Entry) {
	name := typeName(e)
	if e.IsAnswer() {
		name += " " + e.Form
	}
	row := c.rows[name]
	if row == nil {
		row = &statsRow{name: name}
		c.rows[name] = row
		c.order = append(c.order, row)
	}
	to := c.endpoints[e.To]
	if to == nil {
		to = &statsRow{name: e.To}
		c.endpoints[e.To] = to
	}
	for _, r := range []*statsRow{row, to, c.total} {
		r.add(e, c.answers[e.ID])
	}
}

func (r *statsRow) add(e, answer *trace.Entry) {
	if e.K == trace.KindDrop {
		r.drops++
		return
	}
	r.count++
	r.bytes += e.Bytes
	if e.Handled {
		r.wait, r.handling = append(r.wait, e.Start-e.Recv), append(r.handling, e.End-e.Start)
	}
	if e.Form == trace.FormAsk && answer != nil && e.ID != "" {
		arrived := answer.Sent
		if answer.Handled {
			arrived = answer.Recv
		}
		r.latency = append(r.latency, arrived-e.Sent)
	}
}

func (r *statsRow) figures(span int64) StatsRow {
	out := StatsRow{
		Name: r.name, Count: r.count, Bytes: r.bytes, Drops: r.drops,
		Latency: quantiles(r.latency), Wait: quantiles(r.wait), Handling: quantiles(r.handling),
	}
	if span > 0 {
		out.Rate = float64(r.count) / time.Duration(span).Seconds()
	}
	return out
}

// quantiles sorts times. Clocks of two processes may differ, so that a time may be below zero: then it counts as zero.
func quantiles(times []int64) Quantiles {
	n := len(times)
	if n == 0 {
		return Quantiles{}
	}
	slices.SortFunc(times, cmp.Compare[int64])
	at := func(q float64) time.Duration { return time.Duration(max(times[int(math.Ceil(q*float64(n)))-1], 0)) }
	return Quantiles{N: n, P50: at(0.5), P99: at(0.99), Max: at(1)}
}
