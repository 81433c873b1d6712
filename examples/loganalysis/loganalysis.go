package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"iter"
	"strconv"
	"strings"

	"github.com/coherer/coherer/actors/rdd"
)

// Args are the files, and in how many partitions they are worked on.
type Args struct {
	// Log is a web server's log in the Common Log Format, Hosts a table of `host,country` lines.
	Log, Hosts string
	Partitions int
}

// Request is a line of the log.
type Request struct {
	Path   string
	Status int
	Bytes  int64
}

// Traffic is what the requests of a country add up to.
type Traffic struct{ Requests, Errors, Bytes int64 }

// requests are those of each host. A line of another form is left out.
func requests(a Args) rdd.Dataset[rdd.Pair[string, Request]] {
	return rdd.FlatMap(rdd.TextFile(a.Log, a.Partitions), func(line string) iter.Seq[rdd.Pair[string, Request]] {
		return func(yield func(rdd.Pair[string, Request]) bool) {
			if host, request, ok := parse(line); ok {
				yield(rdd.PairOf(host, request))
			}
		}
	})
}

// parse takes a line apart: HOST IDENT USER [TIME] "METHOD PATH PROTOCOL" STATUS BYTES.
func parse(line string) (host string, q Request, ok bool) {
	front, rest, ok := strings.Cut(line, `"`)
	asked, end, closed := strings.Cut(rest, `"`)
	who, what, result := strings.Fields(front), strings.Fields(asked), strings.Fields(end)
	if !ok || !closed || len(who) == 0 || len(what) < 2 || len(result) < 2 {
		return "", q, false
	}
	status, err := strconv.Atoi(result[0])
	if err != nil {
		return "", q, false
	}
	size, err := strconv.ParseInt(result[1], 10, 64)
	if err != nil && result[1] != "-" { // nothing was sent
		return "", q, false
	}
	return strings.Clone(who[0]), Request{strings.Clone(what[1]), status, size}, true
}

// ByCountry is the traffic of each country. Hosts that are not in the table are of country "?": the outer join keeps them.
var ByCountry = rdd.Define("loganalysis: by country", func(a Args) rdd.Dataset[rdd.Pair[string, Traffic]] {
	hosts := rdd.FlatMap(rdd.TextFile(a.Hosts, 1), func(line string) iter.Seq[rdd.Pair[string, string]] {
		return func(yield func(rdd.Pair[string, string]) bool) {
			if host, country, ok := strings.Cut(line, ","); ok {
				yield(rdd.PairOf(host, country))
			}
		}
	})
	// Added up by host before the join: it sees each host once, and a host of many requests holds up no task.
	traffic := rdd.AggregateByKey(requests(a), Traffic{}, Traffic.with, Traffic.plus, a.Partitions)
	joined := rdd.LeftOuterJoin(traffic, hosts, a.Partitions)
	countries := rdd.Map(joined, func(p rdd.Pair[string, rdd.Both[Traffic, rdd.Option[string]]]) rdd.Pair[string, Traffic] {
		country := "?"
		if p.Value.Right.Present {
			country = p.Value.Right.Value
		}
		return rdd.PairOf(country, p.Value.Left)
	})
	return rdd.ReduceByKey(countries, Traffic.plus, a.Partitions)
})

func (t Traffic) with(q Request) Traffic {
	t.Requests++
	t.Bytes += q.Bytes
	if q.Status >= 400 {
		t.Errors++
	}
	return t
}

func (t Traffic) plus(o Traffic) Traffic {
	return Traffic{t.Requests + o.Requests, t.Errors + o.Errors, t.Bytes + o.Bytes}
}

// Missing is how often each path was asked for that the server did not have.
var Missing = rdd.Define("loganalysis: missing", func(a Args) rdd.Dataset[rdd.Pair[string, int64]] {
	missing := rdd.Filter(rdd.Values(requests(a)), func(q Request) bool { return q.Status == 404 })
	ones := rdd.Map(missing, func(q Request) rdd.Pair[string, int64] { return rdd.PairOf(q.Path, int64(1)) })
	return rdd.ReduceByKey(ones, func(a, b int64) int64 { return a + b }, a.Partitions)
})

// The most first, those of one number by name.
var (
	byRequests = rdd.DefineOrder("loganalysis: by requests", func(a, b rdd.Pair[string, Traffic]) int {
		return cmp.Or(cmp.Compare(b.Value.Requests, a.Value.Requests), cmp.Compare(a.Key, b.Key))
	})
	byCount = rdd.DefineOrder("loganalysis: by count", func(a, b rdd.Pair[string, int64]) int {
		return cmp.Or(cmp.Compare(b.Value, a.Value), cmp.Compare(a.Key, b.Key))
	})
)

// Run is the program: args are LOG HOSTS. It prints the traffic of the ten countries with most requests, and the ten paths that were
// missed most.
func Run(ctx context.Context, r rdd.Runner, args []string, out io.Writer) error {
	if len(args) != 2 {
		return fmt.Errorf("want LOG HOSTS, not %q", args)
	}
	a := Args{args[0], args[1], 2}
	countries, err := rdd.TakeOrdered(ctx, r, ByCountry.With(a), 10, byRequests)
	if err != nil {
		return err
	}
	missing, err := rdd.TakeOrdered(ctx, r, Missing.With(a), 10, byCount)
	if err != nil {
		return err
	}
	var text strings.Builder
	fmt.Fprintf(&text, "%-8s %9s %7s %10s\n", "COUNTRY", "REQUESTS", "ERRORS", "BYTES")
	for _, c := range countries {
		fmt.Fprintf(&text, "%-8s %9d %7d %10d\n", c.Key, c.Value.Requests, c.Value.Errors, c.Value.Bytes)
	}
	fmt.Fprintf(&text, "\n%9s %s\n", "MISSED", "PATH")
	for _, m := range missing {
		fmt.Fprintf(&text, "%9d %s\n", m.Value, m.Key)
	}
	_, err = io.WriteString(out, text.String())
	return err
}
