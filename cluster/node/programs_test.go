package node

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/coherer/coherer/cluster/process"
	"github.com/coherer/coherer/rpcenv"
	"github.com/coherer/coherer/rpcenv/transport"
)

// fetching is a body that may fetch.
func fetching(t *testing.T, ctx context.Context) *rpcenv.Blocking { //nolint:revive // a test's context comes second
	t.Helper()
	host := transport.New(transport.Options{})
	env, err := rpcenv.New(host, rpcenv.Config{Name: "test"})
	if err != nil {
		t.Fatal(err)
	}
	b := env.Blocking(ctx)
	t.Cleanup(func() {
		b.Close()
		env.Close()
		if err := host.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

// serve serves this test's own program as /prog, a text as /text, and never the end of /slow.
func serve(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/prog", func(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, self) })
	mux.HandleFunc("/text", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("#!/bin/sh\n")) })
	mux.HandleFunc("/endless", func(w http.ResponseWriter, _ *http.Request) {
		for range 100 {
			if _, err := w.Write(make([]byte, 1024)); err != nil {
				return
			}
			w.(http.Flusher).Flush() // so that the header has no length
		}
	})
	mux.HandleFunc("/slow", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s.URL
}

func TestProgramsAreFoundOrFetched(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	at, b := serve(t), fetching(t, t.Context())
	dir := filepath.Join(t.TempDir(), "driver-1")
	for name, want := range map[string]string{
		"spark-internal": self, self: self, "file:" + self: self, "file://" + self: self, at + "/prog": filepath.Join(dir, "program"),
	} {
		got, err := newPrograms().Fetch(b, name, dir)
		if err != nil || got != want {
			t.Errorf("%s: %s, %v; want %s", name, got, err, want)
		}
		if err := process.CheckBinary(got); err != nil {
			t.Error(err)
		}
	}
}

func TestProgramsThatCannotBeRunAreNamed(t *testing.T) {
	at, b := serve(t), fetching(t, t.Context())
	dir := t.TempDir()
	p := newPrograms()
	p.limit = 50 << 10
	for name, want := range map[string]string{
		"prog": "neither an absolute path", "./prog": "neither an absolute path", "hdfs://h/prog": "neither an absolute path",
		"file://h/prog": "neither an absolute path", "/no/such/prog": "there is no such file", "/bin/sh": "no Go program",
		at + "/none": "404 Not Found", at + "/text": "no Go program", at + "/prog": "more than the 51200 that", at + "/endless": "more than the 51200 bytes",
		"http://127.0.0.1:1/prog": "refused",
	} {
		if got, err := p.Fetch(b, name, dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %s, %v; want %s", name, got, err, want)
		}
		if _, err := os.Stat(filepath.Join(dir, "program")); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s leaves a file", name)
		}
	}
}

func TestAFetchEndsWithItsBody(t *testing.T) {
	at := serve(t)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := newPrograms().Fetch(fetching(t, ctx), at+"/slow", t.TempDir()); !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
