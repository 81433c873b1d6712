package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// word is a word of a command line: in single quotes, or without blanks.
var word = regexp.MustCompile(`'([^']*)'|(\S+)`)

func words(line string) []string {
	var all []string
	for _, m := range word.FindAllStringSubmatch(line, -1) {
		all = append(all, m[1]+m[2])
	}
	return all
}

// ran runs an application. Commands of the test find that run, and its trace in their directory, as a.jsonl and b.jsonl.
func ran(t *testing.T) {
	t.Helper()
	cmd := command(t, "run", "wordcount", "../../README.md")
	if r := finish(t, cmd); r.code != 0 {
		t.Fatal(r.stderr)
	}
	t.Setenv("XDG_STATE_HOME", stateOf(cmd))
	t.Chdir(t.TempDir())
	text, err := os.ReadFile(filepath.Join(stateOf(cmd), "coherer/runs/latest/trace.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, "a.jsonl", string(text))
	write(t, "b.jsonl", string(text))
}

// TestTheExamplesOfTrace runs what the help of each verb shows, and wants it to show something.
func TestTheExamplesOfTrace(t *testing.T) {
	ran(t)
	examples := 0
	var try func(*cobra.Command)
	try = func(c *cobra.Command) {
		for line := range strings.Lines(c.Example) {
			line := strings.TrimSpace(line)
			if line == "" {
				continue
			}
			examples++
			t.Run(line, func(t *testing.T) {
				r := here(t, words(line)[1:]...)
				if r.code != 0 || r.stderr != "" || r.stdout == "" && !strings.Contains(line, " -o run.") {
					t.Errorf("exit code %d: %q, %s", r.code, r.stdout, r.stderr)
				}
				if strings.HasSuffix(line, "-o json") && !json.Valid([]byte(r.stdout)) && !validLines(r.stdout) {
					t.Errorf("no JSON: %.200s", r.stdout)
				}
			})
		}
		for _, sub := range c.Commands() {
			try(sub)
		}
	}
	try(traceCommand(streams{}))
	if examples < 15 {
		t.Errorf("%d examples", examples)
	}
	for _, name := range []string{"run.svg", "run.jsonl"} {
		if info, err := os.Stat(name); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func validLines(text string) bool {
	for line := range strings.Lines(text) {
		if !json.Valid([]byte(line)) {
			return false
		}
	}
	return true
}

func TestTrace(t *testing.T) {
	ran(t)
	look := func(args ...string) result {
		return here(t, append([]string{"trace"}, args...)...)
	}
	beats := look("show", "Worker->Master:Register*", "--not", "Worker2->*:*")
	if lines := strings.Count(beats.stdout, "\n"); beats.code != 0 || lines != 1 || !strings.Contains(beats.stdout, "RegisterWorker id=worker-") {
		t.Errorf("show: %d %q %s", beats.code, beats.stdout, beats.stderr)
	}
	launch := strings.Fields(look("show", "*->Exec:LaunchTask").stdout)
	if len(launch) < 2 {
		t.Fatal("no LaunchTask")
	}
	chain := look("show", "--cause", launch[1])
	if first, _, _ := strings.Cut(chain.stdout, "\n"); chain.code != 0 || !strings.Contains(first, "OnStart") && !strings.Contains(first, "JobSubmitted") ||
		!strings.Contains(chain.stdout, "+0.") {
		t.Errorf("show --cause: %d\n%s%s", chain.code, chain.stdout, chain.stderr)
	}
	text, err := os.ReadFile("a.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	first, rest, _ := strings.Cut(string(text), "\n")
	write(t, "torn.jsonl", string(text[:len(text)-10]))
	write(t, "later.jsonl", strings.Replace(first, "trace/1", "trace/2", 1)+"\n"+rest)
	write(t, "broken.jsonl", first+"\nbroken\n"+rest)
	write(t, "less.jsonl", first+"\n"+strings.Join(without(strings.SplitAfter(rest, "\n"), "RegisterWorker"), ""))
	sim := strings.Replace(first, `"source":"run"`, `"source":"sim"`, 1)
	write(t, "sim1.jsonl", sim+"\n"+rest)
	write(t, "sim2.jsonl", sim+"\n"+strings.Replace(rest, "LaunchTask", "LunchTask", 1))
	for _, c := range []struct {
		args           []string
		code           int
		stdout, stderr string
	}{
		{[]string{"show", "torn.jsonl", "*->*:RegisterApplication"}, 0, "RegisterApplication", "the file is torn"},
		{[]string{"show", "later.jsonl"}, 1, "", `"coherer-trace/2", this program reads "coherer-trace/1"`},
		{[]string{"stats", "broken.jsonl"}, 1, "", "broken.jsonl: trace: not in the form coherer-trace/1: line 2"},
		{[]string{"show", "latset"}, 1, "", "there is no run latset"},
		{[]string{"show", "Worker->Master"}, 2, "", "column 15: want :MESSAGE"},
		{[]string{"show", "latest", "Heartbeat"}, 2, "", "column 10"},
		{[]string{"stats", "Wrker->*:*"}, 2, "", "did you mean Worker?"},
		{[]string{"export", "--not", "*->*:Registerworker"}, 2, "", "did you mean RegisterWorker?"},
		{[]string{"export", "--format", "png"}, 2, "", "want text, jsonl, mermaid or svg"},
		{[]string{"show", "*->*:ReconnectWorker"}, 0, "", "note: none of the "},
		{[]string{"show", "--cause", "Wroker1.2"}, 1, "", "did you mean Worker1.2?"},
		{[]string{"show", "--cause", "Worker1.2", "*->*:*"}, 2, "", "leave out filters"},
		{[]string{"show", "--from", "soon"}, 2, "", "--from"},
		{[]string{"show", "--from", "2s", "--to", "1s"}, 2, "", "--to 1s"},
		{[]string{"show", "-o", "xml"}, 2, "", "text or json"},
		{[]string{"diff", "a.jsonl", "b.jsonl"}, 0, "the same, conversation by conversation", ""},
		{[]string{"diff", "a.jsonl", "less.jsonl"}, 1, "only in A: Worker -> Master [Master] RegisterWorker", ""},
		{[]string{"diff", "sim1.jsonl", "sim2.jsonl"}, 1, "seed 0 does not replay", ""},
		{[]string{"diff", "sim1.jsonl", "a.jsonl", "-o", "json"}, 0, `the source differs: sim in A, run in B`, ""},
		{[]string{"diff", "a.jsonl"}, 2, "", "B is missing: want coherer trace diff A B [flags]"},
		{[]string{"nope"}, 2, "", "want diff, export, follow, show, stats"},
	} {
		r := look(c.args...)
		if r.code != c.code || !strings.Contains(r.stdout, c.stdout) || !strings.Contains(r.stderr, c.stderr) || c.stderr == "" && r.stderr != "" {
			t.Errorf("trace %s: exit code %d, want %d\n%.500s\n%s", strings.Join(c.args, " "), r.code, c.code, r.stdout, r.stderr)
		}
	}
}

func without(lines []string, what string) []string {
	var left []string
	for _, line := range lines {
		if !strings.Contains(line, `"type":"`+what+`"`) {
			left = append(left, line)
		}
	}
	return left
}

// TestFollowOfARun follows a run from its begin to its end: what is shown is what is in the trace afterwards.
func TestFollowOfARun(t *testing.T) {
	t.Parallel()
	running := command(t, "run", "sleep", "--tasks", "2", "--task-time", "300ms")
	stderr, err := running.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := running.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := stderr.Read(make([]byte, 1)); err != nil { // the daemons are ready
		t.Fatal(err)
	}
	follow := command(t, "trace", "follow", "--not", "*->*:Heartbeat")
	follow.Env = running.Env
	followed := make(chan result, 1)
	go func() { followed <- quietly(follow) }()
	buf := make([]byte, 4096)
	for err == nil {
		_, err = stderr.Read(buf)
	}
	if err := running.Wait(); err != nil {
		t.Fatal(err)
	}
	got := <-followed
	shown := command(t, "trace", "show", "--not", "*->*:Heartbeat")
	shown.Env = running.Env
	want := finish(t, shown)
	if got.code != 0 || got.stderr != "" || len(got.stdout) == 0 || strings.Count(got.stdout, "\n") != strings.Count(want.stdout, "\n") {
		t.Errorf("followed: %d %s\n%s\nshown:\n%s", got.code, got.stderr, got.stdout, want.stdout)
	}
}

// quietly is finish for another goroutine than the test's.
func quietly(cmd *exec.Cmd) result {
	var stdout, stderr strings.Builder
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if cmd.ProcessState == nil {
		return result{stderr: err.Error(), code: -1}
	}
	return result{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()}
}
