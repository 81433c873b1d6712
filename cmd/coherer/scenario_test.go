package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// brokenScript is a script that cannot be used: its second verb has a wrong option.
const brokenScript = "cluster worlds=(sim) seed=1\nstart master M\n  cut M\n----\n"

// lyingScript prints something else than it says.
const lyingScript = "cluster worlds=(sim) seed=1\nstart master M\nexit M\n----\nM exited 3\n"

func TestScenarioExitCodes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"broken.txt": brokenScript, "lying.txt": lyingScript, "mine": strings.Replace(lyingScript, "exited 3", "runs", 1),
		"SPARK-9731": brokenScript,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"scenario run SPARK-9731", 0, "SPARK-9731: holds (I4)"},
		{"scenario run SPARK-9731 --compat upstream", 1, "I4 progress: app-"},
		{"scenario run SPARK-11098 --compat upstream", 2, "its old fault cannot be expressed"},
		{"scenario run SPARK-9731 --seed 7 -o json", 0, `"judged"`},
		{"scenario run SPARK-9732", 2, "SPARK-9731 is near"},
		{"scenario run ./broken.txt", 2, "./broken.txt:3:1: "},
		{"scenario run ./lying.txt", 1, "  - M exited 3\n  + M runs\n"},
		{"scenario run mine", 0, "mine: holds\n"},
		{"scenario run ./none.txt", 2, "none.txt"},
		{"scenario run", 2, "want the name of a script"},
		{"scenario run --all --rewrite", 2, "--rewrite is of one file"},
		{"scenario run SPARK-9731 --rewrite", 2, "SPARK-9731 is of the library"},
		{"scenario run /dev/zero", 2, "a script has 4194304 bytes at most"},
		{"sim --conf spark.worker.timeout=abc", 2, "want whole seconds"},
		{"scenario list", 0, "SPARK-27510"},
		{"scenario show SPARK-27510", 0, "# Required: the application is removed"},
		{"sim --seed 3 --workers 3 --apps 2 --for 9m", 0, "  holds     all rules\n  again     coherer sim --seed 3 "},
		{"sim --seed 3 --workers 3 --apps 2 --for 9m -o json", 0, `"hash"`},
		{"sim --workers 0", 2, "0 workers: want 1 to 1000"},
		{"sim --faults flood", 2, "no fault is called flood"},
		{"sim --seeds 12 --workers 4 --apps 6 --faults none --for 12m --conf coherer.compat=SPARK-16925 --write found.txt", 1, "scenario run ./found.txt"},
	} {
		cmd := command(t, strings.Fields(c.args)...)
		cmd.Dir = dir
		got := finish(t, cmd)
		if all := got.stdout + got.stderr; got.code != c.code || !strings.Contains(all, c.want) {
			t.Errorf("%s: code %d, want %d, and %q:\n%s", c.args, got.code, c.code, c.want, all)
		}
		if strings.HasSuffix(c.args, "json") && !json.Valid([]byte(got.stdout)) {
			t.Errorf("%s: no JSON", c.args)
		}
	}
	// What sim wrote breaks the same rule.
	cmd := command(t, "scenario", "run", "./found.txt")
	cmd.Dir = dir
	if got := finish(t, cmd); got.code != 1 || !strings.Contains(got.stdout, "I4 progress") {
		t.Errorf("code %d: %s", got.code, got.stdout)
	}
}
