package conf

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestNearest(t *testing.T) {
	names := []string{"spark.driver.host", "spark.driver.port", "spark.task.cpus", "spark.worker.timeout", "a.port", strings.Repeat("y", 200)}
	for key, want := range map[string]string{
		"spark.worker.timout":          "spark.worker.timeout",
		"spark.worker.tiemout":         "spark.worker.timeout",
		"spark.worker.time-out":        "spark.worker.timeout",
		"spark.Worker.TimeOut":         "spark.worker.timeout",
		"sprak.task.cpus":              "spark.task.cpus",
		"spark.driver.pot":             "spark.driver.port",
		"spark.driver.pst":             "spark.driver.host",    // as near to port: the first holds
		"spark.wroker.timoutt":         "spark.worker.timeout", // three places: two swapped, one missing, one too many
		"spark.wroker.timouttt":        "",
		"a.prt":                        "a.port", // one in five bytes
		"b.prt":                        "",
		strings.Repeat("y", 199) + "x": strings.Repeat("y", 200),
		strings.Repeat("y", 200) + "x": "", // too long for a typing mistake
		"spark.driver.memory":          "",
		"spark.x":                      "",
		"":                             "",
		strings.Repeat("x", 1000):      "",
	} {
		if got, ok := Nearest(key, names); got != want || ok != (want != "") {
			t.Errorf("nearest to %q: %q %v", key, got, ok)
		}
	}
}

func TestDistance(t *testing.T) {
	for pair, want := range map[[2]string]int{
		{"", ""}: 0, {"ab", "ba"}: 1, {"abcd", "acbd"}: 1, {"abc", "cab"}: 2, {"kitten", "sitting"}: 3, {"abab", "baba"}: 2, {"abcdef", "badcfe"}: 3,
	} {
		if got := distance(pair[0], pair[1]); got != want {
			t.Errorf("%q: %d, want %d", pair, got, want)
		}
	}
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
