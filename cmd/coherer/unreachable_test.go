package main

import (
	"strings"
	"testing"
)

// A daemon that is not there is said once per try, and once at the end, by every command that asks one.
func TestAnUnreachableDaemonIsSaidOncePerTry(t *testing.T) {
	const spark, yarn = "spark://127.0.0.1:1", "yarn://127.0.0.1:1"
	for _, c := range []struct {
		args   string
		causes int    // how often why it was not reached is said: the tries
		end    string // said once, in the line of the last error
		lines  int    // of stderr
	}{
		{"submit --master " + spark + " pi 1", 3, "All masters are unresponsive! Giving up.", 6},
		{"submit --master " + spark + " --deploy-mode cluster pi", 1, "No master is available", 2},
		{"submit --master " + spark + " --status driver-1", 1, "No master is available", 2},
		{"submit --master " + spark + " --kill driver-1", 1, "No master is available", 2},
		{"submit --master " + spark + " --conf spark.master.rest.enabled=true --kill driver-1", 2, "No master is available", 3}, // by REST, then by RPC
		{"submit --master " + yarn + " pi 1", 1, "YARN did not take the application. Diagnostics message: no ResourceManager answers at 127.0.0.1:1", 3},
		{"submit --master " + yarn + " --deploy-mode cluster pi", 1, "no ResourceManager answers at 127.0.0.1:1", 1},
		{"submit --master yarn --deploy-mode cluster --conf spark.hadoop.yarn.resourcemanager.address=127.0.0.1:1 pi", 1, "no ResourceManager answers at 127.0.0.1:1", 1},
		{"submit --master " + yarn + " --status application_1_0001", 1, "no ResourceManager answers at 127.0.0.1:1", 1},
		{"status --master " + spark, 1, "no Master answers", 1},
		{"status --master " + yarn, 1, "does not answer", 1},
		{"why app app-1 --master " + spark, 1, "ask the Master at 127.0.0.1:1", 1},
		{"why app application_1_0001 --master " + yarn, 1, "ask the ResourceManager at 127.0.0.1:1", 1},
		{"rmadmin move application_1_0001 q --master " + yarn, 1, "ask the ResourceManager at 127.0.0.1:1", 1},
		{"top " + spark, 1, "no process answers", 1},
		{"trace follow " + spark, 1, "follow 127.0.0.1:1", 1},
	} {
		t.Run(c.args, func(t *testing.T) {
			t.Parallel()
			r := finish(t, command(t, strings.Fields(c.args)...))
			lines := strings.Split(strings.TrimSpace(r.stderr), "\n")
			if got := strings.Count(r.stderr, "connection refused"); r.code == 0 || got != c.causes || len(lines) > c.lines {
				t.Errorf("code %d, the cause %d times, want %d, in %d lines, want %d: %s", r.code, got, c.causes, len(lines), c.lines, r.stderr)
			}
			if strings.Count(r.stderr, c.end) != 1 || !strings.Contains(lines[len(lines)-1], c.end) {
				t.Errorf("%q is not said once, at the end: %s", c.end, r.stderr)
			}
		})
	}
}
