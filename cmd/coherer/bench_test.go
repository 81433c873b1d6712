package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/coherer/coherer/bench"
)

func TestBenchJSON(t *testing.T) {
	for _, mode := range []string{"local-tell", "remote-ask"} {
		cmd := command(t, "bench", mode, "--duration", "50ms", "--trials", "2", "--rivals", "none", "-o", "json")
		got := finish(t, cmd)
		if got.code != 0 {
			t.Fatalf("exit code %d: %s", got.code, got.stderr)
		}
		var fields map[string]any
		if err := json.Unmarshal([]byte(got.stdout), &fields); err != nil {
			t.Fatal(err)
		}
		hasAll(t, mode, fields, map[string]any{
			"environment": map[string]any{"cpu": "", "cores": 0., "gomaxprocs": 0., "go": "", "os": "", "commit": "", "load": "", "record": ""},
			"case":        "", "size_bytes": 0., "in_flight": 0., "duration_ns": 0., "trials": 0.,
			"contenders": []any{map[string]any{
				"name": "", "median_per_second": 0., "min_per_second": 0., "max_per_second": 0., "coherer_ratio": 0.,
				"bytes_per_second": 0., "allocs_per_message": 0., "cpu_ns_per_message": 0.,
				"trials": []any{map[string]any{
					"sent": 0., "received": 0., "bytes": 0., "elapsed_ns": 0., "per_second": 0., "allocs_per_message": 0., "cpu_ns_per_message": 0.,
				}},
				"latency": map[string]any{"samples": 0., "p50_ns": 0., "p90_ns": 0., "p99_ns": 0., "p999_ns": 0., "max_ns": 0.},
			}},
			"missing": []any{map[string]any{"name": "", "why": ""}},
		})
		var r bench.Report
		if err := json.Unmarshal([]byte(got.stdout), &r); err != nil {
			t.Fatal(err)
		}
		if len(r.Contenders) != 2 || len(r.Contenders[1].Trials) != 2 || r.Size != 76 || r.InFlight != 64 {
			t.Errorf("%+v", r)
		}
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
		if len(list) == 0 {
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
	cmd := command(t, "bench", "remote-tell", "--size", "1KiB", "--duration", "50ms", "--trials", "1")
	cmd.Dir = t.TempDir()
	got := finish(t, cmd)
	if got.code != 0 {
		t.Fatalf("exit code %d: %s", got.code, got.stderr)
	}
	lines := strings.Split(got.stdout, "\n")
	if len(lines) < 6 || !strings.Contains(lines[0], "GOMAXPROCS") || !strings.Contains(lines[0], "recording off") ||
		!strings.HasPrefix(lines[1], "remote-tell 1KiB, 64 in flight: coherer ") || !strings.Contains(lines[1], " of raw-tcp") {
		t.Errorf("it begins with:\n%s", got.stdout)
	}
	for _, want := range []string{"p99.9", "raw-tcp", "protoactor was not measured: its program is not here: name it with --rivals"} {
		if !strings.Contains(got.stdout, want) {
			t.Errorf("%q is not in:\n%s", want, got.stdout)
		}
	}
}

// Ctrl-C ends the bench and the processes that it measures: finish waits for all that hold its outputs, and for their
// files here.
func TestBenchIsInterrupted(t *testing.T) {
	tmp := t.TempDir()
	cmd := command(t, "bench", "remote-ask", "--duration", "50ms", "--trials", "1000", "--rivals", "none")
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
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != exitSignalled+int(syscall.SIGINT) {
		t.Errorf("exit code %d: %v", cmd.ProcessState.ExitCode(), err)
	}
	left, err := filepath.Glob(filepath.Join(tmp, "*"))
	if err != nil || len(left) > 0 {
		t.Error("files left:", left, err)
	}
	if running := withTMPDIR(t, tmp); len(running) > 0 {
		t.Error("processes left:", running)
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
