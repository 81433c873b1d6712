package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	events "github.com/coherer/coherer/actors/driver/listener"
)

// An application leaves an event log, whole and with its final name, wherever its driver runs.
func TestApplicationsWriteEventLogs(t *testing.T) {
	t.Parallel()
	for name, args := range map[string][]string{
		"local": {"submit", "--master", "local[2]"}, "cluster": {"run"}, "YARN": {"run", "--yarn"}, "client of YARN": {"run", "--yarn", "--deploy-mode", "client"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			args = append(args, "--conf", "spark.eventLog.enabled=true", "--conf", "spark.eventLog.dir="+dir, "--conf", "spark.eventLog.compress=false",
				"--conf", "spark.eventLog.rolling.enabled=false", "pi", "4")
			if got := finish(t, command(t, args...)); got.code != 0 {
				t.Fatalf("%+v", got)
			}
			logs, err := filepath.Glob(filepath.Join(dir, "*"))
			if err != nil || len(logs) != 1 || strings.HasSuffix(logs[0], ".inprogress") {
				t.Fatal(logs, err)
			}
			text, err := os.ReadFile(logs[0])
			if err != nil {
				t.Fatal(err)
			}
			kinds := map[string]int{}
			var last string
			for line := range bytes.Lines(text) {
				e, err := events.Decode(bytes.TrimSpace(line))
				if err != nil {
					t.Fatal(err)
				}
				last = e.Kind()
				kinds[last]++
			}
			const prefix = "SparkListener"
			if kinds[prefix+"TaskEnd"] != 4 || kinds[prefix+"TaskStart"] != 4 || kinds[prefix+"JobEnd"] != 1 || last != prefix+"ApplicationEnd" {
				t.Errorf("%v, the last is %s", kinds, last)
			}
		})
	}
	got := finish(t, command(t, "submit", "--master", "local", "--conf", "spark.eventLog.enabled=true", "--conf", "spark.eventLog.dir=/no/such", "pi", "1"))
	if got.code == 0 || !strings.Contains(got.stderr, "/no/such does not exist: make it") {
		t.Errorf("%+v", got)
	}
}
