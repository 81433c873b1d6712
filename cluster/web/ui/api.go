package ui

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/coherer/coherer/actors/driver/status"
	"github.com/coherer/coherer/cluster/web"
	"github.com/coherer/coherer/cluster/web/pretty"
)

// Ask asks for a part of an application's status.
type Ask func(ctx context.Context, q status.Query) (any, error)

// api is Spark's REST API of one application.
type api struct {
	ask  Ask
	fail func(w http.ResponseWriter, err error)
}

// The prefixes of paths.
const (
	apiRoot = "/api/v1"
	apiApps = apiRoot + "/applications"
	apiApp  = apiApps + "/{app}"
)

// routes enters the paths of the API.
func (a *api) routes(mux *http.ServeMux) {
	mux.HandleFunc("GET "+apiRoot+"/version", func(w http.ResponseWriter, _ *http.Request) {
		a.send(w, struct {
			Spark string `json:"spark"`
		}{sparkVersion})
	})
	mux.HandleFunc("GET "+apiApps, a.applications)
	mux.HandleFunc("GET "+apiApp, a.application)
	of := func(path string, q func(r *http.Request) (status.Query, error)) {
		mux.HandleFunc("GET "+apiApp+path, func(w http.ResponseWriter, r *http.Request) { a.answer(w, r, q) })
	}
	of("/jobs", jobs)
	of("/jobs/{id}", func(r *http.Request) (status.Query, error) {
		id, err := number(r, "id")
		return status.Job{ID: id}, err
	})
	of("/stages", stages)
	of("/stages/{id}", stageAttempts)
	of("/stages/{id}/{attempt}", stage)
	of("/stages/{id}/{attempt}/taskSummary", taskSummary)
	of("/stages/{id}/{attempt}/taskList", taskList)
	of("/executors", func(*http.Request) (status.Query, error) { return status.Executors{}, nil })
	of("/allexecutors", func(*http.Request) (status.Query, error) { return status.Executors{All: true}, nil })
	of("/storage/rdd", func(*http.Request) (status.Query, error) { return status.RDDs{}, nil })
	of("/storage/rdd/{id}", func(r *http.Request) (status.Query, error) {
		id, err := number(r, "id")
		return status.RDD{ID: id}, err
	})
	of("/environment", func(*http.Request) (status.Query, error) { return status.EnvironmentOf{}, nil })
	of("/executors/{id}/threads", func(*http.Request) (status.Query, error) {
		return nil, web.NotFound("Executor does not exist, or has no thread dump: there are none of Go programs.")
	})
	a.others(mux)
}

// others enters the paths that are the same for each application without SQL and streams.
func (a *api) others(mux *http.ServeMux) {
	for _, path := range []string{"/sql", "/allmiscellaneousprocess"} {
		mux.HandleFunc("GET "+apiApp+path, func(w http.ResponseWriter, r *http.Request) {
			if _, err := a.app(r); err != nil {
				a.failure(w, err)
				return
			}
			a.send(w, []string{})
		})
	}
	mux.HandleFunc("GET "+apiApp+"/streaming/statistics", func(w http.ResponseWriter, r *http.Request) {
		info, err := a.app(r)
		if err == nil {
			err = web.NotFound("no streaming listener attached to %s", info.Name)
		}
		a.failure(w, err)
	})
	mux.HandleFunc("GET "+apiApp+"/logs", a.logs)
	mux.HandleFunc("GET "+apiApp+"/{attempt}", func(w http.ResponseWriter, r *http.Request) {
		a.failure(w, web.NotFound("unknown app %s, attempt %s", r.PathValue("app"), r.PathValue("attempt")))
	})
}

// app is the application, if the path names it.
func (a *api) app(r *http.Request) (status.ApplicationInfo, error) {
	v, err := a.ask(r.Context(), status.Application{})
	if err != nil {
		return status.ApplicationInfo{}, err
	}
	info, _ := v.(status.ApplicationInfo)
	if info.ID != r.PathValue("app") {
		return info, web.NotFound("no such app: %s", r.PathValue("app"))
	}
	return info, nil
}

func (a *api) application(w http.ResponseWriter, r *http.Request) {
	info, err := a.app(r)
	if _, unknown := errors.AsType[*web.Problem](err); unknown {
		err = web.NotFound("unknown app: %s", r.PathValue("app"))
	}
	if err != nil {
		a.failure(w, err)
		return
	}
	a.send(w, info)
}

// applications are the one that runs here, unless the parameters leave it out.
func (a *api) applications(w http.ResponseWriter, r *http.Request) {
	v, err := a.ask(r.Context(), status.Application{})
	if err != nil {
		a.failure(w, err)
		return
	}
	out := []status.ApplicationInfo{}
	info, _ := v.(status.ApplicationInfo)
	if info.ID != "" && wanted(r.URL.Query(), info) {
		out = append(out, info)
	}
	a.send(w, out)
}

func wanted(q url.Values, info status.ApplicationInfo) bool {
	state := "running"
	if info.Attempts[0].Completed {
		state = "completed"
	}
	if s := q["status"]; len(s) > 0 && !slices.ContainsFunc(s, func(s string) bool { return strings.EqualFold(s, state) }) {
		return false
	}
	if n, err := strconv.Atoi(q.Get("limit")); err == nil && n <= 0 {
		return false
	}
	start := time.UnixMilli(info.Attempts[0].StartEpoch)
	least, isLeast := date(q.Get("minDate"))
	most, isMost := date(q.Get("maxDate"))
	return !(isLeast && start.Before(least)) && !(isMost && start.After(most))
}

// date reads a time as the API writes it, or a day.
func date(text string) (time.Time, bool) {
	for _, layout := range []string{"2006-01-02T15:04:05.000GMT", time.DateOnly} {
		if t, err := time.Parse(layout, text); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

// answer answers a question about the application that the path names.
func (a *api) answer(w http.ResponseWriter, r *http.Request, query func(*http.Request) (status.Query, error)) {
	if _, err := a.app(r); err != nil {
		a.failure(w, err)
		return
	}
	q, err := query(r)
	if err != nil {
		a.failure(w, err)
		return
	}
	v, err := a.ask(r.Context(), q)
	if err != nil {
		a.failure(w, err)
		return
	}
	a.send(w, v)
}

func (a *api) send(w http.ResponseWriter, v any) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		a.failure(w, err)
		return
	}
	web.Send(w, "application/json", pretty.Reformat(bytes.TrimSpace(b.Bytes())))
}

// failure answers with Spark's text where something is not there.
func (a *api) failure(w http.ResponseWriter, err error) {
	text, code := "", 0
	if missing, ok := errors.AsType[*status.NotFound](err); ok {
		text, code = missing.Text, http.StatusNotFound
	} else if p, ok := errors.AsType[*web.Problem](err); ok {
		text, code = p.Error(), p.Code
	}
	if code == 0 {
		a.fail(w, err)
		return
	}
	w.Header().Set("Content-Type", "text/plain")
	w.WriteHeader(code)
	_, _ = w.Write([]byte(text)) // the client may have gone
}

// logs is an archive without files, as Spark's driver sends it: only a History Server has the event log.
func (a *api) logs(w http.ResponseWriter, r *http.Request) {
	info, err := a.app(r)
	if err != nil {
		a.failure(w, err)
		return
	}
	var b bytes.Buffer
	if err := zip.NewWriter(&b).Close(); err != nil {
		a.failure(w, err)
		return
	}
	w.Header().Set("Content-Disposition", fmt.Sprintf("attachment; filename=eventLogs-%s.zip", info.ID))
	web.Send(w, "application/octet-stream", b.Bytes())
}
