package web

import (
	"context"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/sirupsen/logrus"

	"github.com/coherer/coherer/cluster/gossip"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
	"github.com/coherer/coherer/rpcenv/metrics/debug"
)

// patience is how long an endpoint may take to answer a request.
const patience = 10 * time.Second

// patienceKey stands where a failure of such an ask names the setting of its time-out: no setting changes this one.
const patienceKey = "the patience of the pages"

// Site is the common part of the pages of all daemons.
type Site struct {
	// Env sends the asks; Ref is the endpoint that the pages are about.
	Env *rpcenv.Env
	Ref rpcenv.Ref
	// Conf are the settings, Log the daemon's log.
	Conf *conf.Conf
	Log  *logrus.Entry
	// Names by which the server may be called, besides addresses and localhost.
	Names []string
	// Members are those of the daemon's cluster, and the latest that are gone. Nil: the pages show none.
	Members func() []gossip.Standing
}

// Ask asks an endpoint on behalf of a request, and waits no longer than its client, nor than patience.
func Ask[Q rpcenv.Asks[R], R rpcenv.Message](ctx context.Context, env *rpcenv.Env, ref rpcenv.Ref, q Q) (R, error) {
	b := env.Blocking(ctx)
	defer b.Close()
	return rpcenv.AskWait(b, ref, q, rpcenv.Timeout(patienceKey, patience))
}

// Problem is a failure of a request, with its status code.
type Problem struct {
	Code int
	Err  error
}

func (p *Problem) Error() string { return p.Err.Error() }

// Unwrap is the failure itself.
func (p *Problem) Unwrap() error { return p.Err }

// NotFound is the Problem of a name that nothing has.
func NotFound(format string, args ...any) error {
	return &Problem{http.StatusNotFound, fmt.Errorf(format, args...)}
}

// BadRequest is the Problem of a malformed request.
func BadRequest(format string, args ...any) error {
	return &Problem{http.StatusBadRequest, fmt.Errorf(format, args...)}
}

// Fail answers with what went wrong. An error that is no Problem is the endpoint's.
func (s *Site) Fail(w http.ResponseWriter, err error) {
	if p, ok := errors.AsType[*Problem](err); ok {
		http.Error(w, p.Error(), p.Code)
		return
	}
	s.Log.Debugf("a page: %v", err)
	http.Error(w, fmt.Sprintf("%s does not answer: %v: try again, or look at its log", s.Ref.Name, err), http.StatusServiceUnavailable)
}

// Page makes a handler of a function that computes the data of a page, one of Templates.
func (s *Site) Page(pages func() *template.Template, name string, data func(r *http.Request) (any, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		d, err := data(r)
		if err != nil {
			s.Fail(w, err)
			return
		}
		w.Header().Set("Content-Type", "text/html;charset=utf-8")
		if err := pages().ExecuteTemplate(w, name, d); err != nil { // its client has gone
			s.Log.Debugf("page %s: %v", name, err)
		}
	})
}

// Send answers with a text of a kind.
func Send(w http.ResponseWriter, kind string, text []byte) {
	w.Header().Set("Content-Type", kind)
	_, _ = w.Write(text) // the client may have gone
}

// Handler is all that a daemon serves: its own mux, with the metrics of the Env at /metrics, as --debug-addr has them, and the
// style sheet, behind Guard.
func (s *Site) Handler(own *http.ServeMux) http.Handler {
	metrics := sync.OnceValue(func() http.Handler { // it makes the Env measure times, which costs: not before the first request
		registry := prometheus.NewRegistry()
		registry.MustRegister(debug.NewCollector(s.Env))
		return promhttp.HandlerFor(registry, promhttp.HandlerOpts{ErrorLog: s.Log})
	})
	own.HandleFunc("GET /metrics", func(w http.ResponseWriter, r *http.Request) { metrics().ServeHTTP(w, r) })
	own.HandleFunc("GET /static/style.css", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "max-age=3600")
		http.ServeFileFS(w, r, common, "pages/style.css")
	})
	return Guard(s.Names, own)
}
