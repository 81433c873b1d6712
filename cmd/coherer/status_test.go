package main

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
)

// TestStatus of a cluster of processes: by its Master, by its gossip, as JSON; and of none.
func TestStatus(t *testing.T) {
	t.Parallel()
	_, master := daemon(t, "master", "--port", "0", "--webui-port", "0", "--conf", "coherer.gossip.port=0")
	_, _ = daemon(t, "worker", "--join", master.Gossip, "--webui-port", "0", "--cores", "3", "--memory", "1g", "--work-dir", t.TempDir())
	const says = "cores 0 of 3 used; memory 0 MiB of 1024 MiB used"
	// The Worker is ready when it listens, not when it is registered: a job of one core is.
	if r := finish(t, command(t, "submit", "--master", master.URL, "--executor-memory", "512m", "sleep", "--tasks", "1", "--task-time", "1ms")); r.code != 0 {
		t.Fatal(r.stderr)
	}
	for _, where := range [][]string{{"--master", master.URL}, {"--join", master.Gossip}} {
		r := here(t, append([]string{"status"}, where...)...)
		if r.code != 0 || !strings.Contains(r.stdout, "Master "+master.URL+" is ALIVE, its pages are at http://127.0.0.1:") || !strings.Contains(r.stdout, says) {
			t.Errorf("%s: %d %s %s", where, r.code, r.stdout, r.stderr)
		}
	}
	var shown struct {
		Masters []struct {
			URL   string
			State struct {
				WebUIURL string `json:"webUiUrl"`
				Workers  []struct{ Cores int }
			}
		}
	}
	r := here(t, "status", "--master", master.URL, "-o", "json")
	if err := json.Unmarshal([]byte(r.stdout), &shown); err != nil || len(shown.Masters) != 1 || len(shown.Masters[0].State.Workers) != 1 || shown.Masters[0].State.Workers[0].Cores != 3 {
		t.Errorf("%v %s", err, r.stdout)
	}
	if ui := shown.Masters[0].State.WebUIURL; ui != master.UI {
		t.Errorf("its pages are at %q, the ready line says %q", ui, master.UI)
	}
	res, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(must(http.NewRequestWithContext(t.Context(), http.MethodGet, master.UI+"/json/aliveworkers", nil)))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if text, err := io.ReadAll(res.Body); err != nil || string(text) != "{\n  \"aliveworkers\" : 1\n}" {
		t.Errorf("%v %s", err, text)
	}
	r = here(t, "status", "--master", "spark://127.0.0.1:1")
	if r.code != 1 || !strings.Contains(r.stderr, "no Master answers: spark://127.0.0.1:1: ") {
		t.Errorf("%d %s", r.code, r.stderr)
	}
}

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}
