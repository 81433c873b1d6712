package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Without a cluster the driver and its executor are one process, which leaves nothing behind.
func TestLocalApplications(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	run := func(args ...string) result {
		return finish(t, command(t, append([]string{"submit", "--conf", "spark.local.dir=" + dir}, args...)...))
	}
	for _, master := range []string{"", "local", "local[3]", "local[2,4]"} {
		args := []string{"pi", "4"}
		if master != "" {
			args = append([]string{"--master", master}, args...)
		}
		got := run(args...)
		if got.code != 0 || !strings.HasPrefix(got.stdout, "Pi is roughly 3.1") || !regexp.MustCompile(`application pi is local-\d+`).MatchString(got.stderr) {
			t.Errorf("%s: %+v", master, got)
		}
		if master == "local[3]" && !strings.Contains(got.stderr, "executor driver registered, 3 cores") {
			t.Error(got.stderr)
		}
	}
	text := filepath.Join(dir, "text")
	write(t, text, strings.Repeat("to be or not to be\n", 100))
	if got := run("--master", "local[2]", "wordcount", text); got.code != 0 || !strings.Contains(got.stdout, "200\tto") {
		t.Errorf("%+v", got)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Error(left, err)
	}
}

// local-cluster is a cluster of its own, and one that fits no executor is refused in Spark's words.
func TestLocalClusters(t *testing.T) {
	t.Parallel()
	got := finish(t, command(t, "submit", "--master", "local-cluster[2,1,1024]", "pi", "4"))
	if got.code != 0 || !strings.Contains(got.stderr, "Master and 2 Workers ready") || !strings.HasPrefix(got.stdout, "Pi is roughly 3.1") {
		t.Errorf("%+v", got)
	}
	got = finish(t, command(t, "submit", "--master", "local-cluster[2,1,512]", "pi", "4"))
	if got.code != exitUsage || !strings.Contains(got.stderr, "Asked to launch cluster with 512 MiB/worker but requested 1024 MiB/executor") {
		t.Errorf("%+v", got)
	}
}
