package submit

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/coherer/coherer/rpcenv/conf"
)

// What becomes of an option of a Go program, for each cluster and mode: u: used, r: refused, w: a warning, as in
// standalone client, standalone cluster, YARN client, YARN cluster, local client.
var fates = map[string]string{
	"--name": "uuuuu", "--class": "uuuuu", "--conf": "uuuuu", "--master": "uuuuu", "--deploy-mode": "uuuuu",
	"--driver-memory": "uuuuu", "--executor-memory": "uuuuw", "--executor-cores": "uuuuw",
	"--driver-cores": "wuwuw", "--supervise": "wuwww",
	"--total-executor-cores": "uuwww", "--num-executors": "wwuuw", "--queue": "wwuuw",
	"--jars": "rruur", "--files": "uuuuu", "--archives": "uuuuu", "--py-files": "rrrrr",
	"--packages": "rrrrr", "--exclude-packages": "rrrrr", "--repositories": "rrrrr",
	"--proxy-user": "rrrrr", "--principal": "rrrrr", "--keytab": "rrrrr", "--remote": "rrrrr",
	"--driver-class-path": "wwwww", "--driver-java-options": "wwwww", "--driver-library-path": "wwwww",
	// The command reads these before a decision is made, or prints by them.
	"--properties-file": "", "--extra-properties-file": "", "--load-spark-defaults": "", "--verbose": "", "--version": "", "--help": "",
	"--usage-error": "", "--dry-run": "", "--output": "", "--kill": "", "--status": "",
}

// Every option that is taken does something on each cluster and in each mode, or the user hears that it does not.
func TestEachOptionIsUsedRefusedOrWarnedOf(t *testing.T) {
	values := map[string]string{"MEMORY": "3g", "N": "3", "KEY=VALUE": "spark.task.maxFailures=9"}
	for _, o := range Options() {
		fate, known := fates[o.Name]
		if !known {
			t.Errorf("%s: nothing says what becomes of it", o.Name)
			continue
		}
		value := values[o.Value]
		if value == "" {
			value = "x"
		}
		for i, want := range fate {
			base := []string{"--master", []string{"spark://h:1", "yarn", "local[2]"}[i/2], "--deploy-mode", []string{"client", "cluster"}[i%2]}
			line := append(slices.Clone(base), o.Name)
			switch o.Name {
			case "--master", "--deploy-mode":
				line = base
			case "--supervise":
			case "--remote":
				line = []string{o.Name, "sc://h:1"}
			default:
				line = append(line, value)
			}
			with, err := decide(t, strings.Join(append(line, "pi"), " "), Input{})
			if err != nil {
				t.Fatalf("%v: %v", line, err)
			}
			without, err := decide(t, strings.Join(append(base, "pi"), " "), Input{})
			if err != nil {
				t.Fatal(err)
			}
			warned := slices.DeleteFunc(slices.Clone(with.Warnings), func(w string) bool { return !strings.Contains(w, o.Name+" is ignored") })
			got := 'u'
			switch {
			case with.NotRun != nil && (strings.Contains(with.NotRun.Error(), o.Name) || o.Name == "--remote"):
				got = 'r'
			case with.NotRun != nil:
				t.Errorf("%v: %v", line, with.NotRun)
			case len(warned) > 0:
				got = 'w'
			case o.Name != "--master" && o.Name != "--deploy-mode" && plain(t, with) == plain(t, without):
				t.Errorf("%v: the decision is the same without it", line)
			}
			if got != want || len(warned) > 1 {
				t.Errorf("%v: %c, want %c: %v %q", line, got, want, with.NotRun, with.Warnings)
			}
		}
	}
}

func plain(t *testing.T, d *Decision) string {
	t.Helper()
	text, err := json.Marshal(d.Plain())
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// What is asked for by --conf is refused as the option is. A file of defaults may serve programs that are no Go programs.
func TestASettingIsRefusedAsItsOption(t *testing.T) {
	d, err := decide(t, "--master spark://h:1 --conf spark.jars=a.txt pi", Input{})
	if err != nil || d.NotRun == nil || !strings.Contains(d.NotRun.Error(), "--conf spark.jars") {
		t.Errorf("%v %v", d.NotRun, err)
	}
	defaults := []conf.Setting{{Pair: conf.Pair{Key: "spark.jars", Value: "a.txt"}, From: conf.Origin{Place: "defaults"}}}
	if d, err = decide(t, "--master spark://h:1 pi", Input{Defaults: defaults}); err != nil || d.NotRun != nil {
		t.Errorf("%v %v", d.NotRun, err)
	}
	if d, err = decide(t, "--master spark://h:1 --jars a.txt --class X app.jar", Input{}); err != nil || strings.Contains(d.NotRun.Error(), "--jars") {
		t.Errorf("of a jar nothing is run, whatever its options: %v %v", d.NotRun, err)
	}
}

// --kill and --status name what they do not read, and are no submission that could be shown.
func TestOptionsOfKillAndStatus(t *testing.T) {
	resolve := func(line string) (*Arguments, error) {
		c, err := Parse(strings.Fields(line))
		if err != nil {
			t.Fatal(err)
		}
		return Resolve(c, Input{Dir: "/w"})
	}
	a, err := resolve("--master spark://h:1 --kill d --files x --verbose --conf spark.app.name=n pi")
	want := []string{"--files is ignored: --kill does not read it", "--verbose is ignored: --kill does not read it", "the application pi is ignored: --kill is about a submission that was made"}
	if err != nil || !slices.Equal(a.Warnings, want) {
		t.Errorf("%v %q, want %q", err, a.Warnings, want)
	}
	if a, err = resolve("--master spark://h:1 --status d -o json"); err != nil || a.Warnings != nil {
		t.Errorf("%v %q", err, a.Warnings)
	}
	if _, err = resolve("-o text pi"); err != nil {
		t.Error(err)
	}
	for line, want := range map[string]string{
		"--master spark://h:1 --kill d --dry-run": "--dry-run is for submissions: --kill asks the cluster at once; leave one of them out",
		"--master spark://h:1 --kill d -o json":   "-o json is for",
		"--master spark://h:1 -o json pi":         "-o json is for",
	} {
		if _, err := resolve(line); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", line, err, want)
		}
	}
}
