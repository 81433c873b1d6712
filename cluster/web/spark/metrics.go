package spark

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/coherer/coherer/cluster/web"
	"github.com/coherer/coherer/messages/deploy"
)

// gauge is a metric of Spark: a number or a text.
type gauge struct {
	name  string
	value any
}

// metrics serves Spark's metrics under the paths below as json/ and prometheus/.
func metrics(s *web.Site, mux *http.ServeMux, below map[string]func(*http.Request) ([]gauge, error)) {
	for path, gauges := range below {
		mux.HandleFunc("GET "+path+"json/{$}", gaugesAs(s, "text/json;charset=utf-8", gauges, servletJSON))
		mux.HandleFunc("GET "+path+"prometheus/{$}", gaugesAs(s, "text/plain;charset=utf-8", gauges, prometheusText))
	}
}

func gaugesAs(s *web.Site, kind string, gauges func(*http.Request) ([]gauge, error), text func([]gauge) []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		g, err := gauges(r)
		if err != nil {
			s.Fail(w, err)
			return
		}
		web.Send(w, kind, text(g))
	}
}

// servletJSON is gauges as MetricsServlet writes them: the form of the metrics library's MetricsModule, with its version.
func servletJSON(gauges []gauge) []byte {
	var b bytes.Buffer
	b.WriteString(`{"version":"4.0.0","gauges":{`)
	for i, g := range gauges {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(plainJSON(g.name))
		b.WriteString(`:{"value":`)
		b.Write(plainJSON(g.value))
		b.WriteByte('}')
	}
	b.WriteString(`},"counters":{},"histograms":{},"meters":{},"timers":{}}`)
	return b.Bytes()
}

func plainJSON(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v) // a string or a number
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// prometheusText is gauges as PrometheusServlet writes them: each number twice, and no texts.
func prometheusText(gauges []gauge) []byte {
	var b bytes.Buffer
	for _, g := range gauges {
		if _, text := g.value.(string); text {
			continue
		}
		name := "metrics_" + strings.Map(func(r rune) rune {
			if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
				return r
			}
			return '_'
		}, g.name)
		fmt.Fprintf(&b, "%s_Number{type=\"gauges\"} %v\n%s_Value{type=\"gauges\"} %v\n", name, g.value, name, g.value)
	}
	return b.Bytes()
}

// gauges mirrors org.apache.spark.deploy.master.MasterSource.
func (p *masterPages) gauges(r *http.Request) ([]gauge, error) {
	s, err := p.state(r)
	waiting := 0
	for _, a := range s.GetActiveApps() {
		if a.GetState() == "WAITING" {
			waiting++
		}
	}
	return []gauge{
		{"master.aliveWorkers", sumsOf(s).alive},
		{"master.apps", len(s.GetActiveApps())},
		{"master.waitingApps", waiting},
		{"master.workers", len(s.GetWorkers())},
	}, err
}

// appGauges mirrors org.apache.spark.deploy.master.ApplicationSource, whose names have the time of the start.
func (p *masterPages) appGauges(r *http.Request) (out []gauge, err error) {
	s, err := p.state(r)
	for _, list := range [][]*deploy.ApplicationInfo{s.GetActiveApps(), s.GetCompletedApps()} {
		for _, a := range list {
			name := fmt.Sprintf("application.%s.%d.", a.GetName(), a.GetStartMs())
			out = append(out, gauge{name + "cores", a.GetCoresGranted()},
				gauge{name + "runtime_ms", duration(a, s.GetTimeMs())}, gauge{name + "status", a.GetState()})
		}
	}
	slices.SortFunc(out, func(a, b gauge) int { return strings.Compare(a.name, b.name) })
	return out, err
}

// gauges mirrors org.apache.spark.deploy.worker.WorkerSource.
func (p *workerPages) gauges(r *http.Request) ([]gauge, error) {
	s, err := p.state(r)
	return []gauge{
		{"worker.coresFree", s.GetCores() - s.GetCoresUsed()},
		{"worker.coresUsed", s.GetCoresUsed()},
		{"worker.executors", len(s.GetExecutors())},
		{"worker.memFree_MB", s.GetMemory() - s.GetMemoryUsed()},
		{"worker.memUsed_MB", s.GetMemoryUsed()},
	}, err
}
