package node

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sirupsen/logrus"
	"golang.org/x/sys/unix"

	"github.com/coherer/coherer/cluster/known"
	"github.com/coherer/coherer/cluster/process"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/conf"
)

// runDaemon runs a daemon until the end of the test, or end is called, and returns its ready line, if it writes one.
func runDaemon(t *testing.T, settings map[string]string, run func(context.Context, Options) error) (ready process.Ready, end func() error) {
	t.Helper()
	c, err := conf.New(settings, known.All())
	if err != nil {
		t.Fatal(err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	fd, err := unix.Dup(int(w.Fd())) // the writer of the ready line closes it
	if err != nil {
		t.Fatal(err)
	}
	w.Close()
	log := logrus.New()
	log.SetOutput(t.Output())
	ctx, cancel := context.WithCancel(t.Context())
	loopback := rpcenv.Address{Host: "127.0.0.1"}
	ended := make(chan error, 1)
	go func() {
		ended <- run(ctx, Options{Role: "test", Listen: loopback, Gossip: loopback, Pages: loopback, Conf: c, ReadyFD: fd, Log: logrus.NewEntry(log)})
	}()
	end = func() error {
		cancel()
		err := <-ended
		ended <- err
		return err
	}
	t.Cleanup(func() {
		if err := end(); err != nil {
			t.Error(err)
		}
	})
	line, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(line, &ready); err != nil {
		t.Fatalf("%q: %v", line, err)
	}
	return ready, end
}

// fetch is the answer to a request.
func fetch(t *testing.T, method, url, body string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	res, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(text)
}

// TestTheFacesOfDaemons runs a Master and a Worker, looks at all their faces, and ends them: TestMain looks for what is left.
func TestTheFacesOfDaemons(t *testing.T) {
	master, _ := runDaemon(t, map[string]string{"spark.master.rest.enabled": "true", "spark.master.rest.port": "0"}, RunMaster)
	work := filepath.Join(t.TempDir(), "work")
	masters, err := rpcenv.ParseMasterURL(master.URL)
	if err != nil {
		t.Fatal(err)
	}
	worker, _ := runDaemon(t, nil, func(ctx context.Context, o Options) error {
		return RunWorker(ctx, WorkerOptions{Options: o, Masters: masters, Cores: 2, MemoryMB: 1024, WorkDir: work})
	})
	for _, page := range []struct{ url, want string }{
		{master.UI + "/", "<title>Spark Master at " + master.URL},
		{master.UI + "/json/", `"url" : "` + master.URL + `"`},
		{master.UI + "/metrics/master/prometheus/", "metrics_master_workers_Value"},
		{master.UI + "/metrics", `coherer_rpc_received_total{endpoint="Master"`},
		{worker.UI + "/", "<title>Spark Worker at "},
		{master.UI + "/", "<td>test (leads)</td>"},
		{worker.UI + "/", "<td>test</td>"},
		{worker.UI + "/json/", `"masterwebuiurl" : "`},
		{worker.UI + "/metrics/prometheus/", "metrics_worker_coresFree_Value"},
	} {
		if code, text := fetch(t, http.MethodGet, page.url, ""); code != http.StatusOK || !strings.Contains(text, page.want) {
			t.Errorf("%s has no %s: %d %.300s", page.url, page.want, code, text)
		}
	}
	_, page := fetch(t, http.MethodGet, master.UI+"/", "")
	_, rest, ok := strings.Cut(page, "<dt>REST URL:</dt><dd>spark://")
	at, _, _ := strings.Cut(rest, " ")
	if !ok {
		t.Fatal(page)
	}
	submissions := "http://" + at + "/v1/submissions/"
	if code, text := fetch(t, http.MethodGet, submissions+"readyz", ""); code != http.StatusOK || !strings.Contains(text, `"success" : true`) {
		t.Errorf("%d %s", code, text)
	}
	// More cores than the Worker has: it waits.
	code, text := fetch(t, http.MethodPost, submissions+"create", `{"action":"CreateSubmissionRequest","clientSparkVersion":"4.1.4",
		"appResource":"/nosuch","mainClass":"A","sparkProperties":{"spark.driver.cores":"3"}}`)
	var created struct{ SubmissionID string }
	if err := json.Unmarshal([]byte(text), &created); err != nil || code != http.StatusOK || created.SubmissionID == "" {
		t.Fatalf("%d %s %v", code, text, err)
	}
	for _, step := range []struct{ method, path, want string }{
		{http.MethodGet, "status/" + created.SubmissionID, `"driverState" : "SUBMITTED"`},
		{http.MethodPost, "kill/" + created.SubmissionID, `"success" : true`},
		{http.MethodGet, "status/" + created.SubmissionID, `"driverState" : "KILLED"`},
		{http.MethodPost, "kill/" + created.SubmissionID, `"success" : false`},
		{http.MethodPost, "clear", `"success" : true`},
		{http.MethodGet, "status/" + created.SubmissionID, `"success" : false`},
		{http.MethodPost, "killall", `"success" : true`},
	} {
		if code, text := fetch(t, step.method, submissions+step.path, ""); code != http.StatusOK || !strings.Contains(text, step.want) {
			t.Errorf("%s: %d %s", step.path, code, text)
		}
	}
}

// The error of a host that is not this machine's names the option or setting that chose it.
func TestAHostThatIsNotHereIsNamedByItsSetting(t *testing.T) {
	const elsewhere = "198.51.100.1"
	rest, webapp := known.MasterRESTPort.Key(), known.ResourceManagerWebapp.Key()
	for _, c := range []struct{ setting, listen, want string }{
		{"--webui-port", elsewhere, "--host"}, {rest, "127.0.0.1", "spark.master.rest.host"}, {rest, elsewhere, "--host"}, {webapp, "127.0.0.1", webapp},
	} {
		d := &daemon{opts: Options{Listen: rpcenv.Address{Host: c.listen}, Log: quiet()}}
		if _, err := d.bind("UI", c.setting, elsewhere, 0); err == nil || !strings.HasSuffix(err.Error(), ": name an address of this machine with "+c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}
