package web

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"time"

	"github.com/sirupsen/logrus"

	"github.com/coherer/coherer/cluster/web/pretty"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
	"github.com/coherer/coherer/rpcenv/oneline"
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
}

// Ask asks an endpoint on behalf of a request, and waits no longer than its client, nor than patience.
func Ask[Q rpcenv.Asks[R], R rpcenv.Message](ctx context.Context, env *rpcenv.Env, ref rpcenv.Ref, q Q) (R, error) {
	b := env.Blocking(ctx)
	defer b.Close()
	return rpcenv.AskWait(b, ref, q, rpcenv.Timeout(patienceKey, patience))
}

// problem is a failure with its status code.
type problem struct {
	code int
	err  error
}

func (p *problem) Error() string { return p.err.Error() }
func (p *problem) Unwrap() error { return p.err }

func notFound(format string, args ...any) error {
	return &problem{http.StatusNotFound, fmt.Errorf(format, args...)}
}

func badRequest(format string, args ...any) error {
	return &problem{http.StatusBadRequest, fmt.Errorf(format, args...)}
}

// fail answers with what went wrong. An error that is no problem of the request is the endpoint's.
func (s *Site) fail(w http.ResponseWriter, err error) {
	if p, ok := errors.AsType[*problem](err); ok {
		http.Error(w, p.Error(), p.code)
		return
	}
	s.Log.Debugf("a page: %v", err)
	http.Error(w, fmt.Sprintf("%s does not answer: %v: try again, or look at its log", s.Ref.Name, err), http.StatusServiceUnavailable)
}

// answer makes a handler of a function that computes an object.
func (s *Site) answer(object func(r *http.Request) (pretty.Object, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		o, err := object(r)
		if err != nil {
			s.fail(w, err)
			return
		}
		text, err := pretty.Marshal(o)
		if err != nil {
			s.fail(w, err)
			return
		}
		send(w, "text/json;charset=utf-8", text)
	})
}

// page makes a handler of a function that computes the data of a page.
func (s *Site) page(name string, data func(r *http.Request) (any, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		d, err := data(r)
		if err != nil {
			s.fail(w, err)
			return
		}
		w.Header().Set("Content-Type", "text/html;charset=utf-8")
		if err := pages.ExecuteTemplate(w, name, d); err != nil { // its client has gone
			s.Log.Debugf("page %s: %v", name, err)
		}
	})
}

func send(w http.ResponseWriter, kind string, text []byte) {
	w.Header().Set("Content-Type", kind)
	_, _ = w.Write(text) // the client may have gone
}

//go:embed pages
var files embed.FS

var pages = template.Must(template.New("").Funcs(template.FuncMap{
	"line": oneline.Text, "mib": megabytes, "date": date, "took": took, "having": having, "each": perEach, "arg": argument, "dict": dict, "share": share, "mib64": mebibytes,
}).ParseFS(files, "pages/*.html"))

// assets serves the style sheet of the pages.
func assets(mux *http.ServeMux) {
	mux.HandleFunc("GET /static/style.css", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "max-age=3600")
		http.ServeFileFS(w, r, files, "pages/style.css")
	})
}
