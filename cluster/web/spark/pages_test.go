package spark

import (
	"net/http"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/coherer/coherer/cluster/web/webtest"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/rpcenv"
)

func TestTheMasterPageHasSparksTables(t *testing.T) {
	webtest.UTC(t)
	s := running()
	s.Failures = []*deploy.Failure{{TimeMs: 1795855700000, Kind: "executor", Id: "app-1/0", WorkerId: firstWorker, State: "EXITED", Reason: "Command exited with code 3"}}
	s.Demands = []*deploy.Demand{{AppId: "app-1", Name: "A", Cores: 9, Memory: 512, Blockers: []*deploy.Blocker{{
		Filter: "cores", Workers: 1, WorkerId: firstWorker, Reason: "an executor wants 9 cores, the worker has 4",
	}}}}
	h, _ := master(t, s)
	code, page := webtest.Get(t, h, "/")
	if code != http.StatusOK {
		t.Fatal(code, page)
	}
	webtest.Wants(t, page,
		"<title>Spark Master at spark://127.0.0.1:17077</title>",
		"<dd>spark://127.0.0.1:16066 (cluster mode)</dd>",
		"<dd>1 Alive, 0 Dead, 0 Decommissioned, 0 Unknown</dd>",
		"<dd>4 Total, 3 Used</dd>", "<dd>4.0 GiB Total, 1536.0 MiB Used</dd>",
		`<dd>1 <a href="#running-app">Running</a>, 0 <a href="#completed-app">Completed</a></dd>`,
		"<dd>3 Running (2 Waiting), 4 Completed (0 Killed, 2 Failed, 2 Error, 0 Relaunching)</dd>",
		`<td><a href="http://127.0.0.1:18081">`+firstWorker+`</a></td> <td>127.0.0.1:17078</td><td>ALIVE</td><td>4 (3 Used)</td> <td>4.0 GiB (1536.0 MiB Used)</td>`,
		`<td><a href="/app/?appId=app-20261128084843-0000">app-20261128084843-0000</a> <form action="/app/kill/" method="POST">`,
		`<td><a href="http://localhost:4040">Pi &lt;b&gt;</a></td> <td>2</td><td>512.0 MiB</td><td></td> <td>2026/11/28 08:48:43</td><td>root</td><td>RUNNING</td><td>6 s</td>`,
		`<td>SUBMITTED</td><td>99</td><td>1024.0 MiB</td> <td></td><td>A</td><td>1.3 min</td>`,
		"<td>an executor of 9 cores, 512.0 MiB</td>", "1 workers, as "+firstWorker+": an executor wants 9 cores, the worker has 4",
		`<td>executor app-1/0</td><td>`+firstWorker+`</td><td>EXITED</td><td class="bad">Command exited with code 3</td>`,
	)
}

func TestTheWorkerPageHasSparksTables(t *testing.T) {
	s := workerRunning()
	s.FinishedDrivers = []*deploy.DriverRunner{{
		DriverId: "driver-1", State: deploy.DriverState_ERROR, Exception: "java.nio.file.NoSuchFileException: /x.jar",
		DriverDesc: &deploy.DriverDescription{Mem: 1024, Cores: 2, Command: &deploy.Command{Arguments: []string{"{{WORKER_URL}}", "{{USER_JAR}}", "A"}}},
	}}
	_, page := webtest.Get(t, worker(t, s, t.TempDir()), "/")
	webtest.Wants(t, page,
		"<title>Spark Worker at 127.0.0.1:17078</title>", "<dd>4 (3 Used)</dd>", `<a href="http://localhost:18080">Back to Master</a>`,
		"<td>ID: app-20261128084843-0000<br>Name: Pi &lt;b&gt;<br>User: root</td>",
		`<a href="/logPage/?appId=app-20261128084843-0000&amp;executorId=0&amp;logType=stdout">stdout</a>`,
		`<td>driver-1</td><td>A</td><td>ERROR</td><td>2</td><td>1024.0 MiB</td>`, "<td>java.nio.file.NoSuchFileException: /x.jar</td>",
	)
	if strings.Index(page, "executorId=0") > strings.Index(page, "executorId=1") { // as they come: the youngest is last there
		t.Error("the youngest executor is not the first")
	}
}

func TestTheApplicationPage(t *testing.T) {
	s := running()
	over := proto.Clone(s.ActiveApps[0]).(*deploy.ApplicationInfo)
	over.Id, over.State, over.EndMs = "app-over", "FINISHED", s.TimeMs
	s.CompletedApps = []*deploy.ApplicationInfo{over}
	h, _ := master(t, s)
	_, page := webtest.Get(t, h, "/app/?appId=app-20261128084843-0000")
	webtest.Wants(t, page, "<title>Application: Pi &lt;b&gt;</title>", "<dd>2 (2 granted, 0 left)</dd>", "Application Detail UI",
		`<a href="http://127.0.0.1:18081/logPage/?appId=app-20261128084843-0000&amp;executorId=1&amp;logType=stderr">stderr</a>`)
	if code, page := webtest.Get(t, h, "/app/?appId=app-over"); code != http.StatusOK || strings.Contains(page, "Application Detail UI") {
		t.Error(code, page)
	}
	if code, text := webtest.Get(t, h, "/app/?appId=nosuch"); code != http.StatusNotFound || text != "No running or completed application with ID nosuch\n" {
		t.Error(code, text)
	}
}

// TestHostileNamesStayText: whatever peers name, no element, attribute or script comes of it.
// What has ended says why, where Spark's pages show a state alone.
func TestPagesSayWhyThingsEnded(t *testing.T) {
	s := running()
	s.Workers = append(s.Workers, &deploy.WorkerInfo{Id: "w-dead", State: "DEAD", Reason: "Not receiving heartbeat for 60 seconds"})
	a := s.ActiveApps[0]
	a.RemovedExecutors = []*deploy.ExecutorDesc{{Id: 7, State: deploy.ExecutorState_EXITED, Reason: "Command exited with code 3"}}
	over := proto.Clone(a).(*deploy.ApplicationInfo)
	over.Id, over.State, over.Reason, over.EndMs = "app-over", "FAILED", "failed 10 times", s.TimeMs
	s.CompletedApps = []*deploy.ApplicationInfo{over}
	s.CompletedDrivers = []*deploy.DriverInfo{{Id: "driver-over", State: deploy.DriverState_KILLED, Reason: "killed while it waited"}}
	h, _ := master(t, s)
	_, page := webtest.Get(t, h, "/")
	webtest.Wants(t, page, "<td>DEAD<div>Not receiving heartbeat for 60 seconds</div></td>", "<td>FAILED<div>failed 10 times</div></td>",
		"<td>KILLED<div>killed while it waited</div></td>")
	_, page = webtest.Get(t, h, "/app/?appId="+a.GetId())
	webtest.Wants(t, page, "<td>EXITED<div>Command exited with code 3</div></td>")
	_, page = webtest.Get(t, h, "/app/?appId=app-over")
	webtest.Wants(t, page, "<dd>FAILED: failed 10 times</dd>")
}

func TestHostileNamesStayText(t *testing.T) {
	const bad = `"><script>alert(1)</script><img src=x onerror=alert(1)>'`
	s := &deploy.MasterStateResponse{
		Host: bad, Status: bad, RestPort: proto.Int32(1),
		Workers: []*deploy.WorkerInfo{{Id: bad, Host: bad, State: bad, WebUiUrl: "javascript:alert(1)", Resources: []*deploy.ResourceInformation{{Name: bad, Addresses: []string{bad}}}}},
		ActiveApps: []*deploy.ApplicationInfo{{
			Id: bad, Name: bad, User: bad, State: bad, AppUiUrl: "javascript:alert(1)",
			Executors: []*deploy.ExecutorDesc{{WorkerId: bad}}, ResourcesPerExecutor: []*deploy.ResourceRequirement{{Name: bad}},
		}},
		ActiveDrivers:    []*deploy.DriverInfo{{Id: bad, WorkerId: bad, MainClass: bad}},
		CompletedDrivers: []*deploy.DriverInfo{{Id: bad, WorkerId: bad, MainClass: bad, Exception: bad}},
		Failures:         []*deploy.Failure{{Kind: bad, Id: bad, WorkerId: bad, State: bad, Reason: bad}},
		Demands:          []*deploy.Demand{{AppId: bad, Name: bad, Blockers: []*deploy.Blocker{{Reason: bad, Help: bad, WorkerId: bad, Workers: 1}}}},
	}
	h, _ := master(t, s)
	app := "/app/?" + query("appId", bad)
	for _, path := range []string{"/", app, "/app/?" + query("appId", bad+"x")} {
		_, page := webtest.Get(t, h, path)
		if path != "/app/?"+query("appId", bad+"x") {
			harmless(t, path, page)
		}
	}
	_, missing := webtest.Get(t, h, "/app/?"+query("appId", bad+"x"))
	if !strings.HasPrefix(missing, "No running") { // text/plain with nosniff
		t.Error(missing)
	}
	x := &deploy.ExecutorRunner{AppId: bad, Message: bad, AppDesc: &deploy.ApplicationDescription{Name: bad, User: bad, AppUiUrl: "javascript:alert(1)"}}
	w := worker(t, &deploy.WorkerStateResponse{
		WorkerId: bad, Host: bad, MasterUrl: bad, MasterWebUiUrl: "javascript:alert(1)", Executors: []*deploy.ExecutorRunner{x},
		Drivers: []*deploy.DriverRunner{{DriverId: bad, Exception: bad}},
	}, t.TempDir())
	_, page := webtest.Get(t, w, "/")
	harmless(t, "the Worker's page", page)
}

// TestPagesShowWhatANameHolds: a browser would draw a line feed as a blank.
func TestPagesShowWhatANameHolds(t *testing.T) {
	const bad, shown = "x\ny C:\\temp \u202egnp", `x\ny C:\temp \u202egnp`
	h, _ := master(t, &deploy.MasterStateResponse{
		ActiveApps:       []*deploy.ApplicationInfo{{Id: "app-1", Name: bad, User: bad}},
		ActiveDrivers:    []*deploy.DriverInfo{{Id: "driver-1", MainClass: bad}},
		CompletedDrivers: []*deploy.DriverInfo{{Id: "driver-2", MainClass: bad}},
		Demands:          []*deploy.Demand{{AppId: "app-1", Name: bad}},
	})
	w := worker(t, &deploy.WorkerStateResponse{
		Executors: []*deploy.ExecutorRunner{{AppId: "app-1", AppDesc: &deploy.ApplicationDescription{Name: bad, User: bad}}},
		Drivers:   []*deploy.DriverRunner{{DriverId: "driver-1", DriverDesc: &deploy.DriverDescription{Command: &deploy.Command{Arguments: []string{"", "", bad}}}}},
	}, t.TempDir())
	for _, c := range []struct {
		of    http.Handler
		path  string
		times int
	}{{h, "/", 5}, {h, "/app/?appId=app-1", 4}, {w, "/", 3}} {
		_, page := webtest.Get(t, c.of, c.path)
		if n := strings.Count(page, shown); n != c.times || strings.Contains(page, "\u202e") {
			t.Errorf("%s shows it %d times, want %d:\n%s", c.path, n, c.times, page)
		}
	}
}

func harmless(t *testing.T, path, page string) {
	t.Helper()
	if !strings.Contains(page, "&lt;script&gt;") {
		t.Errorf("%s does not show the name", path)
	}
	for _, bad := range []string{"<script", "<img", `href="javascript:`, "onerror=alert(1)>'"} {
		if strings.Contains(page, bad) {
			t.Errorf("%s has %s:\n%s", path, bad, page)
		}
	}
}

func TestAPathThatThereIsNotIs404(t *testing.T) {
	h, _ := master(t, idle())
	for _, path := range []string{"/nosuch", "/json/a/b", "/static/", "/static/master.html", "/metrics/prometheus/"} {
		if code, text := webtest.Get(t, h, path); code != http.StatusNotFound {
			t.Errorf("%s: %d %s", path, code, text)
		}
	}
	if code, text := webtest.Get(t, h, "/static/style.css"); code != http.StatusOK || !strings.Contains(text, "prefers-color-scheme: dark") {
		t.Errorf("%d %s", code, text)
	}
	if code, _ := webtest.Get(t, h, "/json"); code != http.StatusMovedPermanently && code != http.StatusTemporaryRedirect {
		t.Error("/json does not lead to /json/:", code)
	}
}

func TestOtherMethodsAreRefused(t *testing.T) {
	h, b := master(t, idle())
	for _, path := range []string{"/", "/json/", "/app/", "/metrics"} {
		if code, text := webtest.Post(t, h, path, ""); code != http.StatusMethodNotAllowed {
			t.Errorf("POST %s: %d %s", path, code, text)
		}
	}
	for _, path := range []string{"/app/kill/?id=a&terminate=true", "/driver/kill/", "/workers/kill/"} {
		if code, text := webtest.Get(t, h, path); code != http.StatusMethodNotAllowed {
			t.Errorf("GET %s: %d %s", path, code, text)
		}
	}
	if len(b.asked) != 0 {
		t.Errorf("%v", <-b.asked)
	}
}

// TestAnEndpointThatDoesNotAnswerIs503 of a Master that is gone.
func TestAnEndpointThatDoesNotAnswerIs503(t *testing.T) {
	s := webtest.Site(t, nil)
	s.Ref = rpcenv.Ref{Address: s.Env.Address(), Name: "Master"}
	h := MasterPages(s)
	for _, path := range []string{"/", "/json/", "/app/?appId=a", "/metrics/master/json/", "/metrics/master/prometheus/"} {
		code, text := webtest.Get(t, h, path)
		if code != http.StatusServiceUnavailable || !strings.HasPrefix(text, "Master does not answer") {
			t.Errorf("%s: %d %s", path, code, text)
		}
	}
}

// TestMetricsHaveSparksNames in the form of PrometheusServlet, as recorded; the JSON is in TestJSONIsSparks.
func TestMetricsHaveSparksNames(t *testing.T) {
	h, _ := master(t, running())
	_, got := webtest.Get(t, h, "/metrics/master/prometheus/")
	if want := `metrics_master_aliveWorkers_Number{type="gauges"} 1
metrics_master_aliveWorkers_Value{type="gauges"} 1
metrics_master_apps_Number{type="gauges"} 1
metrics_master_apps_Value{type="gauges"} 1
metrics_master_waitingApps_Number{type="gauges"} 0
metrics_master_waitingApps_Value{type="gauges"} 0
metrics_master_workers_Number{type="gauges"} 1
metrics_master_workers_Value{type="gauges"} 1
`; got != want {
		t.Errorf("got\n%s", got)
	}
	_, got = webtest.Get(t, h, "/metrics/applications/prometheus/")
	if want := `metrics_application_Pi__b__1795855723422_cores_Number{type="gauges"} 2
metrics_application_Pi__b__1795855723422_cores_Value{type="gauges"} 2
metrics_application_Pi__b__1795855723422_runtime_ms_Number{type="gauges"} 5791
metrics_application_Pi__b__1795855723422_runtime_ms_Value{type="gauges"} 5791
`; got != want {
		t.Errorf("got\n%s", got)
	}
	_, got = webtest.Get(t, worker(t, workerRunning(), t.TempDir()), "/metrics/prometheus/")
	if want := `metrics_worker_memFree_MB_Value{type="gauges"} 2560
metrics_worker_memUsed_MB_Number{type="gauges"} 1536
metrics_worker_memUsed_MB_Value{type="gauges"} 1536
`; !strings.HasSuffix(got, want) || strings.Count(got, "\n") != 10 {
		t.Errorf("got\n%s", got)
	}
	if _, got = webtest.Get(t, h, "/metrics"); !strings.Contains(got, `coherer_rpc_received_total{endpoint="Books"`) {
		t.Errorf("%.500s", got)
	}
}
