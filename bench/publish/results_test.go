package main

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const (
	script  = "../publish.sh"
	results = "../RESULTS.md"
)

// listed are the names and commands of publish.sh, in full or with --quick.
func listed(t *testing.T, args ...string) (names []string, commands map[string]string) {
	t.Helper()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash")
	}
	if out, err := exec.Command(bash, "-n", script).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.Command(bash, append(append([]string{script}, args...), "-l")...).Output()
	if err != nil {
		t.Fatal(err)
	}
	commands = map[string]string{}
	for line := range strings.Lines(string(out)) {
		name, command, _ := strings.Cut(strings.TrimSpace(line), "\t")
		if command == "" || strings.ContainsAny(command, "{}") {
			t.Errorf("%q has no command that can be run", line)
		}
		names, commands[name] = append(names, name), command
	}
	return names, commands
}

// Every table of the page has its command, and every command its table.
func TestThePageHasTheTablesOfTheScript(t *testing.T) {
	p, err := readPage(results)
	if err != nil {
		t.Fatal(err)
	}
	names, full := listed(t)
	_, quick := listed(t, "--quick")
	if got, want := slices.Sorted(slices.Values(p.names())), slices.Sorted(slices.Values(names)); !slices.Equal(got, want) {
		t.Fatalf("the page has the tables %q, the script %q", got, want)
	}
	for _, name := range names {
		section, err := p.section(name)
		if err != nil {
			t.Error(err)
			continue
		}
		first, _, _ := strings.Cut(strings.TrimLeft(section, "\n"), "\n")
		if first != "    "+full[name] && first != "    "+quick[name] {
			t.Errorf("table %s begins with %q, and its command is %q: bench/publish.sh %s", name, first, full[name], name)
		}
	}
}

// Where we lose is what the tables of the page say, also after one of them was measured anew.
func TestThePageNamesAllLosses(t *testing.T) {
	p, err := readPage(results)
	if err != nil {
		t.Fatal(err)
	}
	section, err := p.section("losses")
	if err != nil {
		t.Fatal(err)
	}
	want, err := whereWeLose(p)
	if err != nil || !strings.Contains(section, want) {
		t.Errorf("%v: the tables say\n%s\nthe page says\n%s\nbench/publish.sh losses", err, want, section)
	}
}

// A want of a row or column that no table has would never be missed.
func TestEveryWantHasItsCell(t *testing.T) {
	p, err := readPage(results)
	if err != nil {
		t.Fatal(err)
	}
	wants, err := parseWants(wanted)
	if err != nil {
		t.Fatal(err)
	}
	_, full := listed(t)
	for _, w := range wants {
		section, err := p.section(w.table)
		if err != nil {
			t.Error(err)
			continue
		}
		if !strings.Contains(section, "    "+full[w.table]+"\n") {
			continue // measured with --quick: it may have fewer rows
		}
		for _, row := range []string{w.row, w.of} {
			if _, ok := cellOf(section, row, w.column); row != "" && !ok {
				t.Errorf("table %s has no row %q with a column %q", w.table, row, w.column)
			}
		}
	}
}

// A table that is not there is an error, not a run of all.
func TestTheScriptRefusesWhatItDoesNotKnow(t *testing.T) {
	listed(t)
	for _, arg := range []string{"nonsense", "--nonsense", "cost", "."} {
		out, err := exec.Command("bash", script, arg).CombinedOutput()
		if exit, ok := err.(*exec.ExitError); !ok || exit.ExitCode() != 2 || len(out) == 0 { //nolint:errorlint // Run returns it as it is
			t.Errorf("%s: %v, %s", arg, err, out)
		}
	}
}

// The page has the costs that their test holds.
func TestThePageHasTheCostsOfTheirTest(t *testing.T) {
	p, err := readPage(results)
	if err != nil {
		t.Fatal(err)
	}
	section, err := p.section("costs")
	if err != nil {
		t.Fatal(err)
	}
	golden, err := os.ReadFile("../costs/testdata/costs.md")
	if err != nil {
		t.Fatal(err)
	}
	_, tables, _ := strings.Cut(string(golden), "\n\n") // behind the paragraph that says what the file is
	if !strings.Contains(section, strings.TrimSpace(tables)) {
		t.Error("bench/costs/testdata/costs.md has other tables than the page: bench/publish.sh costs")
	}
}
