package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/coherer/coherer/bench"
)

func TestBenchJSON(t *testing.T) {
	t.Parallel()
	cmd := command(t, "bench", "local-tell,remote-ask", "--in-flight", "64,1", "--duration", "50ms", "--trials", "2", "--rivals", "none", "-o", "json")
	got := finish(t, cmd)
	if got.code != 0 {
		t.Fatalf("exit code %d: %s", got.code, got.stderr)
	}
	var fields map[string]any
	if err := json.Unmarshal([]byte(got.stdout), &fields); err != nil {
		t.Fatal(err)
	}
	latency := map[string]any{"samples": 0., "p50_ns": 0., "p90_ns": 0., "p99_ns": 0., "p999_ns": 0., "max_ns": 0.}
	hasAll(t, "report", fields, map[string]any{
		"format":      "",
		"environment": map[string]any{"cpu": "", "cores": 0., "gomaxprocs": 0., "go": "", "os": "", "commit": "", "load": "", "record": ""},
		"cells": []any{map[string]any{
			"case": "", "size_bytes": 0., "in_flight": 0., "pairs": 0., "rate_per_second": 0., "duration_ns": 0., "trials": 0.,
			"contenders": []any{map[string]any{
				"name": "", "median_per_second": 0., "min_per_second": 0., "max_per_second": 0., "coherer_ratio": 0.,
				"bytes_per_second": 0., "allocs_per_message": 0., "cpu_ns_per_message": 0.,
				"trials": []any{map[string]any{
					"sent": 0., "received": 0., "bytes": 0., "elapsed_ns": 0., "per_second": 0., "allocs_per_message": 0., "cpu_ns_per_message": 0.,
					"latency": latency,
				}},
				"latency": latency, "histogram": "",
			}},
			"missing": []any{},
		}},
		"missing": []any{map[string]any{"name": "", "why": ""}},
	})
	var r bench.Report
	if err := json.Unmarshal([]byte(got.stdout), &r); err != nil {
		t.Fatal(err)
	}
	var cells []string
	for _, c := range r.Cells {
		cells = append(cells, fmt.Sprint(c.Case, " ", c.Size, c.InFlight, c.Pairs, len(c.Contenders), len(c.Contenders[1].Trials)))
	}
	if want := "[local-tell 76 64 1 2 2 local-tell 76 1 1 2 2 remote-ask 76 64 1 3 2 remote-ask 76 1 1 3 2]"; fmt.Sprint(cells) != want || r.Environment.Record != "ring" {
		t.Errorf("%s, recording %s", cells, r.Environment.Record)
	}
}

// hasAll wants the fields of the example, with values of its types, and no others.
func hasAll(t *testing.T, at string, got, want any) {
	t.Helper()
	switch want := want.(type) {
	case map[string]any:
		fields, _ := got.(map[string]any)
		if len(fields) != len(want) {
			t.Errorf("%s has %d fields, want %d: %v", at, len(fields), len(want), fields)
		}
		for name, example := range want {
			hasAll(t, at+"."+name, fields[name], example)
		}
	case []any:
		list, _ := got.([]any)
		if len(list) == 0 && len(want) > 0 {
			t.Errorf("%s is empty", at)
		}
		for _, element := range list {
			hasAll(t, at+"[]", element, want[0])
		}
	case string:
		if _, ok := got.(string); !ok {
			t.Errorf("%s: %v is no text", at, got)
		}
	case float64:
		if _, ok := got.(float64); !ok {
			t.Errorf("%s: %v is no number", at, got)
		}
	}
}

func TestBenchText(t *testing.T) {
	t.Parallel()
	cmd := command(t, "bench", "remote-tell", "--size", "1KiB", "--duration", "50ms", "--trials", "1")
	cmd.Dir = t.TempDir()
	got := finish(t, cmd)
	if got.code != 0 {
		t.Fatalf("exit code %d: %s", got.code, got.stderr)
	}
	lines := strings.Split(got.stdout, "\n")
	if len(lines) < 6 || !strings.Contains(lines[0], "GOMAXPROCS") || !strings.Contains(lines[0], "recording ring") ||
		!strings.HasPrefix(lines[2], "remote-tell 1KiB, 64 in flight: coherer ") || !strings.Contains(lines[2], " of raw-tcp") {
		t.Errorf("it begins with:\n%s", got.stdout)
	}
	for _, want := range []string{"p99.9", "raw-tcp", "bench/rivals was not measured: its program is not here: name it with --rivals"} {
		if !strings.Contains(got.stdout, want) {
			t.Errorf("%q is not in:\n%s", want, got.stdout)
		}
	}
}

// The file has the report in the form that -o names, stdout the text; a file that cannot be is said before anything is measured.
func TestBenchWritesAFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "ask.csv")
	args := []string{"bench", "local-ask", "--duration", "50ms", "--trials", "1", "--contenders", "coherer", "-o", "csv", "--out", file}
	got := finish(t, command(t, args...))
	text, err := os.ReadFile(file)
	if got.code != 0 || err != nil || !strings.HasPrefix(string(text), "case,size_bytes,") || strings.Count(string(text), "\n") != 2 {
		t.Errorf("%d %s, %v:\n%s", got.code, got.stderr, err, text)
	}
	if !strings.Contains(got.stdout, "\nlocal-ask 76B, 64 in flight: coherer ") {
		t.Errorf("stdout:\n%s", got.stdout)
	}
	got = finish(t, command(t, "bench", "local-ask", "--duration", "1h", "--out", filepath.Join(dir, "no", "such")))
	if got.code != exitUsage || !strings.Contains(got.stderr, "--out: ") || got.stdout != "" {
		t.Errorf("%d %s", got.code, got.stderr)
	}
}

// A baseline that is far ahead fails the command when a limit says so, after the report is out; one that does not fit is usage.
func TestBenchAgainstABaseline(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "base.json")
	measured := func(more ...string) result {
		args := append([]string{"bench", "local-ask", "--duration", "50ms", "--trials", "4", "--contenders", "coherer"}, more...)
		return finish(t, command(t, args...))
	}
	if got := measured("-o", "json", "--out", file); got.code != 0 {
		t.Fatalf("exit code %d: %s", got.code, got.stderr)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var base bench.Report
	if err := json.Unmarshal(text, &base); err != nil {
		t.Fatal(err)
	}
	for i := range base.Cells[0].Contenders[0].Trials {
		base.Cells[0].Contenders[0].Trials[i].Rate *= 100
	}
	if text, err = json.Marshal(&base); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		limit string
		code  int
	}{{"worse>50%", exitFailed}, {"worse>99.99%", 0}} {
		got := measured("--baseline", file, "--fail-if", c.limit)
		if got.code != c.code || !strings.Contains(got.stdout, "% worse") || (c.code != 0) != strings.Contains(got.stderr, "rate is worse than in "+file) {
			t.Errorf("%s: exit code %d: %s\n%s", c.limit, got.code, got.stderr, got.stdout)
		}
	}
	if got := measured("--baseline", file, "--fail-if", "worse", "--trials", "3"); got.code != exitUsage || !strings.Contains(got.stderr, "there are 3: measure both with --trials 5") {
		t.Errorf("a gate of three trials: exit code %d: %s", got.code, got.stderr)
	}
	if got := measured("--baseline", file, "--in-flight", "1"); got.code != exitUsage || !strings.Contains(got.stderr, "it has no cell local-ask 76B, 1 in flight") {
		t.Errorf("exit code %d: %s", got.code, got.stderr)
	}
}

// A sweep's report can be plotted; the SVG is in the file, whole.
func TestBenchSweepAndPlot(t *testing.T) {
	dir := t.TempDir()
	file, drawing := filepath.Join(dir, "sweep.json"), filepath.Join(dir, "sweep.svg")
	got := finish(t, command(t, "bench", "sweep", "local-ask", "--duration", "10ms", "--trials", "1", "-o", "json", "--out", file))
	if got.code != 0 || !strings.Contains(got.stdout, "<- knee") {
		t.Fatalf("exit code %d: %s\n%s", got.code, got.stderr, got.stdout)
	}
	if got := finish(t, command(t, "bench", "plot", file, "--out", drawing)); got.code != 0 || got.stdout != "" {
		t.Fatalf("exit code %d: %s", got.code, got.stderr)
	}
	text, err := os.ReadFile(drawing)
	if err != nil || !strings.HasPrefix(string(text), "<svg ") || !strings.HasSuffix(string(text), "</svg>\n") || !strings.Contains(string(text), "local-ask 76B") {
		t.Errorf("%v:\n%.300s", err, text)
	}
	if got := finish(t, command(t, "bench", "plot", file)); got.code != 0 || got.stdout != string(text) {
		t.Errorf("exit code %d: %s", got.code, got.stderr)
	}
}

// A server has the receiving sides of another command, says what it starts, and ends well by Ctrl-C.
func TestBenchServeAndConnect(t *testing.T) {
	t.Parallel()
	server := command(t, "bench", "serve", "--listen", "127.0.0.1:0", "--rivals", "none")
	said, err := server.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(said)
	address := ""
	for found := false; !found && lines.Scan(); {
		address, found = strings.CutPrefix(lines.Text(), "serving at ")
	}
	got := finish(t, command(t, "bench", "remote-ask", "--connect", address, "--duration", "50ms", "--trials", "1", "--contenders", "coherer"))
	if got.code != 0 || !strings.Contains(got.stdout, "receiving sides at "+address+": ") {
		t.Errorf("exit code %d: %s\n%s", got.code, got.stderr, got.stdout)
	}
	if !lines.Scan() || !strings.HasSuffix(lines.Text(), ": starting the receiving side of coherer") {
		t.Errorf("it says %q", lines.Text())
	}
	if err := server.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	for lines.Scan() { // to the end, before Wait closes the pipe
		continue
	}
	if err := server.Wait(); err != nil {
		t.Error(err)
	}
}

// Without a case it measures the default report, at two depths.
func TestBenchWithoutACase(t *testing.T) {
	t.Parallel()
	got := finish(t, command(t, "bench", "--duration", "50ms", "--trials", "1", "--contenders", "coherer"))
	if got.code != 0 {
		t.Fatalf("exit code %d: %s", got.code, got.stderr)
	}
	for _, c := range reportCases {
		for _, depth := range reportInFlight {
			if want := fmt.Sprintf("\n%s 76B, %d in flight: coherer ", c, depth); c.Windowed() && !strings.Contains(got.stdout, want) {
				t.Errorf("%q is not in:\n%s", want, got.stdout)
			}
		}
	}
}

// Ctrl-C and SIGTERM end a bench or a sweep and the processes that it measures: finish waits for all that hold its outputs, and for
// their files here.
func TestBenchIsInterrupted(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args   string
		signal syscall.Signal
	}{
		{"bench remote-ask --trials 1000", syscall.SIGINT},
		{"bench sweep remote-ask --trials 1000", syscall.SIGTERM},
		{"bench sweep remote-tell --trials 1000 --by rate", syscall.SIGINT},
	} {
		t.Run(c.args, func(t *testing.T) {
			tmp, out := t.TempDir(), t.TempDir()
			cmd := command(t, append(strings.Fields(c.args), "--duration", "50ms", "--rivals", "none", "--out", filepath.Join(out, "report"))...)
			cmd.Env = append(cmd.Env, "TMPDIR="+tmp)
			progress, err := cmd.StderrPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			if _, err := progress.Read(make([]byte, 1)); err != nil { // the line of its first trial
				t.Fatal(err)
			}
			if err := cmd.Process.Signal(c.signal); err != nil {
				t.Fatal(err)
			}
			if err := cmd.Wait(); cmd.ProcessState.ExitCode() != exitSignalled+int(c.signal) {
				t.Errorf("exit code %d: %v", cmd.ProcessState.ExitCode(), err)
			}
			left, err := filepath.Glob(filepath.Join(tmp, "*"))
			if err != nil || len(left) > 0 {
				t.Error("files left:", left, err)
			}
			if left, err := filepath.Glob(filepath.Join(out, ".*")); err != nil || len(left) > 0 {
				t.Error("files left beside the report:", left, err)
			}
			if running := withTMPDIR(t, tmp); len(running) > 0 {
				t.Error("processes left:", running)
			}
		})
	}
}

// withTMPDIR are the processes, where the system shows them, whose environment has that TMPDIR.
func withTMPDIR(t *testing.T, dir string) (pids []string) {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, _ := os.ReadFile(file) // it may have ended, or be another user's
		if strings.Contains(string(text), "TMPDIR="+dir+"\x00") {
			pids = append(pids, file)
		}
	}
	return pids
}
