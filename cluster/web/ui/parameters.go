package ui

import (
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/coherer/coherer/actors/driver/status"
	"github.com/coherer/coherer/cluster/web"
)

// Defaults of parameters.
const (
	stageQuantiles = "0.0,0.25,0.5,0.75,1.0"
	taskQuantiles  = "0.05,0.25,0.5,0.75,0.95"
	listLength     = 20
)

// number is a number in the path. Of another word there is nothing, as in Spark.
func number(r *http.Request, name string) (int32, error) {
	n, err := strconv.ParseUint(r.PathValue(name), 10, 31)
	if err != nil {
		return 0, web.NotFound("%s", r.URL.Path)
	}
	return int32(n), nil
}

// words are the values of a parameter in upper case, each of which must be one of some.
func words(r *http.Request, name string, of ...string) ([]string, error) {
	var out []string
	for _, v := range r.URL.Query()[name] {
		v = strings.ToUpper(v)
		if v == "" {
			continue
		}
		if !slices.Contains(of, v) {
			return nil, web.NotFound("%s: %s is none of %s", name, v, strings.Join(of, ", "))
		}
		out = append(out, v)
	}
	return out, nil
}

// taskStates are those by which tasks can be chosen (TaskStatus).
var taskStates = []string{"RUNNING", "KILLED", "FAILED", "SUCCESS", "UNKNOWN"}

func jobs(r *http.Request) (status.Query, error) {
	states, err := words(r, "status", "RUNNING", "SUCCEEDED", "FAILED", "UNKNOWN")
	return status.Jobs{Status: states}, err
}

func stages(r *http.Request) (status.Query, error) {
	states, err := words(r, "status", "ACTIVE", "COMPLETE", "FAILED", "PENDING", "SKIPPED")
	if err != nil {
		return nil, err
	}
	d, err := detail(r, false)
	return status.Stages{Status: states, Detail: d}, err
}

func stageAttempts(r *http.Request) (status.Query, error) {
	id, err := number(r, "id")
	if err != nil {
		return nil, err
	}
	d, err := detail(r, true)
	return status.StageAttempts{ID: id, Detail: d}, err
}

func stage(r *http.Request) (status.Query, error) {
	id, attempt, err := attemptOf(r)
	if err != nil {
		return nil, err
	}
	d, err := detail(r, true)
	return status.Stage{ID: id, Attempt: attempt, Detail: d}, err
}

func attemptOf(r *http.Request) (id, attempt int32, err error) {
	if id, err = number(r, "id"); err == nil {
		attempt, err = number(r, "attempt")
	}
	return id, attempt, err
}

func detail(r *http.Request, tasks bool) (d status.Detail, err error) {
	d.Tasks = flag(r, "details", tasks)
	d.Summaries = flag(r, "withSummaries", false)
	if d.TaskStatus, err = words(r, "taskStatus", taskStates...); err != nil {
		return d, err
	}
	d.Quantiles, err = quantiles(r, stageQuantiles)
	return d, err
}

// flag is a parameter that is true or, for any other word, false, as in Java.
func flag(r *http.Request, name string, otherwise bool) bool {
	if v := r.URL.Query()[name]; len(v) > 0 {
		return strings.EqualFold(v[0], "true")
	}
	return otherwise
}

// mostQuantiles bounds what a question may cost.
const mostQuantiles = 1000

func quantiles(r *http.Request, otherwise string) ([]float64, error) {
	text := otherwise
	if v := r.URL.Query()["quantiles"]; len(v) > 0 {
		text = v[0]
	}
	var out []float64
	for word := range strings.SplitSeq(text, ",") {
		q, err := strconv.ParseFloat(strings.TrimSpace(word), 64)
		if err != nil || math.IsNaN(q) {
			return nil, web.BadRequest("Bad value for parameter \"quantiles\".  Expected a double, got %q", word)
		}
		out = append(out, q)
	}
	if len(out) > mostQuantiles {
		return nil, web.BadRequest("parameter \"quantiles\" has %d values: at most %d are answered", len(out), mostQuantiles)
	}
	return out, nil
}

func taskSummary(r *http.Request) (status.Query, error) {
	id, attempt, err := attemptOf(r)
	if err != nil {
		return nil, err
	}
	q, err := quantiles(r, taskQuantiles)
	return status.TaskSummary{ID: id, Attempt: attempt, Quantiles: q}, err
}

func taskList(r *http.Request) (status.Query, error) {
	id, attempt, err := attemptOf(r)
	if err != nil {
		return nil, err
	}
	q := status.TaskList{ID: id, Attempt: attempt, Length: listLength}
	for name, to := range map[string]*int{"offset": &q.Offset, "length": &q.Length} {
		if v := r.URL.Query().Get(name); v != "" {
			if *to, err = strconv.Atoi(v); err != nil {
				return nil, web.NotFound("%s", r.URL.Path)
			}
		}
	}
	if q.SortBy = r.URL.Query().Get("sortBy"); !slices.Contains([]string{"", status.ByID, status.ByRuntime, status.ByRuntimeReverse}, q.SortBy) {
		return nil, web.NotFound("%s", r.URL.Path)
	}
	q.Status, err = words(r, "status", taskStates...)
	return q, err
}
