package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"time"
)

// report prints the outcomes by package, and the mutants that survived. It returns an error when too many did.
func report(tried []*mutant, o options, took time.Duration) error {
	counts := map[string]map[outcome]int{}
	var survivors []string
	for _, m := range tried {
		dir := path.Dir(m.path)
		for _, name := range []string{dir, "all"} {
			if counts[name] == nil {
				counts[name] = map[outcome]int{}
			}
			counts[name][m.outcome]++
		}
		if m.outcome == survived || m.outcome == unreached {
			survivors = append(survivors, fmt.Sprintf("%s: %s", m.outcome, m))
		}
	}
	slices.Sort(survivors)
	for _, s := range survivors {
		fmt.Fprintln(o.out, s)
	}
	if o.survivors != "" {
		if err := os.WriteFile(o.survivors, []byte(strings.Join(survivors, "\n")+"\n"), 0o600); err != nil {
			return err
		}
	}
	fmt.Fprintf(o.out, "%-40s %7s %7s %9s %9s %9s\n", "PACKAGE", "KILLED", "BY TIME", "SURVIVED", "UNREACHED", "SHARE")
	var names []string
	for name := range counts {
		if name != "all" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range append(names, "all") {
		c := counts[name]
		fmt.Fprintf(o.out, "%-40s %7d %7d %9d %9d %8.1f%%\n", name, c[killed], c[timedOut], c[survived], c[unreached], 100*share(c))
	}
	c := counts["all"]
	fmt.Fprintf(o.out, "%d left out by the compiler, %d not tried, %.0f s\n", c[uncompiled], c[untried], took.Seconds())
	switch {
	case c[killed]+c[timedOut]+c[survived]+c[unreached] == 0:
		return errors.New("no mutant was tried")
	case share(c) > o.allow:
		return fmt.Errorf("%.1f %% of the mutants survive, %.1f %% may: give the rules above a test, or equivalent.txt the reason why the change has no effect",
			100*share(c), 100*o.allow)
	}
	return nil
}

// share is the part of the tried mutants that survived. Code that no test reaches survives too.
func share(c map[outcome]int) float64 {
	all := c[killed] + c[timedOut] + c[survived] + c[unreached]
	if all == 0 {
		return 0
	}
	return float64(c[survived]+c[unreached]) / float64(all)
}

// excused are the mutants without a visible effect, by key, with the reasons.
type excused map[string]string

// readExcused reads rows `KEY -- REASON`; lines that begin with # and empty ones are comments.
func readExcused(file string) (excused, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	rows := excused{}
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		// The last one: a key quotes source, which may hold two dashes itself.
		i := strings.LastIndex(line, " -- ")
		if i < 0 || strings.TrimSpace(line[i+4:]) == "" {
			return nil, fmt.Errorf("%s:%d: a row is KEY -- REASON", file, n)
		}
		rows[line[:i]] = line[i+4:]
	}
	return rows, lines.Err()
}

// mark excuses the mutants that have a row. A row for a package that was read, but for no mutant, is an error.
func (e excused) mark(all []*mutant, targets []target) error {
	stale := map[string]bool{}
	// Rows of packages that were not read are not judged: a run of one package knows nothing of them.
	for key := range e {
		file, _, _ := strings.Cut(key, ": ")
		if slices.ContainsFunc(targets, func(t target) bool { return t.dir == path.Dir(file) }) {
			stale[key] = true
		}
	}
	for _, m := range all {
		if _, ok := e[m.key]; ok {
			m.excused = true
			delete(stale, m.key)
		}
	}
	var err error
	for key := range stale {
		err = errors.Join(err, fmt.Errorf("equivalent.txt: no mutant is called %s", key))
	}
	return err
}
