package ui

import (
	"embed"
	"html/template"
	"net/http"

	"github.com/coherer/coherer/actors/driver/status"
	"github.com/coherer/coherer/cluster/web"
)

//go:embed pages
var own embed.FS

// mostRows is how many jobs and stages a page shows; the API has all.
const mostRows = 200

// templates are the pages.
var templates = web.Templates(own, template.FuncMap{
	"ms":   func(t *status.Time) int64 { return int64(*t) },
	"span": func(from, to *status.Time) int64 { return int64(*to) - int64(*from) },
})

// index is the data of the page.
type index struct {
	Title     string
	App       status.ApplicationInfo
	Jobs      []status.JobData
	Stages    []status.StageData
	Executors []status.ExecutorSummary
	MoreJobs  int
	MoreStage int
}

// page computes the data of the page: what ran last comes first.
func (a *api) page(r *http.Request) (any, error) {
	var out index
	for _, q := range []status.Query{status.Application{}, status.Jobs{}, status.Stages{}, status.Executors{All: true}} {
		v, err := a.ask(r.Context(), q)
		if err != nil {
			return nil, err
		}
		switch v := v.(type) {
		case status.ApplicationInfo:
			out.App = v
		case []status.JobData:
			out.Jobs, out.MoreJobs = first(v)
		case []status.StageData:
			out.Stages, out.MoreStage = first(v)
		case []status.ExecutorSummary:
			out.Executors = v
		}
	}
	out.Title = out.App.Name + " application UI"
	if out.App.ID == "" {
		out.Title = "An application that the cluster has not taken yet"
	}
	return out, nil
}

// first are the first rows, and how many follow.
func first[T any](all []T) ([]T, int) {
	n := min(len(all), mostRows)
	return all[:n], len(all) - n
}
