package main

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"
)

// A driver serves Spark's REST API while its application runs, on the port that the settings name or the next free one.
func TestADriverServesItsPages(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = taken.Close() }()
	port := taken.Addr().(*net.TCPAddr).Port
	cmd := command(t, "submit", "--master", "local[2]", "--conf", "spark.ui.port="+strconv.Itoa(port), "sleep", "--tasks", "4", "--task-time", "60s")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = cmd.Process.Kill(), cmd.Wait() }()
	get := func(port int, path string) (string, error) {
		client := http.Client{Timeout: 5 * time.Second}
		r, err := client.Get("http://127.0.0.1:" + strconv.Itoa(port) + path)
		if err != nil {
			return "", err
		}
		defer func() { _ = r.Body.Close() }()
		text, err := io.ReadAll(r.Body)
		return string(text), err
	}
	var apps []struct{ ID, Name string }
	at := 0
	until(t, "the application's pages", func() bool {
		for next := port + 1; next <= port+16; next++ { // other programs may have some of these ports
			text, err := get(next, "/api/v1/applications")
			if err == nil && json.Unmarshal([]byte(text), &apps) == nil && len(apps) == 1 && apps[0].Name == "sleep" {
				at = next
				return true
			}
		}
		return false
	})
	until(t, "its tasks", func() bool {
		text, err := get(at, "/api/v1/applications/"+apps[0].ID+"/stages")
		return err == nil && strings.Contains(text, `"numActiveTasks" : 2`)
	})
	if text, err := get(at, "/"); err != nil || !strings.Contains(text, "sleep application UI") {
		t.Error(text, err)
	}
}

// until asks until ok: each question waits for an answer of a process that is starting.
func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !ok(); {
		if time.Now().After(deadline) {
			t.Fatalf("there are not %s", what)
		}
	}
}
