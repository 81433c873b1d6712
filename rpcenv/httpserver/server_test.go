package httpserver_test

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/sirupsen/logrus"
	"go.uber.org/goleak"

	"github.com/coherer/coherer/rpcenv/httpserver"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// start serves pages that say Hello, or panic at /panic.
func start(t *testing.T) (*httpserver.Server, net.Listener, *bytes.Buffer) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	log := logrus.New()
	log.SetOutput(&said)
	log.SetLevel(logrus.DebugLevel)
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/panic" {
			panic("of a handler")
		}
		_, _ = io.WriteString(w, "Hello")
	})
	return httpserver.Start(l, &http.Server{Handler: h}, "the pages", logrus.NewEntry(log)), l, &said
}

func get(l net.Listener, path string) (string, error) {
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := client.Get("http://" + l.Addr().String() + path)
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	return string(body), err
}

func TestAServerServesUntilItIsClosed(t *testing.T) {
	s, l, said := start(t)
	if body, err := get(l, "/"); body != "Hello" || err != nil {
		t.Error(body, err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if body, err := get(l, "/"); err == nil {
		t.Error("it still serves:", body)
	}
	if err := s.Close(); err != nil {
		t.Error("the second Close:", err)
	}
	if said.Len() > 0 {
		t.Error(said)
	}
	var none *httpserver.Server
	if err := none.Close(); err != nil {
		t.Error("Close of none:", err)
	}
}

func TestTheLog(t *testing.T) {
	s, l, said := start(t)
	if body, err := get(l, "/panic"); err == nil {
		t.Error("a handler that panics answers", body)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	_ = s.Close() // it closes the listener again, which is an error
	for _, want := range []string{"level=debug msg=\"http: panic serving", "level=error msg=\"the pages at " + l.Addr().String() + " have ended: "} {
		if !strings.Contains(said.String(), want) {
			t.Errorf("%q is not said in\n%s", want, said)
		}
	}
}
