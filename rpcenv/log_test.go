package rpcenv_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coherer/coherer/rpcenv"
)

// stderr is what is written to it while f runs.
func stderr(t *testing.T, f func()) string {
	t.Helper()
	file, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
	if err != nil {
		t.Fatal(err)
	}
	before := os.Stderr
	os.Stderr = file
	defer func() { os.Stderr = before }()
	f()
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(file.Name())
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// Failures in an Env are seen, also by users that gave it no log.
func TestAnEnvWithoutALogWritesWarningsToStderr(t *testing.T) {
	for what, test := range map[string]struct {
		handle func(c *rpcenv.Context, m rpcenv.Message)
		want   []string
	}{
		"a panic": {
			func(*rpcenv.Context, rpcenv.Message) { panic("boom") },
			[]string{"level=error", "Ignoring error in google.protobuf.Int32Value: panic: boom", "endpoint=E", "env=A", "log_test.go:"},
		},
		"a message that it has no handler for": {
			func(c *rpcenv.Context, m rpcenv.Message) { c.Unsupported(m) },
			[]string{"level=error", "Unsupported message google.protobuf.Int32Value from", "endpoint=E", "env=A"},
		},
		"a warning of the endpoint": {
			func(c *rpcenv.Context, _ rpcenv.Message) { c.Log().Warn("careful") },
			[]string{"level=warning", "careful", "endpoint=E", "env=A"},
		},
		"information": {func(c *rpcenv.Context, _ rpcenv.Message) { c.Log().Info("all is well") }, nil},
	} {
		t.Run(what, func(t *testing.T) {
			send := func(log bool) string {
				return stderr(t, func() {
					w := inSim(t)
					cfg := rpcenv.Config{Name: "A", Listen: rpcenv.Address{Host: "10.0.0.1"}}
					if !log {
						cfg.Log = rpcenv.NoLog()
					}
					e := w.makeAt(cfg, "10.0.0.1")
					ref := w.register(e, "E", &endpoint{receive: test.handle})
					if err := e.Send(ref, num(1)); err != nil {
						t.Error(err)
					}
					w.quiet()
				})
			}
			got := send(true)
			for _, want := range test.want {
				if !strings.Contains(got, want) {
					t.Errorf("stderr has %q, want %q", got, want)
				}
			}
			if test.want == nil && got != "" {
				t.Errorf("stderr has %q", got)
			}
			if got := send(false); got != "" {
				t.Errorf("an Env of NoLog wrote %q", got)
			}
		})
	}
}
