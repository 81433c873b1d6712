package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// restServer answers as a Master's REST server does, and keeps the requests.
func restServer(t *testing.T) (master string, asked *[]string) {
	t.Helper()
	asked = &[]string{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		*asked = append(*asked, r.Method+" "+r.URL.Path+" "+string(body))
		answer := map[string]any{"serverSparkVersion": "4.1.4", "success": true, "submissionId": "driver-20261128084732-0009"}
		switch _, what, _ := strings.Cut(r.URL.Path, "/v1/submissions/"); {
		case what == "readyz":
			return
		case what == "create":
			answer["action"] = "CreateSubmissionResponse"
		case strings.HasPrefix(what, "status/"):
			answer["action"], answer["driverState"], answer["workerId"], answer["workerHostPort"] = "SubmissionStatusResponse", "RUNNING", "worker-1", "h:1"
		case strings.HasPrefix(what, "kill/"):
			answer["action"], answer["message"] = "KillSubmissionResponse", "Kill request for it submitted"
		}
		if err := json.NewEncoder(w).Encode(answer); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(s.Close)
	return "spark://" + strings.TrimPrefix(s.URL, "http://"), asked
}

func TestSubmitByREST(t *testing.T) {
	master, asked := restServer(t)
	rest := []string{"submit", "--master", master, "--conf", "spark.master.rest.enabled=true"}
	cmd := command(t, append(rest, "--deploy-mode", "cluster", "--supervise", "/x/prog", "a b")...)
	cmd.Env = append(cmd.Env, "SPARK_MINE=1", "SPARK_HOME=/s")
	got := finish(t, cmd)
	if got.code != 0 || got.stdout != "State of driver driver-20261128084732-0009 is now RUNNING.\n" || !strings.Contains(got.stderr, "Submission successfully created as driver-20261128084732-0009") {
		t.Errorf("%+v", got)
	}
	var q struct {
		AppResource, MainClass string
		AppArgs                []string
		SparkProperties        map[string]string
		EnvironmentVariables   map[string]string
	}
	_, body, _ := strings.Cut((*asked)[1], "/create ")
	if err := json.Unmarshal([]byte(body), &q); err != nil {
		t.Fatalf("%v: %q", err, *asked)
	}
	if q.AppResource != "file:/x/prog" || q.MainClass != "prog" || len(q.AppArgs) != 1 || q.AppArgs[0] != "a b" ||
		q.SparkProperties["spark.driver.supervise"] != "true" || q.SparkProperties["spark.app.name"] != "prog" || len(q.EnvironmentVariables) != 1 || q.EnvironmentVariables["SPARK_MINE"] != "1" {
		t.Errorf("%+v", q)
	}
	got = here(t, append(rest, "--status", "driver-1", "-o", "json")...)
	if got.code != 0 || !strings.Contains(got.stdout, `"driverState": "RUNNING"`) {
		t.Errorf("%+v", got)
	}
	got = here(t, append(rest, "--kill", "driver-1")...)
	if got.code != 0 || !strings.Contains(got.stderr, "Kill request for it submitted") || !strings.HasPrefix((*asked)[len(*asked)-1], "POST /v1/submissions/kill/driver-1") {
		t.Errorf("%+v", got)
	}
	got = here(t, "submit", "--master", "yarn", "--kill", "driver-1")
	if got.code != exitUsage || !strings.Contains(got.stderr, "is no application id") {
		t.Errorf("%+v", got)
	}
}

// TestSubmitFallsBackToRPC: without a REST server submit tries the legacy gateway, and reports the error of that.
func TestSubmitFallsBackToRPC(t *testing.T) {
	got := finish(t, command(t, "submit", "--master", "spark://127.0.0.1:1", "--conf", "spark.master.rest.enabled=true", "--deploy-mode", "cluster", "/x/prog"))
	if got.code == 0 || !strings.Contains(got.stderr, "was not a REST server. Falling back to legacy submission gateway instead.") {
		t.Errorf("%+v", got)
	}
}

// TestSubmitBringsTheToken: our own REST server serves only clients with the file of its token.
func TestSubmitBringsTheToken(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte("a token of many bytes\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	withToken := []string{"--conf", "coherer.rest.tokenFile=" + file, "--conf", "spark.master.rest.enabled=true"}
	log := &lines{to: t.Output()}
	daemonTo(t, log, nil, append([]string{"master", "--port", "0", "--conf", "coherer.gossip.port=0", "--conf", "spark.master.rest.port=0"}, withToken...)...)
	log.until(t, "with port ")
	log.mu.Lock()
	port := regexp.MustCompile(`REST server .* with port (\d+)`).FindStringSubmatch(log.text.String())
	log.mu.Unlock()
	if port == nil {
		t.Fatal("the log names no port of the REST server")
	}
	for want, settings := range map[string][]string{
		"the driver is not known there": withToken, "This server wants a token": {"--conf", "spark.master.rest.enabled=true"},
	} {
		got := finish(t, command(t, append([]string{"submit", "--master", "spark://127.0.0.1:" + port[1], "--status", "driver-1"}, settings...)...))
		if got.code != exitFailed || !strings.Contains(got.stderr, want) {
			t.Errorf("%v: %+v, want %q", settings, got, want)
		}
	}
}
