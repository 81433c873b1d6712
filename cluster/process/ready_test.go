package process_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coherer/coherer/cluster/process"
)

func TestReady(t *testing.T) {
	sp := spec("polite")
	sp.Ready = true
	p, _ := start(t, newStarter(t), sp)
	for range 2 {
		r, err := p.Ready(within(t))
		want := process.Ready{Role: "test", URL: "spark://127.0.0.1:1", PID: p.PID()}
		if err != nil || r != want {
			t.Fatalf("ready %+v, %v; want %+v", r, err, want)
		}
	}
}

func TestReadyStopsWaiting(t *testing.T) {
	sp := spec("family", "plain")
	sp.Ready = true
	p, _ := start(t, newStarter(t), sp)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.Ready(ctx); !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "not ready") {
		t.Errorf("error %v", err)
	}
}

func TestReadyNotAskedFor(t *testing.T) {
	p, exits := start(t, newStarter(t), spec("exit", "0"))
	if _, err := p.Ready(within(t)); err == nil {
		t.Error("no error")
	}
	wantExit(t, exits, 0)
}

func TestNotReady(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "stderr"), "of an earlier run\n", 0o644)
	for _, c := range []struct {
		name string
		spec process.Spec
		want string
	}{
		{"ended", spec("say", "x", "port 7077 is taken", "1"), "x ended with code 1 before it was ready: port 7077 is taken"},
		{"ended without a word", spec("exit", "4"), "4 ended with code 4 before it was ready"},
		{"killed", spec("kill-itself", "9"), "ended with code 137"},
		{"half a line", spec("write-ready", `{"role":"x"`), "ended with code 3"},
		{"garbage", spec("write-ready", "hello\n"), "want one object of JSON"},
		{"empty object", spec("write-ready", "{}\n"), "no role"},
		{"too long", spec("write-ready", "~\n"), "longer than 4096 bytes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			sp := c.spec
			sp.Ready = true
			sp.Stderr = process.Output{Path: filepath.Join(dir, "stderr")}
			p, exits := start(t, newStarter(t), sp)
			_, err := p.Ready(within(t))
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "earlier run") {
				t.Errorf("error %v, want %q", err, c.want)
			}
			<-exits
		})
	}
}

func TestNotReadyButStays(t *testing.T) {
	sp := spec("write-ready", "", "stay")
	sp.Ready = true
	p, exits := start(t, newStarter(t), sp)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.Ready(ctx); !errors.Is(err, context.Canceled) && !strings.Contains(err.Error(), "without a ready line") {
		t.Errorf("error %v", err)
	}
	p.Kill(0)
	if _, err := p.Ready(within(t)); err == nil || !strings.Contains(err.Error(), "ended with code 137") {
		t.Errorf("error %v", err)
	}
	wantExit(t, exits, 137)
}

func TestReportReadyRefuses(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	ok := process.Ready{Role: "master", PID: 1}
	for name, err := range map[string]error{
		"negative":     process.ReportReady(-1, ok),
		"stdin":        process.ReportReady(0, ok),
		"stderr":       process.ReportReady(2, ok),
		"closed":       process.ReportReady(99999, ok),
		"for reading":  process.ReportReady(int(r.Fd()), ok),
		"a line of MB": process.ReportReady(int(w.Fd()), process.Ready{Role: strings.Repeat("x", 1<<20)}),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
