package conf

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestNearest(t *testing.T) {
	names := []string{"spark.driver.host", "spark.driver.port", "spark.task.cpus", "spark.worker.timeout"}
	for key, want := range map[string]string{
		"spark.worker.timout":     "spark.worker.timeout",
		"spark.worker.tiemout":    "spark.worker.timeout",
		"spark.worker.time-out":   "spark.worker.timeout",
		"spark.Worker.TimeOut":    "spark.worker.timeout",
		"sprak.task.cpus":         "spark.task.cpus",
		"spark.driver.pot":        "spark.driver.port",
		"spark.driver.pst":        "spark.driver.host", // as near to port: the first holds
		"spark.driver.memory":     "",
		"spark.x":                 "",
		"":                        "",
		strings.Repeat("x", 1000): "",
	} {
		if got, ok := Nearest(key, names); got != want || ok != (want != "") {
			t.Errorf("nearest to %q: %q %v", key, got, ok)
		}
	}
}

func TestDistance(t *testing.T) {
	word := rapid.StringMatching(`[a-c.]{0,12}`)
	rapid.Check(t, func(t *rapid.T) {
		a, b := word.Draw(t, "a"), word.Draw(t, "b")
		d := distance(a, b)
		if d != distance(b, a) || (d == 0) != (a == b) || d > max(len(a), len(b)) || d < max(len(a)-len(b), len(b)-len(a)) {
			t.Fatalf("distance(%q, %q) = %d", a, b, d)
		}
		if len(a) > 0 {
			at := rapid.IntRange(0, len(a)-1).Draw(t, "at")
			if got := distance(a, a[:at]+a[at+1:]); got != 1 {
				t.Fatalf("one byte less is distance %d", got)
			}
		}
	})
}
