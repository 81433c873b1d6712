// Package webtest asks the pages of a daemon as a browser does.
package webtest

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/sirupsen/logrus"

	"github.com/coherer/coherer/cluster/known"
	"github.com/coherer/coherer/cluster/web"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
	"github.com/coherer/coherer/rpcenv/transport"
)

// Site makes a web.Site about an endpoint, with settings given as key, value, key, value.
func Site(t testing.TB, ep rpcenv.Endpoint, settings ...string) web.Site {
	t.Helper()
	pairs := map[string]string{}
	for i := 0; i+1 < len(settings); i += 2 {
		pairs[settings[i]] = settings[i+1]
	}
	c, err := conf.New(pairs, known.All())
	if err != nil {
		t.Fatal(err)
	}
	log := logrus.New()
	log.SetOutput(t.Output())
	host := transport.New(transport.Options{Memory: true})
	env, err := rpcenv.New(host, rpcenv.Config{Name: "M", Conf: c, Log: logrus.NewEntry(log)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		env.Close()
		if err := host.Close(); err != nil {
			t.Error(err)
		}
	})
	s := web.Site{Env: env, Conf: c, Log: logrus.NewEntry(log), Names: []string{"master.example"}}
	if ep != nil {
		if s.Ref, err = env.Register("Books", ep); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// Get is the answer to a GET.
func Get(t testing.TB, h http.Handler, path string, heads ...string) (int, string) {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, path, nil)
	return Do(t, h, r, heads...)
}

// Post is the answer to the POST of a form.
func Post(t testing.TB, h http.Handler, path, form string, heads ...string) (int, string) {
	t.Helper()
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(form))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return Do(t, h, r, heads...)
}

// Do is the answer to a request, by default for 127.0.0.1:8080, with heads given as name, value, name, value.
func Do(t testing.TB, h http.Handler, r *http.Request, heads ...string) (int, string) {
	t.Helper()
	if r.Host == "example.com" { // httptest's own
		r.Host = "127.0.0.1:8080"
	}
	for i := 0; i+1 < len(heads); i += 2 {
		if heads[i] == "Host" {
			r.Host = heads[i+1]
		}
		r.Header.Set(heads[i], heads[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	text, err := io.ReadAll(w.Result().Body)
	if err != nil {
		t.Fatal(err)
	}
	return w.Code, string(text)
}

// Read is the text of a file.
func Read(t testing.TB, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Wants fails the test for each part that a page lacks.
func Wants(t testing.TB, page string, parts ...string) {
	t.Helper()
	words := strings.Join(strings.Fields(page), " ")
	for _, p := range parts {
		if !strings.Contains(words, p) {
			t.Errorf("no %q in\n%s", p, page)
		}
	}
}

// UTC makes dates those of the machine where Spark was recorded.
func UTC(t testing.TB) {
	t.Helper()
	before := time.Local
	time.Local = time.UTC
	t.Cleanup(func() { time.Local = before })
}
