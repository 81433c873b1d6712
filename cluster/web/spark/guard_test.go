package spark

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/coherer/coherer/cluster/web/webtest"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/rpcenv"
)

// TestARequestByAForeignNameIsRefused: a page of an attacker's name that points at this machine reads nothing.
func TestARequestByAForeignNameIsRefused(t *testing.T) {
	h, _ := master(t, idle())
	for host, want := range map[string]int{
		"127.0.0.1:8080": 200, "localhost:8080": 200, "LOCALHOST": 200, "[::1]:8080": 200, "10.0.0.1": 200, "master.example:8080": 200,
		"Master.Example.": 200, "evil.example:8080": 403, "127.0.0.1.evil.example": 403, "localhost.evil.example": 403, "": 403, "master.example.evil": 403,
	} {
		if code, text := webtest.Get(t, h, "/json/", "Host", host); code != want {
			t.Errorf("Host %q: %d %.100s, want %d", host, code, text, want)
		}
	}
}

func TestAPOSTFromAForeignPageIsRefused(t *testing.T) {
	h, b := master(t, running(), "spark.decommission.enabled", "true")
	for _, foreign := range [][]string{
		{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"}, {"Origin", "http://evil.example"}, {"Origin", "null"},
	} {
		for _, path := range []string{"/app/kill/", "/driver/kill/", "/workers/kill/"} {
			if code, _ := webtest.Post(t, h, path, "id=a&terminate=true&host=h", foreign...); code != http.StatusForbidden {
				t.Errorf("%s with %s: %d", path, foreign, code)
			}
			if code, _ := webtest.Post(t, h, path+"?id=a&terminate=true&host=h", "", foreign...); code != http.StatusForbidden {
				t.Errorf("%s with %s, values in the query: %d", path, foreign, code)
			}
		}
	}
	if len(b.asked) != 0 {
		t.Fatalf("%v", <-b.asked)
	}
	for _, own := range [][]string{{"Sec-Fetch-Site", "same-origin"}, {"Origin", "http://127.0.0.1:8080"}, nil} {
		if code, text := webtest.Post(t, h, "/app/kill/", "id=app-1&terminate=true", own...); code != http.StatusFound {
			t.Errorf("with %s: %d %s", own, code, text)
		}
		if k, ok := (<-b.asked).(*deploy.KillApplication); !ok || k.AppId != "app-1" {
			t.Error(k)
		}
	}
}

func TestActions(t *testing.T) {
	h, b := master(t, running())
	if code, _ := webtest.Post(t, h, "/driver/kill/", "id=driver-1&terminate=true"); code != http.StatusFound {
		t.Error(code)
	}
	if k, ok := (<-b.asked).(*deploy.RequestKillDriver); !ok || k.DriverId != "driver-1" {
		t.Error(k)
	}
	for path, form := range map[string]string{"/app/kill/": "id=a", "/driver/kill/": "id=a&terminate=false"} {
		if code, _ := webtest.Post(t, h, path, form); code != http.StatusFound {
			t.Errorf("%s: %d", path, code)
		}
	}
	if code, text := webtest.Post(t, h, "/app/kill/", "id="+strings.Repeat("a", mostForm)); code != http.StatusBadRequest {
		t.Errorf("%d %s", code, text)
	}
	if code, text := webtest.Post(t, h, "/workers/kill/", "host=127.0.0.1"); code != http.StatusMethodNotAllowed {
		t.Errorf("without spark.decommission.enabled: %d %s", code, text)
	}
	if len(b.asked) != 0 {
		t.Errorf("%v", <-b.asked)
	}
}

// Spark reads the values of an action from the query too.
func TestActionsByTheQuery(t *testing.T) {
	h, b := master(t, running(), "spark.decommission.enabled", "true", "spark.master.ui.decommission.allow.mode", "ALLOW")
	for path, want := range map[string]string{
		"/app/kill/?id=app-1&terminate=true":       "app-1",
		"/app/kill/?id=app-1&terminate=TRUE":       "app-1",
		"/driver/kill/?id=driver-1&terminate=true": "driver-1",
		"/workers/kill/?host=h1&host=h2":           "h1 h2",
	} {
		if code, text := webtest.Post(t, h, path, ""); code != http.StatusFound && code != http.StatusAccepted {
			t.Errorf("%s: %d %s", path, code, text)
			continue
		}
		got := ""
		switch m := (<-b.asked).(type) {
		case *deploy.KillApplication:
			got = m.GetAppId()
		case *deploy.RequestKillDriver:
			got = m.GetDriverId()
		case *deploy.DecommissionWorkersOnHosts:
			got = strings.Join(m.GetHostnames(), " ")
		}
		if got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}

// A kill of an unknown id is an error, and the log has it.
func TestAKillOfNothingIsAnswered(t *testing.T) {
	b := &books{master: running(), asked: make(chan rpcenv.Message, 10)}
	s := webtest.Site(t, b)
	var logged strings.Builder
	s.Log.Logger.SetOutput(&logged)
	h := MasterPages(s)
	for path, want := range map[string]string{
		"/app/kill/": `the Master runs no application "unknown"`, "/driver/kill/": "Driver unknown does not exist",
	} {
		logged.Reset()
		code, text := webtest.Post(t, h, path+"?id=unknown&terminate=true", "")
		if code != http.StatusNotFound || !strings.Contains(text, want) {
			t.Errorf("%s: %d %s, want %s", path, code, text, want)
		}
		if strings.Count(logged.String(), "level=warning") != 1 {
			t.Errorf("%s: the log has %q", path, logged.String())
		}
		if code, text := webtest.Post(t, h, path, "id=a&terminate=maybe"); code != http.StatusBadRequest || !strings.Contains(text, "maybe") {
			t.Errorf("%s: %d %s", path, code, text)
		}
	}
}

func TestNothingIsKilledWithoutKillEnabled(t *testing.T) {
	killsNothing(t, "spark.ui.killEnabled", "false")
}

// A page wants no token, so that it kills nothing where the REST server wants one.
func TestNothingIsKilledByAPageWhereTheRESTServerWantsAToken(t *testing.T) {
	killsNothing(t, "coherer.rest.tokenFile", "/token")
}

func killsNothing(t *testing.T, key, value string) {
	t.Helper()
	h, b := master(t, running(), key, value)
	for _, path := range []string{"/app/kill/", "/driver/kill/"} {
		if code, text := webtest.Post(t, h, path, "id=a&terminate=true"); code != http.StatusMethodNotAllowed || !strings.Contains(text, key) {
			t.Errorf("%d %s", code, text)
		}
	}
	if _, page := webtest.Get(t, h, "/"); strings.Contains(page, "<form") {
		t.Error("the page has buttons")
	}
	if len(b.asked) != 0 {
		t.Errorf("%v", <-b.asked)
	}
}

func TestWhoMayDecommission(t *testing.T) {
	for _, c := range []struct {
		mode, from, form string
		want             int
	}{
		{"LOCAL", "127.0.0.1:1", "host=h1&host=h2", http.StatusAccepted},
		{"LOCAL", "[::1]:1", "host=h1", http.StatusAccepted},
		{"LOCAL", "[::ffff:127.0.0.1]:1", "host=h1", http.StatusAccepted},
		{"LOCAL", "192.0.2.1:1", "host=h1", http.StatusMethodNotAllowed},
		{"LOCAL", "", "host=h1", http.StatusMethodNotAllowed},
		{"DENY", "127.0.0.1:1", "host=h1", http.StatusMethodNotAllowed},
		{"ALLOW", "192.0.2.1:1", "host=h1", http.StatusAccepted},
		{"ALLOW", "192.0.2.1:1", "", http.StatusNotFound},
	} {
		h, _ := master(t, idle(), "spark.decommission.enabled", "true", "spark.master.ui.decommission.allow.mode", c.mode)
		r := httptest.NewRequest(http.MethodPost, "/workers/kill/", strings.NewReader(c.form))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.RemoteAddr = c.from
		if code, text := webtest.Do(t, h, r); code != c.want {
			t.Errorf("%s from %q: %d %s", c.mode, c.from, code, text)
		}
	}
}
