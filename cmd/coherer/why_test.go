package main

import (
	"bufio"
	"encoding/json"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/coherer/coherer/actors/ids"
	"github.com/coherer/coherer/messages/deploy"
	"github.com/coherer/coherer/messages/yarn"
)

var appID = regexp.MustCompile(`app-\d{14}-\d{4}`)

// waiting submits an application and returns its id once all of words stood in its stderr, in their order. The application ends
// with the test.
func waiting(t *testing.T, words []string, args ...string) string {
	t.Helper()
	cmd := command(t, append([]string{"submit"}, args...)...)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(stderr)
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM) // it may have ended
		for lines.Scan() {                      // until it has
		}
		_ = cmd.Wait()
	})
	id, seen := "", ""
	for lines.Scan() {
		seen += lines.Text() + "\n"
		if id == "" {
			id = appID.FindString(lines.Text())
		}
		if len(words) > 0 && strings.Contains(lines.Text(), words[0]) {
			words = words[1:]
		}
		if id != "" && len(words) == 0 {
			return id
		}
	}
	t.Fatalf("it ended:\n%s", seen)
	return ""
}

// Scenario 12: four applications that get no executor, for four reasons.
func TestWhyApp(t *testing.T) {
	t.Parallel()
	_, master := daemon(t, "master", "--port", "0", "--conf", "coherer.gossip.port=0")
	_, _ = daemon(t, "worker", master.URL, "--cores", "1", "--memory", "512m", "--work-dir", t.TempDir())
	why := func(id string, want ...string) {
		t.Helper()
		r := here(t, "why", "app", id, "--master", master.URL)
		for _, w := range want {
			if r.code != 0 || !strings.Contains(r.stdout, w) {
				t.Errorf("%d, %q is not in\n%s%s", r.code, w, r.stdout, r.stderr)
			}
		}
	}
	submit := func(words []string, args ...string) string {
		t.Helper()
		return waiting(t, words, append(append([]string{"--master", master.URL}, args...), "sleep", "--tasks", "1", "--task-time", "1h")...)
	}
	big := submit(nil, "--executor-memory", "4g")
	why(big, "workers: an executor wants 1 core and 4096 MiB of memory: none of 1 ALIVE workers has that", "lower spark.executor.memory to 512m")

	lost := submit([]string{"removed"}, "--executor-memory", "512m", "--conf", "spark.driver.host=127.0.0.77", "--conf", "spark.driver.bindAddress=127.0.0.1")
	why(lost, "address: ", "code 61", "has ended.", "it is over: FAILED at ", "could not reach the driver at spark://CoarseGrainedScheduler@127.0.0.77:", "set spark.driver.host")

	r := here(t, "why", "app", big, "--master", master.URL, "-o", "json")
	var got whyJSON
	if err := json.Unmarshal([]byte(r.stdout), &got); err != nil || got.App != big || len(got.Workers) != 1 || got.Workers[0].Filter != "memory" {
		t.Errorf("%v: %+v\n%s", err, got, r.stdout)
	}
	if r := here(t, "why", "app", big+"0", "--master", master.URL); r.code != exitFailed || !strings.Contains(r.stderr, "did you mean "+big+"?") {
		t.Errorf("%d %s", r.code, r.stderr)
	}
}

func TestWhyAnotherApplicationHolds(t *testing.T) {
	t.Parallel()
	_, master := daemon(t, "master", "--port", "0", "--conf", "coherer.gossip.port=0")
	_, _ = daemon(t, "worker", master.URL, "--cores", "1", "--memory", "1g", "--work-dir", t.TempDir())
	args := []string{"--master", master.URL, "--executor-memory", "512m", "sleep", "--tasks", "2", "--task-time", "1h"}
	first := waiting(t, nil, args...)
	second := waiting(t, nil, args...)
	r := here(t, "why", "app", second, "--master", master.URL)
	if want := "other applications came first: " + first + " has 1 core and 512 MiB of memory"; r.code != 0 || !strings.Contains(r.stdout, want) {
		t.Errorf("%d, %q is not in\n%s%s", r.code, want, r.stdout, r.stderr)
	}
	whyItsTasksWait(t, master.URL, first, second)
}

// whyItsTasksWait asks the drivers of two applications: one with the only executor, which runs one of its two tasks, and one with
// none.
func whyItsTasksWait(t *testing.T, master, first, second string) {
	t.Helper()
	why := func(what ...string) result {
		return here(t, append(append([]string{"why"}, what...), "--master", master)...)
	}
	r := why("stage", "0", "--app", first)
	for strings.Contains(r.stdout, ", 0 running") { // its executor starts
		r = why("stage", "0", "--app", first)
	}
	says := func(r result, want ...string) {
		t.Helper()
		for _, w := range want {
			if r.code != 0 || !strings.Contains(r.stdout, w) {
				t.Errorf("%d, %q is not in\n%s%s", r.code, w, r.stdout, r.stderr)
			}
		}
	}
	says(r, first+": 1 executors take tasks; 0 of their 1 cores are free\n", "stage 0.0 of job 0: 2 tasks, 0 done, 1 running, 1 wait\n",
		"cores: no executor that may take them has a core free: 1 tasks of this stage run, 0 of others\n")
	says(why("app", first), "\nIts driver, of "+first+": ", "stage 0.0 of job 0: 2 tasks, 0 done, 1 running, 1 wait\n")
	says(why("task", "0/1", "--app", first), "task 1 (partition 1): waiting, 0 failures that count\n")
	says(why("task", "0", "--app", first), "task 0 (partition 0): running", "attempt 0 (TID 0) ")
	says(why("task", "0/1", "--app", second), "executors: no executor takes tasks", "coherer why app "+second)
	if r := why("stage", "0"); r.code != exitUsage || !strings.Contains(r.stderr, "several applications run: name one by --app: ") {
		t.Errorf("%d %s", r.code, r.stderr)
	}
	if r := why("stage", "7", "--app", first); r.code != exitFailed || !strings.Contains(r.stderr, "no task set of 7 is in the driver of "+first) {
		t.Errorf("%d %s", r.code, r.stderr)
	}
	if r := why("task", "0/9", "--app", first); r.code != exitFailed || !strings.Contains(r.stderr, "stage 0 has no task 9: its newest attempt has 2, from 0") {
		t.Errorf("%d %s", r.code, r.stderr)
	}
	if r := why("stage", "0", "--app", first, "-o", "json"); r.code != 0 || !strings.Contains(r.stdout, `"waiting": 1`) && !strings.Contains(r.stdout, `"waiting":1`) {
		t.Errorf("%d %s%s", r.code, r.stdout, r.stderr)
	}
	if r := why("task", "one"); r.code != exitUsage || !strings.Contains(r.stderr, `"one" is no task: want its TID`) {
		t.Errorf("%d %s", r.code, r.stderr)
	}
}

// The answer about an ended application has no words of waiting.
func TestWhyOfWhatHasEnded(t *testing.T) {
	got := whyText(&deploy.Refusals{
		AppId: "app-1", Name: "pi", State: "FINISHED", CoresMax: noMaximum,
		Profiles:    []*deploy.ProfileNeed{{Profile: &deploy.ResourceProfile{ExecutorMemoryMb: 512}, Total: 2}},
		Application: []*deploy.Refusal{{Filter: "ended", Reason: "it is over: FINISHED at noon", Help: "nothing"}},
	})
	if want := "app-1 (pi) has ended.\n\nended: it is over: FINISHED at noon\n  would help: nothing\n"; got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

func TestWhyStaysInItsLines(t *testing.T) {
	got := whyText(&deploy.Refusals{
		AppId: "app-1", Name: "x\ny", State: "WAITING", CoresMax: noMaximum,
		Application: []*deploy.Refusal{{Filter: "user", Reason: "C:\\temp\\new\x1b", Help: "a\tb"}},
		Workers:     []*deploy.Refusal{{WorkerId: "w\n", Filter: "memory", Reason: "r\r", Help: "h"}},
	})
	for _, want := range []string{`app-1 (x\ny) is WAITING`, `user: C:\temp\new\x1b` + "\n", `would help: a\tb`, `  w\n  memory: r\r` + "\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("%s\nis not in\n%s", want, got)
		}
	}
	onYARN := whyYARNText(ids.Application{Timestamp: 1, ID: 2}, &yarn.ApplicationRefusals{Name: "x\ny", Queue: "root.\t", State: "ACCEPTED"})
	if want := `application_1_0002 (x\ny) is ACCEPTED; queue root.\t;`; !strings.HasPrefix(onYARN, want) {
		t.Errorf("%s\nwant\n%s", onYARN, want)
	}
}
