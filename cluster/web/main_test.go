package web

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/sirupsen/logrus"
	"go.uber.org/goleak"

	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/messages/rpc"
	"github.com/coherer/coherer/messages/yarn"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
	"github.com/coherer/coherer/rpcenv/transport"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// books are an endpoint that answers with the states that the test sets, and notes its other asks.
type books struct {
	master *deploy.MasterStateResponse
	worker *deploy.WorkerStateResponse
	rm     *yarn.ResourceManagerStateResponse
	why    *yarn.ApplicationRefusals
	nm     *yarn.NodeManagerStateResponse
	asked  chan rpcenv.Message
}

func (b *books) Receive(c *rpcenv.Context, m rpcenv.Message) {
	switch m := m.(type) {
	case *deploy.RequestMasterState:
		rpcenv.Reply(c, m, b.master)
		return
	case *deploy.RequestWorkerState:
		rpcenv.Reply(c, m, b.worker)
		return
	case *yarn.RequestResourceManagerState:
		rpcenv.Reply(c, m, b.rm)
		return
	case *yarn.RequestApplicationRefusals:
		rpcenv.Reply(c, m, b.why)
		return
	case *yarn.RequestNodeManagerState:
		rpcenv.Reply(c, m, b.nm)
		return
	case *deploy.KillApplication:
		rpcenv.Reply(c, m, &rpc.Bool{Value: m.GetAppId() != "unknown"})
	case *deploy.RequestKillDriver:
		rpcenv.Reply(c, m, &deploy.KillDriverResponse{Success: m.GetDriverId() != "unknown", Message: "Driver unknown does not exist"})
	case *deploy.DecommissionWorkersOnHosts:
		rpcenv.Reply(c, m, &deploy.DecommissionWorkersOnHostsResponse{Count: int32(len(m.GetHostnames()))})
	default:
		c.Unsupported(m)
		return
	}
	b.asked <- m
}

// site makes a Site about an endpoint, with settings given as key, value, key, value.
func site(t *testing.T, ep rpcenv.Endpoint, settings ...string) Site {
	t.Helper()
	pairs := map[string]string{}
	for i := 0; i+1 < len(settings); i += 2 {
		pairs[settings[i]] = settings[i+1]
	}
	c, err := conf.New(pairs)
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
	s := Site{Env: env, Conf: c, Log: logrus.NewEntry(log), Names: []string{"master.example"}}
	if ep != nil {
		if s.Ref, err = env.Register("Books", ep); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// master makes the pages of a Master with a state.
func master(t *testing.T, s *deploy.MasterStateResponse, settings ...string) (http.Handler, *books) {
	b := &books{master: s, asked: make(chan rpcenv.Message, 10)}
	return MasterPages(site(t, b, settings...)), b
}

// worker makes the pages of a Worker with a state.
func worker(t *testing.T, s *deploy.WorkerStateResponse, workDir string) http.Handler {
	return WorkerPages(site(t, &books{worker: s}), workDir)
}

// get is the answer to a GET.
func get(t *testing.T, h http.Handler, path string, heads ...string) (int, string) {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, path, nil)
	return do(t, h, r, heads...)
}

// post is the answer to the POST of a form.
func post(t *testing.T, h http.Handler, path, form string, heads ...string) (int, string) {
	t.Helper()
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(form))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return do(t, h, r, heads...)
}

func do(t *testing.T, h http.Handler, r *http.Request, heads ...string) (int, string) {
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

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func query(pairs ...string) string {
	q := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		q.Set(pairs[i], pairs[i+1])
	}
	return q.Encode()
}

func contains(text, part string) bool { return strings.Contains(text, part) }
